//===- PrintTensor.cpp - tensors as text ----------------------------------===//

#include "PrintTensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace fovea;

static constexpr int64_t maxWhole = 64, maxFirst = 8;

static std::string formatElement(const HostTensor &tensor, int64_t index) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!isFloat(tensor.getType()))
    os << tensor.getInteger(index);
  else
    os << llvm::format("%.6g", tensor.getFloat(index));
  return text;
}

/// Prints the part of a tensor that `dim` starts, from element `index` on.
static void printNested(llvm::raw_ostream &os, const HostTensor &tensor,
                        llvm::ArrayRef<std::string> elements, size_t width,
                        int64_t dim, int64_t &index) {
  if (dim == tensor.getRank()) {
    os << llvm::right_justify(elements[index++], width);
    return;
  }
  int64_t size = tensor.getShape()[dim];
  os << "[";
  for (int64_t n = 0; n < size; ++n) {
    if (n > 0 && dim + 1 == tensor.getRank())
      os << ", ";
    else if (n > 0)
      os << ",\n" << std::string(dim + 1, ' ');
    printNested(os, tensor, elements, width, dim + 1, index);
  }
  os << "]";
}

void tool::printTensor(llvm::raw_ostream &os, llvm::StringRef name,
                       const HostTensor &tensor) {
  os << name << ": " << getHostTypeName(tensor.getType()) << " "
     << formatShape(tensor.getShape()) << "\n";
  int64_t count = tensor.getNumElements();
  if (count == 0)
    return;
  std::vector<std::string> elements;
  size_t width = 0;
  for (int64_t n = 0; n < (count <= maxWhole ? count : maxFirst); ++n) {
    elements.push_back(formatElement(tensor, n));
    width = std::max(width, elements.back().size());
  }
  if (count > maxWhole) {
    os << "first values: " << llvm::join(elements, ", ") << "\n";
    return;
  }
  int64_t index = 0;
  printNested(os, tensor, elements, width, 0, index);
  os << "\n";
}
