//===- Config.cpp - Reading configs and printing their problems -----------===//

#include "fovea/Config/Config.h"
#include "ConfigParser.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

using namespace fovea;
using llvm::StringRef;

static constexpr StringRef kByteOrderMark = "\xEF\xBB\xBF";

std::optional<Config>
fovea::parseConfig(StringRef text, StringRef fileName,
                   llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics) {
  text.consume_front(kByteOrderMark);
  // LLVM's scanner looks one byte past what it reads.
  std::string copy = text.str();
  config::LineTable lines(copy);
  if (!config::guardYaml(copy, lines, diagnostics))
    return std::nullopt;
  std::optional<config::Node> root =
      config::parseYaml(copy, lines, diagnostics);
  if (!root)
    return std::nullopt;
  return config::ConfigParser(*root, fileName, diagnostics).run();
}

std::optional<Config> fovea::parseConfig(StringRef text, StringRef fileName,
                                         llvm::raw_ostream &diagnostics) {
  llvm::SmallVector<ConfigDiagnostic> found;
  std::optional<Config> config = parseConfig(text, fileName, found);
  printDiagnostics(diagnostics, text, fileName, found);
  return config;
}

std::optional<Config> fovea::parseConfigFile(StringRef path,
                                             llvm::raw_ostream &diagnostics) {
  llvm::Expected<llvm::sys::fs::file_t> file =
      path == "-" ? llvm::sys::fs::getStdinHandle()
                  : llvm::sys::fs::openNativeFileForRead(path);
  if (!file) {
    diagnostics << path << ": error: cannot be read: "
                << llvm::toString(file.takeError()) << '\n';
    return std::nullopt;
  }
  // Bounded: the path may name a device that never ends. One byte over the
  // limit is enough for the guard to refuse the text.
  size_t limit = config::kMaxBytes + kByteOrderMark.size() + 1;
  std::string text(limit, '\0');
  size_t size = 0;
  std::string failure;
  while (size != limit) {
    llvm::Expected<size_t> got = llvm::sys::fs::readNativeFile(
        *file, llvm::MutableArrayRef<char>(text).drop_front(size));
    if (!got)
      failure = llvm::toString(got.takeError());
    if (!failure.empty() || *got == 0)
      break;
    size += *got;
  }
  text.resize(size);
  if (path != "-")
    (void)llvm::sys::fs::closeFile(*file);
  if (!failure.empty()) {
    diagnostics << path << ": error: cannot be read: " << failure << '\n';
    return std::nullopt;
  }
  return parseConfig(text, path == "-" ? "<stdin>" : path, diagnostics);
}

/// Prints the part of a line around a column, and a caret under it.
static void printExcerpt(llvm::raw_ostream &os, StringRef line,
                         unsigned column) {
  constexpr size_t before = 60, width = 100;
  size_t at = std::min<size_t>(column - 1, line.size());
  size_t start = at > before ? at - before : 0;
  auto isContinuation = [&](size_t i) {
    return (static_cast<unsigned char>(line[i]) & 0xC0) == 0x80;
  };
  while (start < at && isContinuation(start))
    ++start;
  size_t end = std::min(line.size(), start + width);
  while (end < line.size() && isContinuation(end))
    ++end;
  // The line may be what was refused for not being UTF-8.
  for (char c : llvm::json::fixUTF8(line.slice(start, end)))
    os << (static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c);
  os << '\n';
  for (size_t i = start; i < at; ++i)
    if (!isContinuation(i))
      os << ' ';
  os << "^\n";
}

void fovea::printDiagnostics(llvm::raw_ostream &os, StringRef text,
                             StringRef fileName,
                             llvm::ArrayRef<ConfigDiagnostic> diagnostics) {
  if (diagnostics.empty())
    return;
  text.consume_front(kByteOrderMark);
  config::LineTable lines(text);
  for (const ConfigDiagnostic &diagnostic : diagnostics) {
    const Place &loc = diagnostic.loc;
    os << fileName << ':';
    if (loc.line)
      os << loc.line << ':' << loc.column << ':';
    os << (diagnostic.severity == ConfigDiagnostic::Error ? " error: "
                                                          : " note: ")
       << diagnostic.message << '\n';
    if (loc.line)
      printExcerpt(os, lines.line(loc.line), loc.column);
  }
}
