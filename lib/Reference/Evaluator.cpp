//===- Evaluator.cpp - a kernel's function as a graph of nodes ------------===//

#include "Node.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace fovea;
using namespace fovea::reference;
using namespace mlir;
using llvm::Error;
using llvm::Expected;

namespace {

/// Whether a tensor in memory can be an argument of this type. Indices are i32
/// or i64 in memory, and bools bytes.
bool canHold(HostType type, Type element) {
  if (element.isInteger(1))
    return type == HostType::Bool || type == HostType::U8;
  if (element.isIndex() || element.isInteger(32) || element.isInteger(64))
    return type == HostType::I32 || type == HostType::I64;
  return (element.isF64() && type == HostType::F64) ||
         (element.isF32() && type == HostType::F32) ||
         (element.isF16() && type == HostType::F16) ||
         (element.isBF16() && type == HostType::BF16);
}

} // namespace

struct Evaluator::Impl : Environment {
  Error build(func::FuncOp kernel, llvm::ArrayRef<const HostTensor *> inputs);
  std::optional<Scalar> getScalar(Value value) override;
  Expected<const HostTensor *> getTensor(Value value) override;

  Settings settings;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<Attention>> attentions;
  llvm::DenseMap<Value, Node *> tensors;
  llvm::DenseMap<Value, Scalar> scalars;
  llvm::SmallVector<Node *> outputs;
  /// Flops of projections; scores with the flops of each element.
  double projectionFlops = 0;
  llvm::SmallVector<std::pair<Scores *, double>> work;

private:
  Node &keep(std::unique_ptr<Node> node) {
    nodes.push_back(std::move(node));
    return *nodes.back();
  }
  Error addArgument(BlockArgument argument, const HostTensor &tensor);
  Error add(Operation &op);
  Error addConstant(arith::ConstantOp op);
  Error addLayer(attn::LayerOp op);
  Expected<Node *> addProject(Node &input, Node &weight, Node *bias,
                              int64_t resultRank, int64_t splitHeads);
  /// Nodes of out and lse.
  template <typename Op>
  Expected<std::pair<Node *, Node *>> addSdpa(Op op, Node &query, Node &key,
                                              Node &value);
  template <typename Op>
  Expected<Node *> addWeights(Op op, Node &query, Node &key, Node &lse);
  Expected<Node *> getNode(Value value);
};

std::optional<Scalar> Evaluator::Impl::getScalar(Value value) {
  auto it = scalars.find(value);
  return it == scalars.end() ? std::nullopt : std::optional(it->second);
}

Expected<Node *> Evaluator::Impl::getNode(Value value) {
  if (Node *node = tensors.lookup(value))
    return node;
  return llvm::createStringError(
      "the reference evaluator doesn't know a tensor that an operation reads");
}

Expected<const HostTensor *> Evaluator::Impl::getTensor(Value value) {
  Expected<Node *> node = getNode(value);
  return node ? (*node)->asTensor() : node.takeError();
}

Error Evaluator::Impl::addArgument(BlockArgument argument,
                                   const HostTensor &tensor) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  bool fits = type && canHold(tensor.getType(), type.getElementType()) &&
              type.getRank() == tensor.getRank();
  for (int64_t dim = 0; fits && dim < type.getRank(); ++dim)
    fits = type.isDynamicDim(dim) ||
           type.getDimSize(dim) == tensor.getShape()[dim];
  if (!fits) {
    std::string text;
    llvm::raw_string_ostream(text) << argument.getType();
    return llvm::createStringError(
        "argument " + llvm::Twine(argument.getArgNumber()) + " expects a " +
        text + ", but got " + formatShape(tensor.getShape()) + " of " +
        getHostTypeName(tensor.getType()));
  }
  tensors[argument] = &keep(std::make_unique<GivenNode>(tensor));
  return Error::success();
}

