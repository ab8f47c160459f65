#include "api/shared/symbols.h"

#include <algorithm>
#include <cstring>

extern "C" void* heddle_find(const char* library, const char* name) {
  using heddle::shared::Symbol;
  for (const heddle::shared::Library& candidate : heddle::shared::all_libraries()) {
    if (std::strcmp(candidate.name, library) != 0) continue;
    const auto found = std::lower_bound(
        candidate.symbols.begin(), candidate.symbols.end(), name,
        [](const Symbol& symbol, const char* text) { return std::strcmp(symbol.name, text) < 0; });
    if (found == candidate.symbols.end() || std::strcmp(found->name, name) != 0) return nullptr;
    return reinterpret_cast<void*>(found->address);
  }
  return nullptr;
}
