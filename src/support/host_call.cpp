#include "support/host_call.h"

#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle {

namespace {

// Where the library that has an address lies.
struct Library {
  uintptr_t address = 0, begin = 0, end = 0;
  bool has(const void* place) const {
    const auto at = reinterpret_cast<uintptr_t>(place);
    return at >= begin && at < end;
  }
};

Library library_of(const void* address) {
  Library library{.address = reinterpret_cast<uintptr_t>(address)};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Library*>(data);
        uintptr_t begin = UINTPTR_MAX, end = 0;
        for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          begin = std::min<uintptr_t>(begin, info->dlpi_addr + part.p_vaddr);
          end = std::max<uintptr_t>(end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
        }
        if (wanted.address < begin || wanted.address >= end) return 0;
        wanted.begin = begin, wanted.end = end;
        return 1;
      },
      &library);
  return library;
}

}  // namespace

std::vector<const void*> host_stack() {
  constexpr std::size_t deepest = 64;
  std::array<void*, deepest> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  static const Library own = library_of(reinterpret_cast<const void*>(&host_stack));
  std::size_t first = 0;
  const auto end = static_cast<std::size_t>(count);
  while (first < end && own.has(frames[first])) ++first;
  // In a test the program and this library are one.
  if (first == end) first = 0;
  // Not in braces: two pointers would be the vector's elements.
  return std::vector<const void*>(frames.begin() + static_cast<std::ptrdiff_t>(first),
                                  frames.begin() + count);
}

}  // namespace heddle
