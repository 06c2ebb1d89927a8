//===- Inputs.cpp - a kernel's inputs, from files or drawn ----------------===//

#include "Inputs.h"
#include "Kernel.h"
#include "fovea/Support/Npy.h"
#include "llvm/ADT/StringExtras.h"

using namespace fovea;
using namespace fovea::tool;
using llvm::StringRef;
using llvm::Twine;

/// As the runtime has it: sizes are below 2^30.
static constexpr int64_t maxSize = (int64_t(1) << 30) - 1;

std::string tool::formatSpec(const TensorSpec &spec) {
  std::string text = "[";
  for (auto [n, dim] : llvm::enumerate(spec.dims))
    text += (n ? ", " : "") +
            (dim.isStatic() ? llvm::itostr(dim.size) : dim.symbol);
  text += "] of ";
  return text + (spec.element == ElementKind::Index
                     ? "i32 or i64"
                     : getElementKindName(spec.element).str());
}

std::optional<Drawing>
tool::parseDrawing(const llvm::opt::InputArgList &arguments) {
  Drawing drawing;
  if (const llvm::opt::Arg *flag = arguments.getLastArg(OPT_random)) {
    drawing.isWanted = true;
    std::optional<int64_t> seed =
        parseNumber("--random", flag->getValue(), 0, INT64_MAX);
    if (!seed)
      return std::nullopt;
    drawing.seed = *seed;
  }
  return drawing;
}

static std::vector<std::string> getNames(llvm::ArrayRef<TensorSpec> specs) {
  std::vector<std::string> names;
  for (const TensorSpec &spec : specs)
    names.push_back(spec.name);
  return names;
}

std::optional<llvm::StringMap<std::string>>
tool::parseFiles(llvm::ArrayRef<std::string> values, StringRef what,
                 llvm::ArrayRef<TensorSpec> specs) {
  llvm::StringMap<std::string> files;
  std::vector<std::string> names = getNames(specs);
  for (StringRef value : values) {
    auto [name, file] = value.split('=');
    if (name.empty() || file.empty()) {
      fail(inputFault,
           "'--" + what + "' expects NAME=FILE.npy, but got '" + value + "'");
      return std::nullopt;
    }
    if (!llvm::is_contained(names, name)) {
      std::optional<std::string> nearest = findNearest(name, names);
      fail(inputFault, "the kernel has no " + what + " '" + name + "'; " +
                           (nearest         ? "did you mean '" + *nearest + "'?"
                            : names.empty() ? "it has none"
                                            : "it has " + quoteList(names)));
      return std::nullopt;
    }
    if (!files.try_emplace(name, file).second) {
      fail(inputFault, what + " '" + name + "' is given twice");
      return std::nullopt;
    }
  }
  return files;
}

namespace {

/// The name that `--dim` has for a symbol: that of the config's key.
std::string getDimName(StringRef symbol) {
  return symbol == "query" || symbol == "kv" ? ("length." + symbol).str()
                                             : symbol.str();
}

class Gatherer {
public:
  Gatherer(const KernelInterface &interface, const Drawing &drawing)
      : interface(interface), drawing(drawing) {
    for (const TensorSpec &spec : interface.inputs)
      for (const DimSpec &dim : spec.dims)
        if (!dim.isStatic() && !llvm::is_contained(symbols, dim.symbol))
          symbols.push_back(dim.symbol);
  }

  bool readFiles(const llvm::StringMap<std::string> &files);
  bool takeDims(llvm::ArrayRef<std::string> values);
  bool checkMissing();
  std::optional<Inputs> finish();

private:
  bool checkFile(const TensorSpec &spec, const HostTensor &tensor,
                 StringRef file);
  bool checkType(const TensorSpec &spec, HostType type, StringRef file);
  bool setSize(StringRef symbol, int64_t size, const Twine &origin,
               const Twine &complaint);
  std::optional<int64_t> getSize(const DimSpec &dim) const;
  /// The size of `symbol`, or of the length of the first of these inputs.
  int64_t findLength(StringRef symbol,
                     llvm::ArrayRef<StringRef> candidates) const;

