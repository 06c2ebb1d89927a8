//===- Reports.cpp - collecting and printing reports ----------------------===//

#include "Reports.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fovea::ptx;

llvm::StringRef fovea::ptx::getReportKindName(ReportKind kind) {
  switch (kind) {
  case ReportKind::OutOfBounds:
    return "out-of-bounds";
  case ReportKind::Misaligned:
    return "misaligned";
  case ReportKind::Uninitialized:
    return "uninitialized";
  case ReportKind::ReadOnly:
    return "read-only";
  case ReportKind::Divergence:
    return "divergence";
  case ReportKind::Deadlock:
    return "deadlock";
  case ReportKind::Trap:
    return "trap";
  case ReportKind::StepLimit:
    return "step-limit";
  case ReportKind::Observed:
    return "observed";
  }
  return "";
}

std::string Report::format() const {
  std::string text =
      llvm::formatv("line {0}: {1}: {2}\n  {3}", line, getReportKindName(kind),
                    sentence, instruction)
          .str();
  if (!source.empty())
    text += "\n  from " + source;
  text += llvm::formatv("\n  in block ({0},{1},{2}) warp {3} lane {4}", block.x,
                        block.y, block.z, warp, lane);
  if (count > 1)
    text += llvm::formatv(", {0} times in all", count);
  return text;
}

void ReportTable::add(ReportKind kind, const OpInfo &info, uint64_t blockNumber,
                      Dim3 block, unsigned warp, unsigned lane,
                      const llvm::Twine &sentence) {
  auto [place, isNew] = entries.try_emplace({info.line, kind});
  Entry &entry = place->second;
  ++entry.report.count;
  if (!isNew && entry.blockNumber <= blockNumber)
    return;
  entry.blockNumber = blockNumber;
  Report &report = entry.report;
  report.kind = kind;
  report.line = info.line;
  report.instruction = info.text;
  report.source = info.source;
  report.block = block;
  report.warp = warp;
  report.lane = lane;
  report.sentence = sentence.str();
}

void ReportTable::merge(ReportTable &&other) {
  for (auto &[key, entry] : other.entries) {
    auto [place, isNew] = entries.try_emplace(key, entry);
    if (isNew)
      continue;
    uint64_t count = place->second.report.count + entry.report.count;
    if (entry.blockNumber < place->second.blockNumber)
      place->second = entry;
    place->second.report.count = count;
  }
}

std::vector<Report> ReportTable::take(size_t limit, uint64_t &dropped) {
  std::vector<Report> reports;
  for (auto &[key, entry] : entries) {
    if (reports.size() < limit)
      reports.push_back(std::move(entry.report));
    else
      ++dropped;
  }
  entries.clear();
  return reports;
}
