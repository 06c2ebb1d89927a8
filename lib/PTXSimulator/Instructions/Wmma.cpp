//===- Wmma.cpp - wmma: matrices in fragments of no stated layout ---------===//
//
// PTX says how many registers a fragment has, and leaves open which elements a
// lane holds. Here lane l holds elements l * n to l * n + n - 1 of the matrix
// in the order of its layout, n being as many as its registers have room for;
// there are copies where that is more than the matrix. A product with another
// layout than that of the load is therefore wrong here, as it is on hardware.
//
// Sums are those of mma.sync: in the order of k, each rounded to nearest.
//
//===----------------------------------------------------------------------===//

#include "../MemoryAccess.h"
#include "Instructions.h"
#include "Lanes.h"
#include "MatrixElement.h"

using namespace fovea::ptx;

namespace {
struct Size {
  llvm::StringLiteral name;
  uint8_t m, n, k;
};
constexpr Size sizes[] = {{"m16n16k16", 16, 16, 16},
                          {"m32n8k16", 32, 8, 16},
                          {"m8n32k16", 8, 32, 16},
                          {"m16n16k8", 16, 16, 8},
                          {"m8n8k4", 8, 8, 4}};
constexpr unsigned maxElements = 512;

enum class Role : uint8_t { A, B, Accumulator };

/// A matrix and how its elements lie in a fragment.
struct Fragment {
  unsigned rows = 0, columns = 0;
  unsigned elementBytes = 0;
  unsigned perLane = 0; // elements
  bool isColumnMajor = false;

  unsigned getRegisterBytes() const { return std::max(elementBytes, 4u); }
  unsigned getPerRegister() const { return getRegisterBytes() / elementBytes; }
  unsigned getNumRegisters() const { return perLane / getPerRegister(); }
  Type getRegisterType() const {
    return getRegisterBytes() == 8 ? Type::B64 : Type::B32;
  }
  /// The number, in the order of rows, of a lane's element.
  unsigned getElement(unsigned lane, unsigned n) const {
    unsigned at = (lane * perLane + n) % (rows * columns);
    return isColumnMajor ? at % rows * columns + at / rows : at;
  }
};

/// Op::detail of loads and stores.
struct MoveShape {
  uint8_t size = 0;
  Role role = Role::A;
  Type type = Type::F16;
  uint8_t spaceAndOrder = 0; // the space, and 128 if column-major
};

/// Op::detail of products.
struct ProductShape {
  uint8_t size = 0;
  MatrixElement element = MatrixElement::F16;
  uint8_t columnMajor = 0; // 1: A, 2: B
  uint8_t halves = 0;      // 1: D, 2: C
};
} // namespace

static Fragment makeFragment(const Size &size, Role role, Type type,
                             bool isColumnMajor) {
  Fragment fragment;
  fragment.rows = role == Role::B ? size.k : size.m;
  fragment.columns = role == Role::A ? size.k : size.n;
  fragment.elementBytes = getTypeBytes(type);
  fragment.perLane = fragment.rows * fragment.columns / warpSize;
  if (type == Type::F16 && role != Role::Accumulator)
    fragment.perLane = 16;
  fragment.isColumnMajor = isColumnMajor;
  return fragment;
}

static bool existsInSize(const Size &size, Type type) {
  if (type == Type::TF32)
    return size.k == 8;
  if (type == Type::F64)
    return size.k == 4;
  return size.k == 16;
}

//===-- Loads and stores --------------------------------------------------===//

/// Rows, or columns, start at multiples of this.
static constexpr uint64_t rowAlignment = 16;

/// Sources are the address, and the distance of rows in elements.
template <bool isStore>
static Flow moveFragment(Warp &warp, const Op &op, Mask mask) {
  if (!hasWholeWarp(warp, mask))
    return Flow::Wait;
  auto shape = std::bit_cast<MoveShape>(op.detail);
  bool byColumns = shape.spaceAndOrder & 128;
  // Accumulators lie in registers the same way, whatever their order in memory.
  Fragment fragment =
      makeFragment(sizes[shape.size], shape.role, shape.type,
                   byColumns && shape.role != Role::Accumulator);
  unsigned bytes = fragment.elementBytes, per = fragment.getPerRegister();
  Row<uint64_t> addresses = warp.readWide(op.source(0));
  Row<uint32_t> strides = warp.read<uint32_t>(op.source(1));
  unsigned first = llvm::countr_zero(mask);
  if ((addresses[first] + op.immediate) % rowAlignment ||
      strides[first] * bytes % rowAlignment)
    warp.report(ReportKind::Misaligned, first,
                "the address and the distance of rows are " +
                    llvm::Twine(addresses[first] + op.immediate) + " and " +
                    llvm::Twine(strides[first] * bytes) +
                    " bytes, not multiples of " + llvm::Twine(rowAlignment));
  auto space = AddressedSpace(shape.spaceAndOrder & 127);
  for (unsigned n = 0; n < fragment.getNumRegisters(); ++n) {
    Row<uint64_t> row = {};
    if (isStore)
      row = warp.readWide(op.source(2 + n));
    for (unsigned part = 0; part < per; ++part) {
      MemoryAccess access(warp, space,
                          isStore ? AccessKind::Write : AccessKind::Read);
      forEachLane(mask, [&](unsigned lane) {
        unsigned element = fragment.getElement(lane, n * per + part);
        uint64_t y = element / fragment.columns, x = element % fragment.columns;
        if (byColumns)
          std::swap(x, y);
        uint64_t address =
            addresses[lane] + op.immediate + (y * strides[lane] + x) * bytes;
        auto *bits = reinterpret_cast<uint8_t *>(&row[lane]) + part * bytes;
        uint8_t *place = access.find(lane, address, bytes, bytes);
        if (!place)
          return;
        if (isStore) {
          access.markInitialized(bytes);
          std::memcpy(place, bits, bytes);
        } else {
          access.checkInitialized(lane, bytes);
          std::memcpy(bits, place, bytes);
        }
      });
    }
    if (!isStore)
      warp.writeWide(op.result(n), row, mask);
  }
  return Flow::Next;
}

