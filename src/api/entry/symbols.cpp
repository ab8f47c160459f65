#include "api/entry/symbols.h"

#include <algorithm>
#include <cstring>

namespace heddle::entry {

const Library* find_library(std::span<const Library> libraries, const char* name) {
  for (const Library& candidate : libraries)
    if (std::strcmp(candidate.name, name) == 0) return &candidate;
  return nullptr;
}

void* find_symbol(const Library& library, const char* name) {
  const auto found = std::lower_bound(
      library.symbols.begin(), library.symbols.end(), name,
      [](const Symbol& symbol, const char* text) { return std::strcmp(symbol.name, text) < 0; });
  if (found == library.symbols.end() || std::strcmp(found->name, name) != 0) return nullptr;
  return reinterpret_cast<void*>(found->address);
}

}  // namespace heddle::entry
