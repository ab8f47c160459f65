#include "libs/common/names.h"

#include <algorithm>
#include <cstring>

namespace heddle::libs {

void* find(const Shared* shared, const char* library, const char* name) {
  for (; shared->name != nullptr; ++shared) {
    if (std::strcmp(shared->name, library) != 0) continue;
    const auto found =
        std::lower_bound(shared->names.begin(), shared->names.end(), name,
                         [](const Name& one, const char* text) { return std::strcmp(one.name, text) < 0; });
    if (found == shared->names.end() || std::strcmp(found->name, name) != 0) return nullptr;
    return reinterpret_cast<void*>(found->address);
  }
  return nullptr;
}

}  // namespace heddle::libs
