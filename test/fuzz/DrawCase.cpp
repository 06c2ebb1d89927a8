//===- DrawCase.cpp - draws kernels ---------------------------------------===//

#include "Case.h"
#include "DrawExpr.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace fovea;
using namespace fovea::fuzz;

uint64_t fuzz::mix(uint64_t seed, uint64_t number) {
  return Random(seed ^ (number * 0xd1342543de82ef95 + 0x2545f4914f6cdd1d))
      .next();
}

bool Case::isPositional() const {
  return hasMask(MaskEntry::Causal) || hasMask(MaskEntry::Window) ||
         findScore(ScoreEntry::Alibi) || findScore(ScoreEntry::AlibiInput) ||
         llvm::any_of(mask, [](auto &entry) { return entry.usesPosition; }) ||
         llvm::any_of(score, [](auto &entry) { return entry.usesPosition; });
}

bool Case::hasMask(MaskEntry::Form form) const {
  return llvm::any_of(mask, [=](auto &entry) { return entry.form == form; });
}

const ScoreEntry *Case::findScore(ScoreEntry::Form form) const {
  for (const ScoreEntry &entry : score)
    if (entry.form == form)
      return &entry;
  return nullptr;
}

template <typename Entries> static bool readsIndices(const Entries &entries) {
  for (const auto &entry : entries)
    for (const Capture &capture : entry.captures)
      if (capture.dtype[0] == 'i')
        return true;
  return false;
}

bool Case::hasIndexInput() const {
  return hasMask(MaskEntry::KvLengths) || hasMask(MaskEntry::QLengths) ||
         offset == OffsetInput || readsIndices(mask) || readsIndices(score);
}

namespace {

class Drawer {
public:
  explicit Drawer(uint64_t seed) : dice(seed) { drawn.seed = seed; }

  Case draw() {
    drawn.dtype = dice.pick({"f32", "f32", "f16", "bf16", "f64"});
    drawn.target = dice.onceIn(3) ? "x86-64-v3" : "host";
    drawn.kind = dice.pick({Kind::Sdpa, Kind::Sdpa, Kind::Sdpa, Kind::Sdpa,
                            Kind::SelfLayer, Kind::CrossLayer});
    drawHeads();
    if (drawn.isLayer())
      drawLayer();
    else
      drawn.layout = dice.pick({"bhsd", "bhsd", "bshd", "bsd"});
    drawn.anyBatch = !drawn.isFlat && dice.onceIn(2);
    drawn.anyQuery = dice.onceIn(2);
    drawn.anyKv =
        drawn.kind == Kind::SelfLayer ? drawn.anyQuery : dice.onceIn(2);
    drawScale();
    drawScore();
    drawMask();
    drawOutputs();
    drawOffset();
    drawCalls(dice, drawn);
    needOffset();
    return std::move(drawn);
  }

private:
  void drawHeads() {
    drawn.kvHeads = dice.pick<int64_t>({1, 1, 1, 2, 2, 3, 5});
    drawn.heads = drawn.kvHeads * dice.pick<int64_t>({1, 1, 1, 2, 3, 4, 7});
    if (drawn.heads > 12)
      drawn.heads = drawn.kvHeads * 2;
    drawn.qkDim = drawDim();
    drawn.vDim = dice.onceIn(2) ? drawn.qkDim : drawDim();
  }

  int64_t drawDim() {
    switch (dice.upTo(7)) {
    case 0:
      return 1;
    case 1:
      return dice.between(2, 15);
    case 2:
      return dice.pick<int64_t>({17, 19, 23, 31, 37, 61, 67, 97, 113, 127});
    case 3:
      return 16 * dice.between(1, 4);
    case 4:
      return dice.pick<int64_t>({64, 72, 80, 96, 128});
    case 5:
      return dice.pick<int64_t>({127, 128, 129, 130});
    default:
      return dice.between(1, 40);
    }
  }

  void drawLayer() {
    drawn.isFlat = dice.onceIn(4);
    drawn.modelDim = drawDim();
    drawn.contextDim = drawn.kind == Kind::CrossLayer && dice.onceIn(2)
                           ? drawDim()
                           : drawn.modelDim;
    drawn.outDim = dice.onceIn(2) ? drawDim() : 0;
    for (char letter : {'q', 'k', 'v', 'o'})
      if (dice.onceIn(3) && (letter != 'o' || drawn.outDim))
        drawn.biases += letter;
  }

  void drawScale() {
    switch (dice.upTo(7)) {
    case 0:
      drawn.scale = Case::ScaleInput;
      return;
    case 1:
    case 2:
      drawn.scale = Case::Number;
      drawn.scaleValue = dice.pick({0.125, 1.0, 0.3, 2.5});
      return;
    case 3:
      drawn.scale = Case::Number;
      drawn.scaleValue = dice.pick({-0.25, -1.0});
      return;
    case 4:
      drawn.scale = Case::Number;
      drawn.scaleValue = 0;
      return;
    default:
      return;
    }
  }