static unsigned takeSize(Decoder &decoder) {
  for (unsigned n = 0; n < std::size(sizes); ++n)
    if (decoder.take(sizes[n].name))
      return n;
  decoder.fail("expected the size of a product");
  return 0;
}

/// Takes the first layout; true if it is by columns.
static bool takeOrder(Decoder &decoder) {
  for (llvm::StringRef modifier : decoder.getModifiers())
    if (modifier == "row" || modifier == "col") {
      bool byColumns = modifier == "col";
      decoder.take(modifier);
      return byColumns;
    }
  decoder.fail("expected '.row' or '.col'");
  return false;
}

static void decodeMove(Decoder &decoder, Role role, bool isStore) {
  MoveShape shape;
  shape.role = role;
  shape.size = takeSize(decoder);
  bool isColumnMajor = takeOrder(decoder);
  AddressedSpace space = takeSpace(decoder, AddressedSpace::Generic);
  shape.spaceAndOrder = uint8_t(space) | (isColumnMajor ? 128 : 0);
  shape.type = decoder.takeType();
  const Size &size = sizes[shape.size];
  bool isKnown =
      role == Role::Accumulator
          ? (shape.type == Type::F64) == (size.k == 4) &&
                (shape.type == Type::F16 || shape.type == Type::F32 ||
                 shape.type == Type::S32 || shape.type == Type::F64)
          : getMatrixElement(shape.type) && existsInSize(size, shape.type);
  if (!isKnown)
    return decoder.fail("'wmma' does not exist with this size and type");
  Fragment fragment = makeFragment(size, role, shape.type, isColumnMajor);
  decoder.expectOperands(2, 3);
  if (!isStore)
    decoder.addVector(0, fragment.getRegisterType(), fragment.getNumRegisters(),
                      /*isResult=*/true);
  decoder.op.immediate = decoder.addAddress(isStore ? 0 : 1).offset;
  if (decoder.getNumOperands() == 3)
    decoder.addSource(2, Type::B32);
  else
    decoder.addConstant(isColumnMajor ? fragment.rows : fragment.columns, 4);
  if (isStore)
    decoder.addVector(1, fragment.getRegisterType(), fragment.getNumRegisters(),
                      /*isResult=*/false);
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  decoder.op.isConvergent = true;
  decoder.setHandler(isStore ? moveFragment<true> : moveFragment<false>);
}

//===-- Products ----------------------------------------------------------===//

/// The matrix of a fragment in the order of rows; `decode` is given the bits
/// of an element. Returns the source behind it.
template <typename T, typename Decode>
static unsigned readFragment(Warp &warp, const Op &op, unsigned source,
                             const Fragment &fragment,
                             std::array<T, maxElements> &matrix,
                             Decode decode) {
  unsigned per = fragment.getPerRegister();
  for (unsigned n = 0; n < fragment.getNumRegisters(); ++n) {
    Row<uint64_t> row = warp.readWide(op.source(source++));
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned part = 0; part < per; ++part)
        matrix[fragment.getElement(lane, n * per + part)] =
            decode(row[lane] >> part * fragment.elementBytes * 8);
  }
  return source;
}

static Type getElementType(MatrixElement element) {
  switch (element) {
  case MatrixElement::F16:
    return Type::F16;
  case MatrixElement::BF16:
    return Type::BF16;
  case MatrixElement::TF32:
    return Type::TF32;
  case MatrixElement::F64:
    return Type::F64;
  case MatrixElement::S8:
    return Type::S8;
  case MatrixElement::U8:
    return Type::U8;
  }
  return Type::F16;
}