Error Evaluator::Impl::addConstant(arith::ConstantOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  Type element = type.getElementType();
  if (!elements || !element.isIntOrIndexOrFloat())
    return llvm::createStringError("the reference evaluator doesn't know this "
                                   "kind of tensor constant");
  bool isFloat = isa<FloatType>(element);
  auto tensor = HostTensor::create(isFloat ? HostType::F64 : HostType::I64,
                                   type.getShape());
  if (!tensor)
    return tensor.takeError();
  int64_t index = 0;
  if (isFloat)
    for (APFloat value : elements.getValues<APFloat>())
      tensor->setFloat(index++, value.convertToDouble());
  else
    for (APInt value : elements.getValues<APInt>())
      tensor->setInteger(index++, value.getSExtValue());
  tensors[op.getResult()] = &keep(std::make_unique<GivenNode>(
      std::make_unique<HostTensor>(std::move(*tensor))));
  return Error::success();
}

template <typename Op>
Expected<std::pair<Node *, Node *>>
Evaluator::Impl::addSdpa(Op op, Node &query, Node &key, Node &value) {
  std::optional<Scalar> scale = getScalar(op.getScale());
  if (!scale)
    return llvm::createStringError("the scale of " +
                                   op->getName().getStringRef() +
                                   " is no value that is known");
  auto scores = Scores::create(op, query, key, scale->f, op.getOffset(),
                               op.getScore(), op.getMask(), *this, settings);
  if (!scores)
    return scores.takeError();
  llvm::ArrayRef<int64_t> v = value.getShape();
  Scores &made = **scores;
  if (v[0] != made.batch || v[1] != made.kvHeads || v[2] != made.keys)
    return llvm::createStringError(
        op->getName().getStringRef() + " can't match key " +
        formatShape(key.getShape()) + " and value " + formatShape(v));
  work.emplace_back(&made, 2.0 * (made.depth + v[3]));
  attentions.push_back(
      std::make_unique<Attention>(std::move(*scores), value, settings));
  Attention &attention = *attentions.back();
  HostType type = query.getType();
  int64_t rows[] = {made.batch, made.heads, made.queries, v[3]};
  Node &out = keep(std::make_unique<OutNode>(type, rows, attention));
  Node &lse = keep(std::make_unique<LseNode>(
      type == HostType::F64 ? HostType::F64 : HostType::F32,
      llvm::ArrayRef(rows).drop_back(), attention));
  return std::pair(&out, &lse);
}

template <typename Op>
Expected<Node *> Evaluator::Impl::addWeights(Op op, Node &query, Node &key,
                                             Node &lse) {
  std::optional<Scalar> scale = getScalar(op.getScale());
  if (!scale)
    return llvm::createStringError("the scale of " +
                                   op->getName().getStringRef() +
                                   " is no value that is known");
  auto scores = Scores::create(op, query, key, scale->f, op.getOffset(),
                               op.getScore(), op.getMask(), *this, settings);
  if (!scores)
    return scores.takeError();
  Scores &made = **scores;
  work.emplace_back(&made, 2.0 * made.depth);
  int64_t shape[] = {made.batch, made.heads, made.queries, made.keys};
  return &keep(std::make_unique<WeightsNode>(
      query.getType(), shape, std::move(*scores), lse, settings));
}

Expected<Node *> Evaluator::Impl::addProject(Node &input, Node &weight,
                                             Node *bias, int64_t resultRank,
                                             int64_t splitHeads) {
  auto node = ProjectNode::create(input, weight, bias, resultRank, splitHeads,
                                  settings);
  if (!node)
    return node.takeError();
  double elements = 1;
  for (int64_t size : (*node)->getShape())
    elements *= double(size);
  projectionFlops += 2 * elements * double(weight.getShape()[0]);
  return &keep(std::move(*node));
}