  std::array<bool, 4> drawBroadcast() {
    if (dice.onceIn(3))
      return {true, true, true, true};
    return {dice.onceIn(2), dice.onceIn(2), dice.onceIn(2), dice.onceIn(2)};
  }

  void drawScore() {
    int64_t count = dice.pick<int64_t>({0, 0, 1, 1, 2, 3});
    for (int64_t n = 0; n < count; ++n) {
      std::string prefix = "t" + std::to_string(n) + "_";
      switch (dice.upTo(5)) {
      case 0: {
        ScoreEntry entry{ScoreEntry::Softcap};
        entry.cap = dice.pick({0.5, 5.0, 30.0, 50.0, 1000.0});
        drawn.score.push_back(entry);
        break;
      }
      case 1:
      case 2: {
        ScoreEntry entry{ScoreEntry::Bias};
        entry.full = drawBroadcast();
        entry.name = "bias" + std::to_string(n);
        drawn.score.push_back(entry);
        break;
      }
      case 3:
        if (!drawn.findScore(ScoreEntry::Alibi) &&
            !drawn.findScore(ScoreEntry::AlibiInput))
          drawn.score.push_back(
              {dice.onceIn(2) ? ScoreEntry::AlibiInput : ScoreEntry::Alibi});
        break;
      default:
        drawn.score.push_back(
            drawScoreExpr(dice, drawn, prefix, dice.onceIn(2)));
        break;
      }
    }
  }

  void drawMask() {
    int64_t count = dice.pick<int64_t>({0, 1, 1, 1, 2, 2, 3});
    for (int64_t n = 0; n < count; ++n)
      drawMaskEntry(std::to_string(n));
  }

  void add(MaskEntry entry) {
    // Some can be listed once only.
    if (entry.form == MaskEntry::Window || entry.form == MaskEntry::Tensor ||
        entry.form == MaskEntry::Expr || !drawn.hasMask(entry.form))
      drawn.mask.push_back(std::move(entry));
  }

  void drawMaskEntry(const std::string &number) {
    switch (dice.upTo(10)) {
    case 0:
    case 1:
      return add({MaskEntry::Causal});
    case 2: {
      MaskEntry entry{MaskEntry::Window};
      entry.left = dice.pick<int64_t>({-1, 0, 1, 3, 16, 47, 127, 128, 200});
      entry.right = dice.pick<int64_t>({-1, -1, 0, 1, 5, 48, 127, 130});
      return add(entry);
    }
    case 3:
    case 4:
      return add({MaskEntry::KvLengths});
    case 5:
      return add({MaskEntry::QLengths});
    case 6: {
      MaskEntry entry{MaskEntry::Tensor};
      entry.full = drawBroadcast();
      entry.name = "mask" + number;
      return add(entry);
    }
    case 7:
      return add(dice.onceIn(2) ? drawDocuments(dice) : drawPrefix(dice));
    case 8: {
      MaskEntry entry{MaskEntry::Region};
      entry.regionSeed = dice.next();
      entry.usesPosition = true;
      return add(entry);
    }
    default:
      return add(drawMaskExpr(dice, drawn, "u" + number + "_", dice.onceIn(2)));
    }
  }

  void drawOutputs() {
    switch (dice.upTo(6)) {
    case 0:
      drawn.hasOut = false;
      drawn.hasLse = true;
      break;
    case 1:
      drawn.hasOut = false;
      drawn.hasWeights = true;
      drawn.hasLse = dice.onceIn(2);
      break;
    case 2:
    case 3:
      drawn.hasLse = true;
      drawn.hasWeights = dice.onceIn(3);
      break;
    default:
      drawn.hasWeights = dice.onceIn(4);
      break;
    }
  }

  void drawOffset() {
    switch (dice.upTo(6)) {
    case 0:
      drawn.offset = Case::End;
      break;
    case 1:
      drawn.offset = Case::OffsetInput;
      break;
    case 2:
    case 3:
      drawn.offset = Case::Integer;
      drawn.offsetValue =
          dice.pick<int64_t>({0, 0, 1, 5, 47, 128, -1, -3, -50, -200});
      break;
    default:
      break;
    }
  }

  /// An absent offset is refused where positions matter and lengths differ.
  void needOffset() {
    bool agree = drawn.kind == Kind::SelfLayer ||
                 (!drawn.anyQuery && !drawn.anyKv &&
                  drawn.calls.front().query == drawn.calls.front().kv);
    if (drawn.offset != Case::NoOffset || !drawn.isPositional() || agree)
      return;
    drawn.offset = dice.onceIn(2) ? Case::End : Case::Integer;
  }

  Dice dice;
  Case drawn;
};

} // namespace

Case fuzz::drawCase(uint64_t seed) { return Drawer(seed).draw(); }
