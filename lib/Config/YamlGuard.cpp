//===- YamlGuard.cpp - What may reach LLVM's YAML parser ------------------===//
//
// The nesting limit is not here: LLVM's nodes parse as they are walked, so the
// only recursion over nesting is ours, and YamlTree.cpp bounds it exactly.
//
//===----------------------------------------------------------------------===//

#include "YamlTree.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;

LineTable::LineTable(StringRef text) : text(text) {
  starts.push_back(0);
  for (size_t i = 0, e = text.size(); i != e; ++i)
    if (text[i] == '\n' ||
        (text[i] == '\r' && (i + 1 == e || text[i + 1] != '\n')))
      starts.push_back(i + 1);
}

Place LineTable::at(size_t offset) const {
  offset = std::min(offset, text.size());
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  Place loc;
  loc.line = unsigned(next - starts.begin());
  loc.column = unsigned(offset - *std::prev(next)) + 1;
  return loc;
}

StringRef LineTable::line(unsigned number) const {
  if (number == 0 || number > starts.size())
    return {};
  size_t start = starts[number - 1];
  size_t end = number < starts.size() ? starts[number] : text.size();
  return text.slice(start, end).rtrim("\r\n");
}

/// The length of the UTF-8 sequence at `at`, or 0 where there is none (overlong
/// forms, surrogates and values beyond U+10FFFF included).
static unsigned utf8Length(StringRef text, size_t at) {
  unsigned char lead = text[at];
  if (lead < 0x80)
    return 1;
  unsigned length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || at + length > text.size())
    return 0;
  for (unsigned i = 1; i != length; ++i)
    if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80)
      return 0;
  unsigned char second = text[at + 1];
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

/// True when `line` starts with a document marker such as `---`.
static bool isMarker(StringRef line, StringRef marker) {
  return line.consume_front(marker) &&
         (line.empty() || line.front() == ' ' || line.front() == '\t');
}

namespace {
class Guard {
public:
  Guard(StringRef text, const LineTable &lines,
        llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics)
      : text(text), lines(lines), diagnostics(diagnostics) {}

  bool run() { return checkBytes() && checkLines() && checkCommas(); }

private:
  bool refuse(size_t offset, const llvm::Twine &message) {
    diagnostics.push_back(
        {ConfigDiagnostic::Error, lines.at(offset), message.str()});
    return false;
  }

  bool checkBytes() {
    if (text.size() > kMaxBytes)
      return refuse(0, "expects a config of at most 1 MiB, but got more");
    for (size_t i = 0, e = text.size(); i != e;) {
      unsigned char byte = text[i];
      if ((byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') ||
          byte == 0x7F)
        return refuse(i, "unexpected control character 0x" +
                             llvm::utohexstr(byte, /*LowerCase=*/false, 2) +
                             "; a config is plain text");
      unsigned length = utf8Length(text, i);
      if (length == 0)
        return refuse(i, "unexpected byte 0x" + llvm::utohexstr(byte) +
                             "; a config is UTF-8 text");
      i += length;
    }
    return true;
  }

  /// Documents, directives and tabs, by line. A marker in column 1 ends a
  /// document even inside a quoted or block scalar, so no lexing is needed.
  bool checkLines() {
    bool seenContent = false, isJson = false;
    for (size_t start = 0; start < text.size();) {
      size_t end = std::min(text.find_first_of("\r\n", start), text.size());
      StringRef line = text.slice(start, end), body = line.ltrim(" \t");
      if (isMarker(line, "...") || (isMarker(line, "---") && seenContent))
        return refuse(start, "unexpected '" + line.take_front(3) +
                                 "'; a config is a single YAML document");
      if (line.starts_with("%"))
        return refuse(start, "unexpected '%'; a config takes no YAML "
                             "directives");
      if (!body.empty() && body.front() != '#') {
        if (!seenContent)
          isJson = body.front() == '{';
        seenContent = true;
        size_t tab = line.find('\t');
        if (!isJson && tab < line.size() - body.size())
          return refuse(start + tab,
                        "unexpected tab in the indentation; use spaces");
      }
      start = end + 1;
    }
    return true;
  }

  /// LLVM skips each comma of `[,,,` by a recursive call. Quotes are ignored:
  /// the limit is far above anything meant.
  bool checkCommas() {
    unsigned run = 0;
    for (size_t i = 0, e = text.size(); i < e; ++i) {
      char c = text[i];
      if (c == ',') {
        if (++run > kMaxDepth)
          return refuse(i, "unexpected run of commas");
      } else if (c == '#') {
        i = std::min(text.find_first_of("\r\n", i), e);
      } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
        run = 0;
      }
    }
    return true;
  }

  StringRef text;
  const LineTable &lines;
  llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics;
};
} // namespace

bool config::guardYaml(StringRef text, const LineTable &lines,
                       llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics) {
  return Guard(text, lines, diagnostics).run();
}
