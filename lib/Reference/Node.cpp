//===- Node.cpp - given tensors, projections, merged heads ----------------===//

#include "Node.h"
#include <cmath>

using namespace fovea;
using namespace fovea::reference;
using llvm::Error;
using llvm::Expected;

Node::~Node() = default;

int64_t Node::getNumRows() const {
  int64_t rows = 1;
  // A row length of 1 that is no dim (lse, scalars) leaves all dims to rows.
  bool isDim = !shape.empty() && shape.back() == rowLength;
  for (int64_t size : isDim ? getShape().drop_back() : getShape())
    rows *= size;
  return rows;
}

Expected<const HostTensor *> Node::asTensor() {
  if (whole)
    return &*whole;
  Expected<HostTensor> tensor = HostTensor::create(HostType::F64, shape);
  if (!tensor)
    return tensor.takeError();
  for (int64_t row = 0; row < getNumRows(); ++row)
    if (Error error = readRow(
            row, tensor->as<double>().data() + row * rowLength, nullptr))
      return error;
  whole = std::move(*tensor);
  return &*whole;
}

Error GivenNode::readRow(int64_t row, double *to, Row *) {
  tensor.readFloats(row * getRowLength(), getRowLength(), to);
  return Error::success();
}

//===-- Projections -------------------------------------------------------===//

Error fovea::reference::readMerged(Node &heads, int64_t row, double *to) {
  llvm::ArrayRef<int64_t> shape = heads.getShape();
  int64_t count = shape[1], length = shape[2], width = shape[3];
  int64_t b = row / length, s = row % length;
  for (int64_t h = 0; h < count; ++h)
    if (Error error = heads.readRow((b * count + h) * length + s,
                                    to + h * width, nullptr))
      return error;
  return Error::success();
}

Expected<std::unique_ptr<Node>>
ProjectNode::create(Node &input, Node &weight, Node *bias, int64_t resultRank,
                    int64_t splitHeads, const Settings &settings) {
  llvm::ArrayRef<int64_t> from = input.getShape();
  int64_t batch = from.size() == 2 ? 1 : from[0];
  int64_t length = from[from.size() - 2];
  int64_t width = from.size() == 4 ? from[1] * from[3] : from.back();
  int64_t columns = weight.getShape()[1];
  if (weight.getShape()[0] != width || (resultRank == 2 && batch != 1))
    return llvm::createStringError("a projection can't match input " +
                                   formatShape(from) + " and weight " +
                                   formatShape(weight.getShape()));
  llvm::SmallVector<int64_t> shape;
  if (resultRank == 4)
    shape = {batch, splitHeads, length, columns / splitHeads};
  else if (resultRank == 3)
    shape = {batch, length, columns};
  else
    shape = {length, columns};
  return std::make_unique<ProjectNode>(input.getType(), shape, input, weight,
                                       bias, settings);
}

Error ProjectNode::prepare() {
  if (!matrix.empty())
    return Error::success();
  int64_t rows = weight.getShape()[0], columns = weight.getShape()[1];
  matrix.resize(rows * columns);
  tokens.resize(rows);
  for (int64_t row = 0; row < rows; ++row)
    if (Error error =
            weight.readRow(row, matrix.data() + row * columns, nullptr))
      return error;
  offsets.assign(columns, 0.0);
  if (bias)
    if (Error error = bias->readRow(0, offsets.data(), nullptr))
      return error;
  if (getShape().size() == 4)
    heads.resize(getShape()[0] * getShape()[1]);
  return Error::success();
}

Error ProjectNode::readTokens(int64_t token) {
  return input.getShape().size() == 4
             ? readMerged(input, token, tokens.data())
             : input.readRow(token, tokens.data(), nullptr);
}

