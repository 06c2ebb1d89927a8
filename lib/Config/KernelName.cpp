//===- KernelName.cpp - Names a kernel may have ---------------------------===//

#include "fovea/Config/Config.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace fovea;
using llvm::StringRef;

static constexpr size_t kMaxName = 128;

/// Keywords of C and C++: the generated header serves both.
static bool isKeyword(StringRef name) {
  static const llvm::StringSet<> keywords = {"alignas",
                                             "alignof",
                                             "and",
                                             "and_eq",
                                             "asm",
                                             "auto",
                                             "bitand",
                                             "bitor",
                                             "bool",
                                             "break",
                                             "case",
                                             "catch",
                                             "char",
                                             "char8_t",
                                             "char16_t",
                                             "char32_t",
                                             "class",
                                             "co_await",
                                             "co_return",
                                             "co_yield",
                                             "compl",
                                             "concept",
                                             "const",
                                             "const_cast",
                                             "consteval",
                                             "constexpr",
                                             "constinit",
                                             "continue",
                                             "decltype",
                                             "default",
                                             "delete",
                                             "do",
                                             "double",
                                             "dynamic_cast",
                                             "else",
                                             "enum",
                                             "explicit",
                                             "export",
                                             "extern",
                                             "false",
                                             "float",
                                             "for",
                                             "friend",
                                             "goto",
                                             "if",
                                             "inline",
                                             "int",
                                             "long",
                                             "mutable",
                                             "namespace",
                                             "new",
                                             "noexcept",
                                             "not",
                                             "not_eq",
                                             "nullptr",
                                             "operator",
                                             "or",
                                             "or_eq",
                                             "private",
                                             "protected",
                                             "public",
                                             "register",
                                             "reinterpret_cast",
                                             "requires",
                                             "restrict",
                                             "return",
                                             "short",
                                             "signed",
                                             "sizeof",
                                             "static",
                                             "static_assert",
                                             "static_cast",
                                             "struct",
                                             "switch",
                                             "template",
                                             "this",
                                             "thread_local",
                                             "throw",
                                             "true",
                                             "try",
                                             "typedef",
                                             "typeid",
                                             "typename",
                                             "typeof",
                                             "typeof_unqual",
                                             "union",
                                             "unsigned",
                                             "using",
                                             "virtual",
                                             "void",
                                             "volatile",
                                             "wchar_t",
                                             "while",
                                             "xor",
                                             "xor_eq"};
  return keywords.contains(name);
}

/// Functions of the C library that a kernel itself may call; a kernel of that
/// name would call itself.
static bool isLibraryFunction(StringRef name) {
  static const llvm::StringSet<> functions = {"abort",
                                              "abs",
                                              "aligned_alloc",
                                              "calloc",
                                              "exit",
                                              "free",
                                              "main",
                                              "malloc",
                                              "memcmp",
                                              "memcpy",
                                              "memmove",
                                              "memset",
                                              "posix_memalign",
                                              "printf",
                                              "realloc",
                                              "snprintf",
                                              "strlen",
                                              "ceil",
                                              "copysign",
                                              "cos",
                                              "exp",
                                              "exp2",
                                              "expm1",
                                              "fabs",
                                              "floor",
                                              "fma",
                                              "fmax",
                                              "fmin",
                                              "fmod",
                                              "ldexp",
                                              "log",
                                              "log1p",
                                              "log2",
                                              "log10",
                                              "pow",
                                              "rint",
                                              "round",
                                              "sin",
                                              "sqrt",
                                              "tan",
                                              "tanh",
                                              "trunc"};
  return functions.contains(name) ||
         (name.ends_with("f") && functions.contains(name.drop_back()));
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

std::string fovea::kernelNameProblem(StringRef name) {
  if (!isIdentifier(name))
    return "expects a C identifier: letters, digits and underscores, not "
           "starting with a digit";
  if (name.size() > kMaxName)
    return "expects a name of at most " + std::to_string(kMaxName) +
           " characters";
  if (isKeyword(name))
    return "expects no keyword of C or C++";
  if (isLibraryFunction(name))
    return "expects no name of a C library function";
  if (name.starts_with("fovea_"))
    return "expects no name starting with 'fovea_', which the runtime keeps";
  return "";
}

std::string fovea::kernelNameFromFile(StringRef fileName) {
  std::string name = llvm::sys::path::stem(fileName).take_front(96).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  if (fileName.starts_with("<") || StringRef(name).trim('_').empty())
    return "attention";
  if (!kernelNameProblem(name).empty())
    name = "kernel_" + name;
  return name;
}
