//===- Node.h - the tensors of a kernel, computed when asked --------------===//

#ifndef FOVEA_LIB_REFERENCE_NODE_H
#define FOVEA_LIB_REFERENCE_NODE_H

#include "Program.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Reference/Reference.h"

namespace fovea::reference {

/// What all nodes of one evaluation share.
struct Settings {
  bool emulate = false;
  double largestLogits = 0;
};

/// A tensor of a kernel. Rows run along the last dim.
class Node {
public:
  Node(HostType type, llvm::ArrayRef<int64_t> shape, int64_t rowLength)
      : type(type), shape(shape), rowLength(rowLength) {}
  virtual ~Node();

  HostType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRowLength() const { return rowLength; }
  int64_t getNumRows() const;

  /// Writes row number `row` to `to`, and what is known about it to `details`
  /// if that is not null.
  virtual llvm::Error readRow(int64_t row, double *to, Row *details) = 0;

  /// The whole tensor, as tensor.extract reads it.
  virtual llvm::Expected<const HostTensor *> asTensor();

private:
  HostType type;
  llvm::SmallVector<int64_t> shape;
  int64_t rowLength;
  std::optional<HostTensor> whole;
};

/// An input or a constant.
class GivenNode : public Node {
public:
  GivenNode(const HostTensor &tensor)
      : Node(tensor.getType(), tensor.getShape(),
             tensor.getRank() ? tensor.getShape().back() : 1),
        tensor(tensor) {}
  GivenNode(std::unique_ptr<HostTensor> tensor)
      : GivenNode(static_cast<const HostTensor &>(*tensor)) {
    owned = std::move(tensor);
  }

  llvm::Error readRow(int64_t row, double *to, Row *details) override;
  llvm::Expected<const HostTensor *> asTensor() override { return &tensor; }

private:
  std::unique_ptr<HostTensor> owned;
  const HostTensor &tensor;
};

/// attn.project. Rank-4 results are computed a head at a time and kept, since
/// every query reads all keys and values of its head.
class ProjectNode : public Node {
public:
  /// A result of rank 4 has its heads apart, as many as `splitHeads`.
  static llvm::Expected<std::unique_ptr<Node>>
  create(Node &input, Node &weight, Node *bias, int64_t resultRank,
         int64_t splitHeads, const Settings &settings);
  ProjectNode(HostType type, llvm::ArrayRef<int64_t> shape, Node &input,
              Node &weight, Node *bias, const Settings &settings)
      : Node(type, shape, shape.back()), input(input), weight(weight),
        bias(bias), settings(settings) {}

  llvm::Error readRow(int64_t row, double *to, Row *details) override;

private:
  llvm::Error prepare();
  llvm::Error readTokens(int64_t token);
  void multiply(int64_t column, int64_t columns, double *to) const;
  void measure(Row &details) const;

  Node &input, &weight;
  Node *bias;
  const Settings &settings;
  /// The weight and the bias as doubles, read at first use.
  std::vector<double> matrix, offsets;
  /// One token's width.
  std::vector<double> tokens;
  std::vector<std::vector<double>> heads;
};

/// attn.split_heads: [B,S,H*D] or [B,S,H,D] as [B,H,S,D].
class SplitHeadsNode : public Node {
public:
  SplitHeadsNode(Node &input, int64_t heads)
      : Node(input.getType(), splitShape(input, heads),
             splitShape(input, heads).back()),
        input(input) {}
  llvm::Error readRow(int64_t row, double *to, Row *details) override;

private:
  static llvm::SmallVector<int64_t> splitShape(Node &input, int64_t heads);

  Node &input;
  std::vector<double> token;
};

/// attn.merge_heads.
class MergeHeadsNode : public Node {
public:
  static llvm::Expected<std::unique_ptr<Node>> create(Node &input,
                                                      int64_t resultRank);
  MergeHeadsNode(llvm::ArrayRef<int64_t> shape, Node &input)
      : Node(input.getType(), shape, shape.back()), input(input) {}
  llvm::Error readRow(int64_t row, double *to, Row *details) override;

private:
  Node &input;
};

/// Reads token `row` of heads [B,H,S,D], side by side.
llvm::Error readMerged(Node &heads, int64_t row, double *to);

/// The operands and regions that attn.sdpa and attn.sdpa_weights share, with
/// the scores that they give.
class Scores {
public:
  static llvm::Expected<std::unique_ptr<Scores>>
  create(mlir::Operation *op, Node &query, Node &key, double scale,
         mlir::Region &offset, mlir::Region &score, mlir::Region &mask,
         Environment &environment, const Settings &settings);

  /// Computes `values` and `keep` for one row (b, h, i), by its number.
  llvm::Error compute(int64_t row);

  /// How many keys of rows the mask allows, in all rows; a sample of them is
  /// taken to evaluate at most `budget` elements.
  llvm::Expected<double> countAllowed(int64_t budget);
  double countAll() const;

  HostType type = HostType::F32;
  int64_t batch = 0, heads = 0, kvHeads = 0, queries = 0, keys = 0, depth = 0;
  std::vector<double> values;
  std::vector<uint8_t> keep;
  bool isEmpty = true;

private:
  Scores(Node &query, Node &key, double scale, const Settings &settings)
      : query(query), key(key), scale(scale), settings(settings) {}
  llvm::Error checkSizes();
  llvm::Expected<int64_t> getOffset(int64_t b);
  double dot(const double *a, const double *b) const;

  Node &query, &key;
  double scale;
  const Settings &settings;
  std::unique_ptr<Program> offset, score, mask;
  std::vector<double> queryRow, keyRow;
};

/// The rows of attn.sdpa, kept one at a time so that out and lse share them.
class Attention {
public:
  Attention(std::unique_ptr<Scores> scores, Node &value, Settings &settings)
      : scores(std::move(scores)), value(value), settings(settings) {}
  llvm::Error compute(int64_t row);

  std::unique_ptr<Scores> scores;
  Row row;
  double lse = 0;

private:
  llvm::Error computeExact();
  llvm::Error computeEmulated();
  llvm::Error forEachValue(
      int64_t first, int64_t last,
      llvm::function_ref<void(int64_t key, const double *value)> visit);

  Node &value;
  Settings &settings;
  int64_t current = -1;
  std::vector<double> valueRow;
};

class OutNode : public Node {
public:
  OutNode(HostType type, llvm::ArrayRef<int64_t> shape, Attention &attention)
      : Node(type, shape, shape.back()), attention(attention) {}
  llvm::Error readRow(int64_t row, double *to, Row *details) override;

private:
  Attention &attention;
};

class LseNode : public Node {
public:
  LseNode(HostType type, llvm::ArrayRef<int64_t> shape, Attention &attention)
      : Node(type, shape, 1), attention(attention) {}
  llvm::Error readRow(int64_t row, double *to, Row *details) override;

private:
  Attention &attention;
};

/// attn.sdpa_weights.
class WeightsNode : public Node {
public:
  WeightsNode(HostType type, llvm::ArrayRef<int64_t> shape,
              std::unique_ptr<Scores> scores, Node &lse, Settings &settings)
      : Node(type, shape, shape.back()), scores(std::move(scores)), lse(lse),
        settings(settings) {}
  llvm::Error readRow(int64_t row, double *to, Row *details) override;
  Scores &getScores() { return *scores; }

private:
  llvm::Error readEmulated(double *to);

  std::unique_ptr<Scores> scores;
  Node &lse;
  Settings &settings;
};

} // namespace fovea::reference

#endif // FOVEA_LIB_REFERENCE_NODE_H
