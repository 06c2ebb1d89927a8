//===- Reports.h - collecting reports -------------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_REPORTS_H
#define FOVEA_PTXSIMULATOR_REPORTS_H

#include "Op.h"
#include "fovea/PTXSimulator/Report.h"
#include <map>

namespace fovea::ptx {

/// Reports by kind and line. Tables of several host threads merge into what
/// one thread would have seen.
class ReportTable {
public:
  /// `blockNumber` is the block's place in the order of the grid. The sentence
  /// is made only if this is the first block that has the report.
  void add(ReportKind kind, const OpInfo &info, uint64_t blockNumber,
           Dim3 block, unsigned warp, unsigned lane,
           const llvm::Twine &sentence);
  void merge(ReportTable &&other);
  /// At most `limit`, in the order of lines; `dropped` counts the rest.
  std::vector<Report> take(size_t limit, uint64_t &dropped);

private:
  struct Entry {
    uint64_t blockNumber = 0;
    Report report;
  };
  std::map<std::pair<unsigned, ReportKind>, Entry> entries;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_REPORTS_H
