//===- CaseText.cpp - cases as text ---------------------------------------===//

#include "Case.h"
#include "Features.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace fovea;
using namespace fovea::fuzz;
using llvm::raw_ostream;

static void printBroadcast(raw_ostream &os, const std::array<bool, 4> &full) {
  static constexpr const char *roles[] = {"batch", "heads", "query", "kv"};
  os << "[";
  for (unsigned n = 0; n < 4; ++n)
    os << (n ? ", " : "") << (full[n] ? roles[n] : "1");
  os << "]";
}

static void printScore(raw_ostream &os, const ScoreEntry &entry) {
  switch (entry.form) {
  case ScoreEntry::Softcap:
    os << "{softcap: " << llvm::format("%.17g", entry.cap) << "}";
    break;
  case ScoreEntry::Bias:
    os << "{bias: {shape: ";
    printBroadcast(os, entry.full);
    os << ", name: " << entry.name << "}}";
    break;
  case ScoreEntry::Alibi:
    os << "alibi";
    break;
  case ScoreEntry::AlibiInput:
    os << "{alibi: {slopes: input}}";
    break;
  case ScoreEntry::Expr:
    os << "{expr: \"" << entry.expr << "\"}";
    break;
  }
}

static void printMask(raw_ostream &os, const MaskEntry &entry) {
  switch (entry.form) {
  case MaskEntry::Causal:
    os << "causal";
    break;
  case MaskEntry::Window:
    os << "{window: {left: " << entry.left << ", right: " << entry.right
       << "}}";
    break;
  case MaskEntry::KvLengths:
    os << "kv_lengths";
    break;
  case MaskEntry::QLengths:
    os << "q_lengths";
    break;
  case MaskEntry::Tensor:
    os << "{tensor: {shape: ";
    printBroadcast(os, entry.full);
    os << ", name: " << entry.name << "}}";
    break;
  case MaskEntry::Expr:
  case MaskEntry::Documents:
  case MaskEntry::Prefix:
    os << "{expr: \"" << entry.expr << "\"}";
    break;
  case MaskEntry::Region:
    break;
  }
}

static void printCaptures(raw_ostream &os, const std::vector<Capture> &captures,
                          bool &isFirst) {
  for (const Capture &capture : captures) {
    os << (isFirst ? "tensors:\n" : "") << "  " << capture.name
       << ": {dtype: " << capture.dtype << ", shape: [";
    isFirst = false;
    llvm::interleaveComma(capture.shape, os);
    os << "]}\n";
  }
}

static std::string getSize(bool isAny, int64_t size) {
  return isAny ? "any" : std::to_string(size);
}

static void printLayer(raw_ostream &os, const Case &drawn) {
  os << "source: " << (drawn.kind == Kind::CrossLayer ? "cross" : "self")
     << "\nmodel_dim: " << drawn.modelDim << "\n";
  if (drawn.kind == Kind::CrossLayer)
    os << "context_dim: " << drawn.contextDim << "\n";
  if (drawn.outDim)
    os << "out_dim: " << drawn.outDim << "\n";
  if (drawn.biases.empty())
    return;
  os << "biases: [";
  llvm::interleaveComma(drawn.biases, os);
  os << "]\n";
}

static void printPosition(raw_ostream &os, const Case &drawn) {
  switch (drawn.scale) {
  case Case::DefaultScale:
    break;
  case Case::Number:
    os << "scale: " << llvm::format("%.17g", drawn.scaleValue) << "\n";
    break;
  case Case::ScaleInput:
    os << "scale: input\n";
    break;
  }
  switch (drawn.offset) {
  case Case::NoOffset:
    break;
  case Case::Integer:
    os << "query_offset: " << drawn.offsetValue << "\n";
    break;
  case Case::End:
    os << "query_offset: end\n";
    break;
  case Case::OffsetInput:
    os << "query_offset: input\n";
    break;
  }
}

std::string fuzz::toYaml(const Case &drawn) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const Call &first = drawn.calls.front();
  os << "name: kernel\nkind: " << (drawn.isLayer() ? "layer" : "sdpa")
     << "\ndtype: " << drawn.dtype << "\n";
  if (!drawn.isLayer())
    os << "layout: " << drawn.layout << "\n";
  if (!drawn.isFlat)
    os << "batch: " << getSize(drawn.anyBatch, first.batch) << "\n";
  os << "heads: {query: " << drawn.heads << ", kv: " << drawn.kvHeads
     << "}\nhead_dim: {qk: " << drawn.qkDim << ", v: " << drawn.vDim
     << "}\nlength: {query: " << getSize(drawn.anyQuery, first.query)
     << ", kv: " << getSize(drawn.anyKv, first.kv) << "}\n";
  if (drawn.isLayer())
    printLayer(os, drawn);
  printPosition(os, drawn);
  bool isFirst = true;
  for (const ScoreEntry &entry : drawn.score)
    printCaptures(os, entry.captures, isFirst);
  for (const MaskEntry &entry : drawn.mask)
    printCaptures(os, entry.captures, isFirst);
  if (!drawn.score.empty())
    os << "score:\n";
  for (const ScoreEntry &entry : drawn.score) {
    os << "  - ";
    printScore(os, entry);
    os << "\n";
  }
  isFirst = true;
  for (const MaskEntry &entry : drawn.mask) {
    if (entry.form == MaskEntry::Region)
      continue;
    os << (isFirst ? "mask:\n" : "") << "  - ";
    isFirst = false;
    printMask(os, entry);
    os << "\n";
  }
  os << "outputs: [";
  llvm::SmallVector<llvm::StringRef> outputs;
  if (drawn.hasOut)
    outputs.push_back("out");
  if (drawn.hasLse)
    outputs.push_back("lse");
  if (drawn.hasWeights)
    outputs.push_back("weights");
  llvm::interleaveComma(outputs, os);
  os << "]\n";
  return text;
}

std::string fuzz::describe(const Case &drawn, const Call &call) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "target " << drawn.target << ", batch " << call.batch
     << ", length.query " << call.query << ", length.kv " << call.kv
     << ", guard " << (call.isGuardBefore ? "before" : "after") << ", "
     << (call.givesWorkspace ? "given" : "own") << " workspace";
  if (call.hook != Hook::None)
    os << ", " << (call.hook == Hook::Pool ? "two threads" : "reversed loop");
  if (call.isNarrowIndex && drawn.hasIndexInput())
    os << ", i32 indices";
  for (unsigned n = 0; n < numStrideStyles; ++n)
    if (call.strides >> n & 1)
      os << ", stride:" << getStrideStyleName(n);
  for (unsigned n = 0; n < numSpecials; ++n)
    if (call.specials >> n & 1)
      os << ", special:" << getSpecialName(n);
  return text;
}
