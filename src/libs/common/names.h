// Exported names with their addresses, of every shared library that a module is behind.
#pragma once

#include <cstdint>
#include <span>

namespace heddle::libs {

struct Name {
  const char* name;
  uint64_t (*address)();
};
struct Shared {
  const char* name;             // "libcublas.so.12"; nullptr behind the last one
  std::span<const Name> names;  // sorted
};
void* find(const Shared* shared, const char* library, const char* name);

}  // namespace heddle::libs
