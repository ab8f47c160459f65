// Device code in a process's own memory, as programs hand it over: without a length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fatbin/fatbin.h"

namespace heddle::fatbin {

// What host compilers emit for every unit with device code and pass to __cudaRegisterFatBinary.
struct Wrapper {
  static constexpr uint32_t magic_number = 0x466243b1;
  uint32_t magic;
  uint32_t version;  // 1: `data`; 2: linked, `units` has what was linked
  const void* data;
  const void* const* units;  // a null pointer ends it
};

enum class Form : uint8_t { wrapper, fat_binary, ptx, elf, text_cubin, unknown };
// By the first bytes. PTX may begin with blanks and comments.
Form form_of(const void* image);
// The same of bytes that may end early: nobody looks behind them.
Form form_of(std::string_view bytes);

// The whole fat binary that begins there, as long as its header says.
std::span<const std::byte> extent_of(const void* fat_binary);

// The fat binaries behind a wrapper: `data`, or of a linked one every unit. The machine code of a linked
// wrapper's own `data` is no use here, its units have the PTX it was made of.
Result<std::vector<std::span<const std::byte>>> images_of(const Wrapper& wrapper);

}  // namespace heddle::fatbin
