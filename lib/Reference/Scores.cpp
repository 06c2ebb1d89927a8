//===- Scores.cpp - scores and masks of one row ---------------------------===//

#include "Node.h"

using namespace fovea;
using namespace fovea::reference;
using llvm::Error;
using llvm::Expected;

Expected<std::unique_ptr<Scores>>
Scores::create(mlir::Operation *op, Node &query, Node &key, double scale,
               mlir::Region &offset, mlir::Region &score, mlir::Region &mask,
               Environment &environment, const Settings &settings) {
  std::unique_ptr<Scores> scores(new Scores(query, key, scale, settings));
  using enum Program::Argument;
  for (auto [region, program, arguments] :
       {std::tuple(&offset, &scores->offset,
                   llvm::SmallVector<Program::Argument>{Row}),
        std::tuple(&score, &scores->score,
                   llvm::SmallVector<Program::Argument>{Score, Row, Row, Row,
                                                        Row, Key}),
        std::tuple(
            &mask, &scores->mask,
            llvm::SmallVector<Program::Argument>{Row, Row, Row, Row, Key})}) {
    if (region->empty())
      continue;
    auto compiled = Program::compile(region->front(), arguments, environment,
                                     settings.emulate);
    if (!compiled)
      return compiled.takeError();
    *program = std::move(*compiled);
  }
  if (Error error = scores->checkSizes())
    return llvm::createStringError(op->getName().getStringRef() + " " +
                                   llvm::toString(std::move(error)));
  return scores;
}

Error Scores::checkSizes() {
  llvm::ArrayRef<int64_t> q = query.getShape(), k = key.getShape();
  type = query.getType();
  batch = q[0], heads = q[1], queries = q[2], depth = q[3];
  kvHeads = k[1], keys = k[2];
  if (k[0] != batch || k[3] != depth || kvHeads < 1 || heads % kvHeads != 0)
    return llvm::createStringError("can't match query " + formatShape(q) +
                                   " and key " + formatShape(k));
  queryRow.resize(depth);
  keyRow.resize(depth);
  return Error::success();
}

Expected<int64_t> Scores::getOffset(int64_t b) {
  if (!offset)
    return 0;
  offset->beginRow({b});
  int64_t value = offset->run(nullptr, nullptr, 1)->i;
  if (Error error = offset->takeFailure())
    return error;
  return value;
}

double Scores::dot(const double *a, const double *b) const {
  if (settings.emulate && type != HostType::F64) {
    float sum = 0;
    for (int64_t d = 0; d < depth; ++d)
      sum += float(a[d]) * float(b[d]);
    return float(scale) * sum;
  }
  // Four sums, so that additions need not wait for each other.
  double sums[4] = {};
  int64_t d = 0;
  for (; d + 4 <= depth; d += 4)
    for (int n = 0; n < 4; ++n)
      sums[n] += a[d + n] * b[d + n];
  for (; d < depth; ++d)
    sums[0] += a[d] * b[d];
  return scale * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

Error Scores::compute(int64_t row) {
  int64_t i = row % queries, h = row / queries % heads;
  int64_t b = row / queries / heads;
  Expected<int64_t> o = getOffset(b);
  if (!o)
    return o.takeError();
  int64_t p = int64_t(uint64_t(i) + uint64_t(*o));
  if (Error error = query.readRow(row, queryRow.data(), nullptr))
    return error;
  if (score)
    score->beginRow({b, h, i, p});
  if (mask)
    mask->beginRow({b, h, i, p});
  int64_t firstKey = (b * kvHeads + h / (heads / kvHeads)) * keys;
  values.assign(keys, 0.0);
  keep.assign(keys, true);
  isEmpty = true;

  int64_t js[Program::maxLanes];
  double raw[Program::maxLanes];
  for (int64_t j0 = 0; j0 < keys; j0 += Program::maxLanes) {
    int count = int(std::min<int64_t>(Program::maxLanes, keys - j0));
    for (int n = 0; n < count; ++n)
      js[n] = j0 + n;
    if (mask) {
      const Scalar *allowed = mask->run(js, nullptr, count);
      for (int n = 0; n < count; ++n)
        keep[j0 + n] = allowed[n].i != 0;
    }
    int kept = 0;
    for (int n = 0; n < count; ++n)
      if (keep[j0 + n])
        js[kept++] = j0 + n;
    isEmpty &= kept == 0;
    for (int n = 0; n < kept; ++n) {
      if (Error error = key.readRow(firstKey + js[n], keyRow.data(), nullptr))
        return error;
      raw[n] = dot(queryRow.data(), keyRow.data());
    }
    if (score && kept) {
      const Scalar *changed = score->run(js, raw, kept);
      for (int n = 0; n < kept; ++n)
        raw[n] = changed[n].f;
    }
    for (int n = 0; n < kept; ++n)
      values[js[n]] = raw[n];
  }
  if (mask)
    if (Error error = mask->takeFailure())
      return error;
  return score ? score->takeFailure() : Error::success();
}

double Scores::countAll() const {
  return double(batch) * double(heads) * double(queries) * double(keys);
}

Expected<double> Scores::countAllowed(int64_t budget) {
  if (!mask || countAll() == 0)
    return countAll();
  // The position p depends on the batch where the offset does.
  bool perBatch = mask->dependsOn(0) ||
                  (mask->dependsOn(3) && offset && offset->dependsOn(0));
  bool perHead = mask->dependsOn(1);
  int64_t batches = perBatch ? batch : 1, someHeads = perHead ? heads : 1;
  int64_t rows = batches * someHeads * queries;
  int64_t some = std::clamp<int64_t>(budget / keys, 1, rows);
  double allowed = 0;
  int64_t js[Program::maxLanes];
  for (int64_t n = 0; n < some; ++n) {
    // The middle of the n-th part, by 128 bits: rows may be many.
    int64_t row = int64_t((__int128(rows) * (2 * n + 1)) / (2 * some));
    int64_t i = row % queries, h = row / queries % someHeads;
    int64_t b = row / queries / someHeads;
    Expected<int64_t> o = getOffset(b);
    if (!o)
      return o.takeError();
    mask->beginRow({b, h, i, int64_t(uint64_t(i) + uint64_t(*o))});
    for (int64_t j0 = 0; j0 < keys; j0 += Program::maxLanes) {
      int count = int(std::min<int64_t>(Program::maxLanes, keys - j0));
      for (int lane = 0; lane < count; ++lane)
        js[lane] = j0 + lane;
      const Scalar *result = mask->run(js, nullptr, count);
      int64_t sum = 0;
      for (int lane = 0; lane < count; ++lane)
        sum += result[lane].i;
      allowed += double(sum);
    }
    if (Error error = mask->takeFailure())
      return error;
  }
  return allowed * (double(batch) * heads * queries / some);
}
