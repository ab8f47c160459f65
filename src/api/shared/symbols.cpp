#include "api/shared/symbols.h"

#include <cstring>

#include "api/cuda_state/library_callers.h"
#include "api/cuda_state/library_work.h"
#include "api/shared/compilers_library.h"
#include "api/shared/watchers.h"

extern "C" void* heddle_find(const char* library, const char* name) {
  using namespace heddle;
  // Whoever wants to call a function asks here first.
  [[maybe_unused]] static const bool attached = (shared::attach_watchers(), true);
  if (std::strcmp(library, "libheddle") == 0 && std::strcmp(name, "services") == 0)
    return &cuda::library_services();
  if (std::strcmp(library, "libheddle") == 0 && std::strcmp(name, "callers") == 0)
    return &cuda::library_callers();
  if (const entry::Library* const found = entry::find_library(shared::cuda_libraries(), library))
    return entry::find_symbol(*found, name);
  static const auto find_there = reinterpret_cast<void* (*)(const char*, const char*)>(
      shared::compilers_library().find("heddle_find_compiler"));
  return find_there == nullptr ? nullptr : find_there(library, name);
}