Error Evaluator::Impl::addLayer(attn::LayerOp op) {
  llvm::SmallVector<Node *> operands;
  for (Value value : {Value(op.getInput()), Value(op.getSource()),
                      Value(op.getWq()), Value(op.getWk()), Value(op.getWv()),
                      Value(op.getWo()), Value(op.getBq()), Value(op.getBk()),
                      Value(op.getBv()), Value(op.getBo())}) {
    if (!value) {
      operands.push_back(nullptr);
      continue;
    }
    Expected<Node *> node = getNode(value);
    if (!node)
      return node.takeError();
    operands.push_back(*node);
  }
  auto [x, source, wq, wk, wv, wo, bq, bk, bv, bo] = std::tuple(
      operands[0], operands[1], operands[2], operands[3], operands[4],
      operands[5], operands[6], operands[7], operands[8], operands[9]);
  Node &context = source ? *source : *x;
  int64_t heads = op.getQueryHeads(), kvHeads = op.getKvHeads();
  Expected<Node *> query = addProject(*x, *wq, bq, 4, heads);
  if (!query)
    return query.takeError();
  Expected<Node *> key = addProject(context, *wk, bk, 4, kvHeads);
  if (!key)
    return key.takeError();
  Expected<Node *> value = addProject(context, *wv, bv, 4, kvHeads);
  if (!value)
    return value.takeError();
  auto results = addSdpa(op, **query, **key, **value);
  if (!results)
    return results.takeError();
  auto [heads4, lse] = *results;
  int64_t rank = op.getOut().getType().getRank();
  if (wo) {
    Expected<Node *> out = addProject(*heads4, *wo, bo, rank, 0);
    if (!out)
      return out.takeError();
    tensors[op.getOut()] = *out;
  } else {
    auto out = MergeHeadsNode::create(*heads4, rank);
    if (!out)
      return out.takeError();
    tensors[op.getOut()] = &keep(std::move(*out));
  }
  if (op.getLse())
    tensors[op.getLse()] = lse;
  if (op.getWeights()) {
    Expected<Node *> weights = addWeights(op, **query, **key, *lse);
    if (!weights)
      return weights.takeError();
    tensors[op.getWeights()] = *weights;
  }
  return Error::success();
}

Error Evaluator::Impl::add(Operation &op) {
  llvm::SmallVector<Node *> operands;
  if (isa_and_nonnull<attn::AttnDialect>(op.getDialect()) &&
      !isa<attn::LayerOp>(op))
    for (Value value : op.getOperands()) {
      if (!isa<TensorType>(value.getType()))
        continue;
      Expected<Node *> node = getNode(value);
      if (!node)
        return node.takeError();
      operands.push_back(*node);
    }
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && isa<RankedTensorType>(constant.getType()))
    return addConstant(constant);
  if (auto layer = dyn_cast<attn::LayerOp>(op))
    return addLayer(layer);
  if (auto sdpa = dyn_cast<attn::SdpaOp>(op)) {
    auto results = addSdpa(sdpa, *operands[0], *operands[1], *operands[2]);
    if (!results)
      return results.takeError();
    tensors[sdpa.getOut()] = results->first;
    if (sdpa.getLse())
      tensors[sdpa.getLse()] = results->second;
    return Error::success();
  }
  Expected<Node *> node = nullptr;
  if (auto weights = dyn_cast<attn::SdpaWeightsOp>(op)) {
    node = addWeights(weights, *operands[0], *operands[1], *operands[2]);
  } else if (auto project = dyn_cast<attn::ProjectOp>(op)) {
    RankedTensorType type = project.getResult().getType();
    node = addProject(*operands[0], *operands[1],
                      project.getBias() ? operands[2] : nullptr, type.getRank(),
                      type.getRank() == 4 ? type.getDimSize(1) : 0);
  } else if (auto split = dyn_cast<attn::SplitHeadsOp>(op)) {
    node = &keep(std::make_unique<SplitHeadsNode>(
        *operands[0], split.getResult().getType().getDimSize(1)));
  } else if (auto merge = dyn_cast<attn::MergeHeadsOp>(op)) {
    auto merged = MergeHeadsNode::create(*operands[0],
                                         merge.getResult().getType().getRank());
    if (!merged)
      return merged.takeError();
    node = &keep(std::move(*merged));
  } else {
    auto values = Program::evaluate(op, *this, settings.emulate);
    if (!values)
      return values.takeError();
    scalars[op.getResult(0)] = values->front();
    return Error::success();
  }
  if (!node)
    return node.takeError();
  tensors[op.getResult(0)] = *node;
  return Error::success();
}