/// `T` is what is added up, and the type of accumulators that are not halves.
template <typename T>
static Flow multiplyFragments(Warp &warp, const Op &op, Mask mask) {
  if (!hasWholeWarp(warp, mask))
    return Flow::Wait;
  auto shape = std::bit_cast<ProductShape>(op.detail);
  const Size &size = sizes[shape.size];
  Type type = getElementType(shape.element);
  constexpr Type wide = sizeof(T) == 8 ? Type::F64 : Type::F32;
  Fragment a = makeFragment(size, Role::A, type, shape.columnMajor & 1);
  Fragment b = makeFragment(size, Role::B, type, shape.columnMajor & 2);
  Fragment c = makeFragment(size, Role::Accumulator,
                            shape.halves & 2 ? Type::F16 : wide, false);
  Fragment d = makeFragment(size, Role::Accumulator,
                            shape.halves & 1 ? Type::F16 : wide, false);
  static_assert(maxElements >= 32 * 16 && maxElements >= 16 * 32);
  std::array<T, maxElements> as, bs, cs;
  auto decode = [&](uint64_t bits) {
    return decodeElement<T>(shape.element, bits);
  };
  auto decodeSum = [&](uint64_t bits) -> T {
    if (shape.halves & 2)
      return T(Half::decode(bits));
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  };
  unsigned source = readFragment(warp, op, 0, a, as, decode);
  source = readFragment(warp, op, source, b, bs, decode);
  readFragment(warp, op, source, c, cs, decodeSum);
  for (unsigned row = 0; row < size.m; ++row)
    for (unsigned k = 0; k < size.k; ++k)
      for (unsigned column = 0; column < size.n; ++column)
        cs[row * size.n + column] +=
            as[row * size.k + k] * bs[k * size.n + column];

  unsigned per = d.getPerRegister();
  for (unsigned n = 0; n < d.getNumRegisters(); ++n) {
    Row<uint64_t> row = {};
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned part = 0; part < per; ++part) {
        T value = cs[d.getElement(lane, n * per + part)];
        uint64_t bits = 0;
        if (shape.halves & 1) {
          bits = Half::encode(double(value));
        } else {
          if constexpr (std::is_floating_point_v<T>)
            value = canonical(value);
          std::memcpy(&bits, &value, sizeof value);
        }
        row[lane] |= bits << part * 16;
      }
    warp.writeWide(op.result(n), row, mask);
  }
  return Flow::Next;
}

/// The types are those of D and C for products of halves, else of D, A, B, C.
static void decodeProduct(Decoder &decoder) {
  ProductShape shape;
  shape.size = takeSize(decoder);
  shape.columnMajor = takeOrder(decoder) ? 1 : 0;
  shape.columnMajor |= takeOrder(decoder) ? 2 : 0;
  const Size &size = sizes[shape.size];
  Type d = decoder.takeType(), a = Type::F16, b = Type::F16;
  if (d == Type::F64)
    decoder.takeOneOf({"rn"});
  Type next = decoder.takeType();
  if (decoder.hasType()) {
    a = next;
    b = decoder.takeType();
    next = decoder.takeType();
  }
  Type c = next;
  std::optional<MatrixElement> element = getMatrixElement(a);
  Type sum = a == Type::F64                   ? Type::F64
             : a == Type::S8 || a == Type::U8 ? Type::S32
                                              : Type::F32;
  auto isSum = [&](Type type) {
    return type == sum || (a == Type::F16 && type == Type::F16);
  };
  if (!element || a != b || !existsInSize(size, a) || !isSum(d) || !isSum(c))
    return decoder.fail("'wmma' does not exist with this size and these types");
  shape.element = *element;
  shape.halves = (d == Type::F16 ? 1 : 0) | (c == Type::F16 ? 2 : 0);
  decoder.expectOperands(4);
  const Fragment fragments[] = {
      makeFragment(size, Role::Accumulator, d, false),
      makeFragment(size, Role::A, a, false),
      makeFragment(size, Role::B, b, false),
      makeFragment(size, Role::Accumulator, c, false)};
  for (unsigned n = 0; n < 4; ++n)
    decoder.addVector(n, fragments[n].getRegisterType(),
                      fragments[n].getNumRegisters(), /*isResult=*/n == 0);
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  decoder.op.isConvergent = true;
  decoder.setHandler(sum == Type::F64   ? multiplyFragments<double>
                     : sum == Type::S32 ? multiplyFragments<uint32_t>
                                        : multiplyFragments<float>);
}

static void decodeWmma(Decoder &decoder) {
  unsigned what = decoder.expectOneOf({"load", "store", "mma"}, "what to do");
  unsigned role = 0;
  if (what == 0)
    role = decoder.expectOneOf({"a", "b", "c"}, "a matrix");
  if (what == 1 && !decoder.take("d"))
    decoder.fail("expected 'wmma.store.d'");
  if (!decoder.take("sync") || !decoder.take("aligned"))
    decoder.fail("expected '.sync.aligned'");
  if (what == 2)
    return decodeProduct(decoder);
  decodeMove(decoder, what == 0 ? Role(role) : Role::Accumulator, what == 1);
}

void fovea::ptx::addWmmaInstructions(InstructionTable &table) {
  table["wmma"] = decodeWmma;
}
