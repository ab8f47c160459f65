// The built-in library, devlib/opencl compiled: an archive that tools/gen/pack_opencl.py makes.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "frontend/opencl/program.h"

// clang-format off
asm(".section .rodata\n"
    ".balign 16\n"
    ".globl heddle_opencl_library\n"
    ".hidden heddle_opencl_library\n"
    "heddle_opencl_library:\n"
    ".incbin \"" HEDDLE_OPENCL_LIBRARY "\"\n"
    ".balign 16\n"
    ".previous\n");
// clang-format on

extern "C" const std::byte heddle_opencl_library[];

namespace heddle::frontend::opencl {

namespace {

uint32_t word(std::size_t offset) {
  uint32_t value;
  std::memcpy(&value, heddle_opencl_library + offset, sizeof value);
  return value;
}
std::string_view text(uint32_t offset, uint32_t bytes) {
  return {reinterpret_cast<const char*>(heddle_opencl_library) + offset, bytes};
}

}  // namespace

// Header: count of parts, count of symbols; then {offset, bytes} of each part, and {name's offset, bytes,
// part} of each symbol, sorted by name.
std::vector<std::string_view> library_parts(const std::vector<std::string>& names) {
  const uint32_t parts = word(0), symbols = word(4);
  const std::size_t first_symbol = 8 + std::size_t{parts} * 8;
  const auto name_of = [&](uint32_t i) {
    const std::size_t row = first_symbol + std::size_t{i} * 12;
    return text(word(row), word(row + 4));
  };
  std::vector<bool> needed(parts, false);
  for (const std::string& name : names) {
    uint32_t low = 0, high = symbols;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (name_of(middle) < name)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < symbols && name_of(low) == name) needed[word(first_symbol + std::size_t{low} * 12 + 8)] = true;
  }
  std::vector<std::string_view> found;
  for (uint32_t i = 0; i < parts; ++i)
    if (needed[i]) found.push_back(text(word(8 + std::size_t{i} * 8), word(12 + std::size_t{i} * 8)));
  return found;
}

}  // namespace heddle::frontend::opencl