Error Evaluator::Impl::build(func::FuncOp kernel,
                             llvm::ArrayRef<const HostTensor *> inputs) {
  if (kernel.isExternal() || kernel.getNumArguments() != inputs.size())
    return llvm::createStringError(
        "the kernel takes " + llvm::Twine(kernel.getNumArguments()) +
        " inputs, but got " + llvm::Twine(inputs.size()));
  if (!kernel.getBody().hasOneBlock())
    return llvm::createStringError(
        "the reference evaluator expects a kernel of one block");
  for (auto [argument, tensor] : llvm::zip(kernel.getArguments(), inputs))
    if (Error error = addArgument(argument, *tensor))
      return error;
  Block &body = kernel.front();
  for (Operation &op : body.without_terminator())
    if (Error error = add(op))
      return error;
  for (Value value : body.getTerminator()->getOperands()) {
    Expected<Node *> node = getNode(value);
    if (!node)
      return node.takeError();
    outputs.push_back(*node);
  }
  return Error::success();
}

//===-- Interface ---------------------------------------------------------===//

Evaluator::Evaluator(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Evaluator::~Evaluator() = default;

Expected<std::unique_ptr<Evaluator>>
Evaluator::create(func::FuncOp kernel,
                  llvm::ArrayRef<const HostTensor *> inputs, Mode mode) {
  auto impl = std::make_unique<Impl>();
  impl->settings.emulate = mode == Mode::Emulated;
  if (Error error = impl->build(kernel, inputs))
    return error;
  return std::unique_ptr<Evaluator>(new Evaluator(std::move(impl)));
}

unsigned Evaluator::getNumOutputs() const { return impl->outputs.size(); }

llvm::ArrayRef<int64_t> Evaluator::getShape(unsigned output) const {
  return impl->outputs[output]->getShape();
}

HostType Evaluator::getType(unsigned output) const {
  return impl->outputs[output]->getType();
}

int64_t Evaluator::getNumRows(unsigned output) const {
  return impl->outputs[output]->getNumRows();
}

int64_t Evaluator::getRowLength(unsigned output) const {
  return impl->outputs[output]->getRowLength();
}

double Evaluator::getLargestLogits() const {
  return impl->settings.largestLogits;
}

Error Evaluator::evaluateRow(unsigned output, int64_t number, Row &row) {
  // What a node knows of a row may replace the values too.
  llvm::SmallVector<double, 0> values(getRowLength(output));
  row = Row();
  if (Error error = impl->outputs[output]->readRow(number, values.data(), &row))
    return error;
  row.values = std::move(values);
  return Error::success();
}

Expected<HostTensor> Evaluator::evaluate(unsigned output) {
  Node &node = *impl->outputs[output];
  auto tensor = HostTensor::create(node.getType(), node.getShape());
  if (!tensor)
    return tensor.takeError();
  llvm::SmallVector<double, 0> values(node.getRowLength());
  for (int64_t row = 0; row < node.getNumRows(); ++row) {
    if (Error error = node.readRow(row, values.data(), nullptr))
      return error;
    for (auto [column, value] : llvm::enumerate(values))
      tensor->setFloat(row * node.getRowLength() + column, value);
  }
  return tensor;
}

Expected<Work> Evaluator::measureWork(int64_t budget) {
  Work total;
  total.flops = impl->projectionFlops;
  for (auto [scores, flops] : impl->work) {
    Expected<double> allowed = scores->countAllowed(budget);
    if (!allowed)
      return allowed.takeError();
    total.flops += *allowed * flops;
    total.allowedScores += *allowed;
    total.allScores += scores->countAll();
  }
  return total;
}
