//===- Built.cpp - Which rows of the key table this version builds --------===//
//
// The parser knows the whole key table; what is listed here it refuses by name.
// Building one of them ends with deleting its line.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;

namespace {
struct Refusal {
  StringRef key;
  StringRef value; // empty: the whole key
};
} // namespace

static constexpr Refusal kNotBuilt[] = {

    {"layout", "thd"},
    {"mask", "prefix"},
    {"mask", "documents"},
    {"mask", "blocks"},
    {"sinks", ""},
    {"rope", ""},
    {"cache", ""},
    {"keys_rotated", ""},
    {"outputs", "scores"},
    {"outputs", "present_k"},
    {"outputs", "present_v"},
    {"scores_after", ""},
};

bool config::isBuilt(StringRef key, StringRef value) {
  for (const Refusal &refusal : kNotBuilt)
    if (refusal.key == key && (refusal.value.empty() || refusal.value == value))
      return false;
  return true;
}

bool Reader::requireBuilt(Place loc, StringRef key, StringRef value) {
  if (isBuilt(key, value))
    return true;
  std::string what = value.empty() ? ("'" + key + "'").str()
                                   : (key + " '" + value + "'").str();
  error(loc, what + " is known but not built yet in this version");
  return false;
}
