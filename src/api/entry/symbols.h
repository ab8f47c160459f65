// Every name that a library of ours exports, with what is behind it: libcudart.so.12 and its like ask for
// addresses by name (src/api/trampoline/load.c).
#pragma once

#include <span>

namespace heddle::entry {

struct Symbol {
  const char* name;
  void (*address)();
};
struct Library {
  const char* name;
  std::span<const Symbol> symbols;  // in the order of their names
};

// nullptr: there is no library of that name.
const Library* find_library(std::span<const Library> libraries, const char* name);
// nullptr: it has no such name.
void* find_symbol(const Library& library, const char* name);

}  // namespace heddle::entry
