// Every name that a library of ours exports, with what is behind it. This is all that libheddle.so.0 shows:
// libcudart.so.12 and its like ask for addresses by name (src/api/trampoline/load.c).
#pragma once

#include <span>

namespace heddle::shared {

struct Symbol {
  const char* name;
  void (*address)();
};
struct Library {
  const char* name;
  std::span<const Symbol> symbols;  // in the order of their names
};
std::span<const Library> cuda_libraries();
std::span<const Library> opencl_libraries();

}  // namespace heddle::shared

// The address of a library's function; nullptr where there is none of that name.
extern "C" [[gnu::visibility("default")]] void* heddle_find(const char* library, const char* name);
