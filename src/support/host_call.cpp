#include "support/host_call.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <array>
#include <cstddef>

namespace heddle {

namespace {

const void* library_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
}

}  // namespace

std::vector<const void*> host_stack() {
  constexpr std::size_t deepest = 64;
  std::array<void*, deepest> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  static const void* const own = library_of(reinterpret_cast<const void*>(&host_stack));
  std::size_t first = 0;
  const auto end = static_cast<std::size_t>(count);
  while (first < end && library_of(frames[first]) == own) ++first;
  // In a test the program and this library are one.
  if (first == end) first = 0;
  // Not in braces: two pointers would be the vector's elements.
  return std::vector<const void*>(frames.begin() + static_cast<std::ptrdiff_t>(first),
                                  frames.begin() + count);
}

}  // namespace heddle