  const KernelInterface &interface;
  const Drawing &drawing;
  std::vector<std::string> symbols;
  llvm::StringMap<int64_t> sizes;
  /// Where a size comes from, for messages.
  llvm::StringMap<std::string> origins;
  llvm::StringMap<HostTensor> read;
};

} // namespace

bool Gatherer::checkType(const TensorSpec &spec, HostType type,
                         StringRef file) {
  bool fits = type == getHostType(spec.element);
  StringRef mend = ".astype('<f4')";
  switch (spec.element) {
  case ElementKind::Index:
    fits |= type == HostType::I32;
    mend = ".astype('<i8')";
    break;
  case ElementKind::Bool:
    fits |= type == HostType::U8;
    mend = ".astype(bool)";
    break;
  case ElementKind::F64:
    mend = ".astype('<f8')";
    break;
  case ElementKind::F16:
    mend = ".astype('<f2')";
    break;
  case ElementKind::BF16:
    mend = ".astype(ml_dtypes.bfloat16)";
    break;
  case ElementKind::F32:
    break;
  }
  if (!fits)
    fail(inputFault, "input '" + spec.name + "' expects " + formatSpec(spec) +
                         ", but '" + file + "' holds " + getHostTypeName(type) +
                         "; save it with " + mend);
  return fits;
}

bool Gatherer::setSize(StringRef symbol, int64_t size, const Twine &origin,
                       const Twine &complaint) {
  auto [entry, isNew] = sizes.try_emplace(symbol, size);
  if (isNew)
    origins[symbol] = origin.str();
  if (entry->second == size)
    return true;
  fail(inputFault, complaint + " to be " + Twine(entry->second) + " as in " +
                       origins[symbol] + ", but got " + Twine(size));
  return false;
}

bool Gatherer::checkFile(const TensorSpec &spec, const HostTensor &tensor,
                         StringRef file) {
  if (!checkType(spec, tensor.getType(), file))
    return false;
  std::string name = "input '" + spec.name + "'";
  std::string found =
      "'" + file.str() + "' has shape " + formatShape(tensor.getShape());
  if (tensor.getRank() != int64_t(spec.dims.size())) {
    fail(inputFault, name + " expects " + formatSpec(spec) + ", rank " +
                         Twine(spec.dims.size()) + ", but " + found +
                         ", rank " + Twine(tensor.getRank()));
    return false;
  }
  for (auto [n, dim] : llvm::enumerate(spec.dims)) {
    int64_t size = tensor.getShape()[n];
    if (dim.isStatic() && dim.size != size) {
      fail(inputFault, name + " expects " + formatSpec(spec) +
                           ", that is, dim " + Twine(n) + " to be " +
                           Twine(dim.size) + ", but " + found);
      return false;
    }
    if (!dim.isStatic() &&
        !setSize(dim.symbol, size, "input '" + spec.name + "'",
                 "'" + file + "': " + name + " expects dim " + Twine(n) +
                     " ('" + getDimName(dim.symbol) + "')"))
      return false;
  }
  return true;
}

bool Gatherer::readFiles(const llvm::StringMap<std::string> &files) {
  for (const TensorSpec &spec : interface.inputs) {
    auto file = files.find(spec.name);
    if (file == files.end())
      continue;
    llvm::Expected<HostTensor> tensor = readNpy(file->second);
    if (!tensor) {
      fail(inputFault,
           "input '" + spec.name + "': " + llvm::toString(tensor.takeError()));
      return false;
    }
    if (!checkFile(spec, *tensor, file->second))
      return false;
    read.try_emplace(spec.name, std::move(*tensor));
  }
  return true;
}

