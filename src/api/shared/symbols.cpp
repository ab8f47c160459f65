#include "api/shared/symbols.h"

#include <algorithm>
#include <cstring>

#include "api/cuda_state/library_work.h"
#include "api/shared/watchers.h"

namespace heddle::shared {

namespace {

void* find(std::span<const Library> libraries, const char* library, const char* name) {
  for (const Library& candidate : libraries) {
    if (std::strcmp(candidate.name, library) != 0) continue;
    const auto found = std::lower_bound(
        candidate.symbols.begin(), candidate.symbols.end(), name,
        [](const Symbol& symbol, const char* text) { return std::strcmp(symbol.name, text) < 0; });
    if (found == candidate.symbols.end() || std::strcmp(found->name, name) != 0) return nullptr;
    return reinterpret_cast<void*>(found->address);
  }
  return nullptr;
}

}  // namespace

}  // namespace heddle::shared

extern "C" void* heddle_find(const char* library, const char* name) {
  using namespace heddle::shared;
  // Whoever wants to call a function asks here first.
  [[maybe_unused]] static const bool attached = (attach_watchers(), true);
  if (std::strcmp(library, "libheddle") == 0 && std::strcmp(name, "services") == 0)
    return &heddle::cuda::library_services();
  void* const found = find(cuda_libraries(), library, name);
  return found != nullptr ? found : find(opencl_libraries(), library, name);
}