/// Columns [column, column + columns) of the product of the token's row.
void ProjectNode::multiply(int64_t column, int64_t columns, double *to) const {
  int64_t stride = weight.getShape()[1];
  auto accumulate = [&](auto *sums) {
    using Real = std::remove_pointer_t<decltype(sums)>;
    for (size_t m = 0; m < tokens.size(); ++m) {
      Real x = Real(tokens[m]);
      const double *row = matrix.data() + m * stride + column;
      for (int64_t n = 0; n < columns; ++n)
        sums[n] += x * Real(row[n]);
    }
    for (int64_t n = 0; n < columns; ++n)
      to[n] = roundTo(settings.emulate ? getType() : HostType::F64,
                      sums[n] + Real(offsets[column + n]));
  };
  if (settings.emulate && getType() != HostType::F64)
    accumulate(std::vector<float>(columns).data());
  else
    accumulate(std::vector<double>(columns).data());
}

/// Sizes of the terms that the columns sum up.
void ProjectNode::measure(Row &details) const {
  int64_t columns = weight.getShape()[1];
  details.magnitudes.resize(columns);
  for (int64_t n = 0; n < columns; ++n) {
    double sum = std::fabs(offsets[n]);
    for (size_t m = 0; m < tokens.size(); ++m)
      sum += std::fabs(tokens[m] * matrix[m * columns + n]);
    details.magnitudes[n] = sum;
  }
  details.logits = settings.largestLogits;
}

Error ProjectNode::readRow(int64_t row, double *to, Row *details) {
  if (Error error = prepare())
    return error;
  int64_t width = getRowLength();
  if (getShape().size() != 4) {
    if (Error error = readTokens(row))
      return error;
    multiply(0, width, to);
    if (details)
      measure(*details);
    return Error::success();
  }
  int64_t length = getShape()[2];
  int64_t head = row / length;
  std::vector<double> &values = heads[head];
  if (values.empty()) {
    values.resize(length * width);
    int64_t b = head / getShape()[1], h = head % getShape()[1];
    for (int64_t s = 0; s < length; ++s) {
      if (Error error = readTokens(b * length + s))
        return error;
      multiply(h * width, width, values.data() + s * width);
    }
  }
  std::copy_n(values.data() + row % length * width, width, to);
  return Error::success();
}

//===-- Merged heads ------------------------------------------------------===//

Expected<std::unique_ptr<Node>> MergeHeadsNode::create(Node &input,
                                                       int64_t resultRank) {
  llvm::ArrayRef<int64_t> from = input.getShape();
  llvm::SmallVector<int64_t> shape = {from[0], from[2], from[1] * from[3]};
  if (resultRank == 4)
    shape = {from[0], from[2], from[1], from[3]};
  if (resultRank == 2) {
    if (from[0] != 1)
      return llvm::createStringError(
          "attn.merge_heads expects a batch of 1 for a result of rank 2, but "
          "got " +
          llvm::Twine(from[0]));
    shape.erase(shape.begin());
  }
  return std::make_unique<MergeHeadsNode>(shape, input);
}

Error MergeHeadsNode::readRow(int64_t row, double *to, Row *details) {
  if (getShape().size() < 4)
    return readMerged(input, row, to);
  int64_t length = getShape()[1], heads = getShape()[2];
  int64_t head = row % heads, s = row / heads % length,
          b = row / heads / length;
  return input.readRow((b * heads + head) * length + s, to, details);
}

//===-- Split heads -------------------------------------------------------===//

llvm::SmallVector<int64_t> SplitHeadsNode::splitShape(Node &input,
                                                      int64_t heads) {
  llvm::ArrayRef<int64_t> from = input.getShape();
  if (from.size() == 4)
    return {from[0], from[2], from[1], from[3]};
  return {from[0], heads, from[1], from[2] / heads};
}

Error SplitHeadsNode::readRow(int64_t row, double *to, Row *) {
  int64_t heads = getShape()[1], length = getShape()[2], width = getShape()[3];
  int64_t s = row % length, head = row / length % heads,
          b = row / length / heads;
  if (input.getShape().size() == 4)
    return input.readRow((b * length + s) * heads + head, to, nullptr);
  token.resize(heads * width);
  if (Error error = input.readRow(b * length + s, token.data(), nullptr))
    return error;
  std::copy_n(token.data() + head * width, width, to);
  return Error::success();
}