bool Gatherer::takeDims(llvm::ArrayRef<std::string> values) {
  std::vector<std::string> names;
  for (const std::string &symbol : symbols)
    names.push_back(getDimName(symbol));
  for (StringRef value : values) {
    auto [name, text] = value.split('=');
    if (name.empty() || text.empty()) {
      fail(inputFault, "'--dim' expects NAME=SIZE, such as length.kv=4096, "
                       "but got '" +
                           value + "'");
      return false;
    }
    StringRef symbol = name;
    symbol.consume_front("length.");
    if (!llvm::is_contained(symbols, symbol)) {
      std::optional<std::string> nearest = findNearest(name, names);
      fail(inputFault, "the kernel has no open dimension '" + name + "'; " +
                           (nearest         ? "did you mean '" + *nearest + "'?"
                            : names.empty() ? "all its sizes are fixed"
                                            : "it has " + quoteList(names)));
      return false;
    }
    std::optional<int64_t> size =
        parseNumber(("--dim " + name).str(), text, 0, maxSize);
    if (!size || !setSize(symbol, *size, "'--dim " + value + "'",
                          "'--dim' expects '" + name + "'"))
      return false;
  }
  return true;
}

bool Gatherer::checkMissing() {
  std::vector<std::string> open;
  for (const TensorSpec &spec : interface.inputs) {
    if (read.contains(spec.name))
      continue;
    if (!drawing.isWanted) {
      fail(inputFault, "input '" + spec.name +
                           "' is missing: expects "
                           "--input=" +
                           spec.name + "=FILE.npy with " + formatSpec(spec) +
                           ", or --random=SEED to draw it");
      return false;
    }
    for (const DimSpec &dim : spec.dims)
      if (!getSize(dim) && !llvm::is_contained(open, getDimName(dim.symbol)))
        open.push_back(getDimName(dim.symbol));
  }
  if (open.empty())
    return true;
  std::string flags;
  for (const std::string &name : open)
    flags += " --dim " + name + "=SIZE";
  fail(inputFault, "no file says how large " + quoteList(open) +
                       (open.size() > 1 ? " are" : " is") + "; add" + flags);
  return false;
}

std::optional<int64_t> Gatherer::getSize(const DimSpec &dim) const {
  if (dim.isStatic())
    return dim.size;
  auto size = sizes.find(dim.symbol);
  return size == sizes.end() ? std::nullopt : std::optional(size->second);
}

int64_t Gatherer::findLength(StringRef symbol,
                             llvm::ArrayRef<StringRef> candidates) const {
  auto size = sizes.find(symbol);
  if (size != sizes.end())
    return size->second;
  for (StringRef name : candidates)
    for (const TensorSpec &spec : interface.inputs) {
      size_t rank = spec.dims.size();
      if (spec.name != name || rank < 2)
        continue;
      int64_t length = getSize(spec.dims[rank - 2]).value_or(0);
      // Heads come before or after the length. A length input that is too large
      // means the whole.
      if (rank == 4)
        length = std::max(length, getSize(spec.dims[1]).value_or(0));
      return length;
    }
  return 0;
}

std::optional<Inputs> Gatherer::finish() {
  Inputs inputs;
  int64_t queries = findLength("query", {"q", "x"});
  int64_t keys = findLength("kv", {"k", "context", "x"});
  for (const TensorSpec &spec : interface.inputs) {
    auto file = read.find(spec.name);
    if (file != read.end()) {
      inputs.tensors.push_back(std::move(file->second));
      continue;
    }
    llvm::SmallVector<int64_t> shape;
    for (const DimSpec &dim : spec.dims)
      shape.push_back(*getSize(dim));
    auto tensor = HostTensor::create(getHostType(spec.element), shape);
    if (!tensor) {
      fail(failure, tensor.takeError());
      return std::nullopt;
    }
    drawInput(spec, *tensor, drawing, queries, keys);
    inputs.tensors.push_back(std::move(*tensor));
  }
  inputs.sizes = std::move(sizes);
  return inputs;
}

std::optional<Inputs>
tool::gatherInputs(const llvm::opt::InputArgList &arguments,
                   const KernelInterface &interface, const Drawing &drawing) {
  auto files = parseFiles(arguments.getAllArgValues(OPT_input), "input",
                          interface.inputs);
  if (!files)
    return std::nullopt;
  Gatherer gatherer(interface, drawing);
  if (!gatherer.readFiles(*files) ||
      !gatherer.takeDims(arguments.getAllArgValues(OPT_dim)) ||
      !gatherer.checkMissing())
    return std::nullopt;
  return gatherer.finish();
}
