// One --arg of `heddle ptx run`: [NAME:] a scalar, a buffer with its contents, or null.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "isa/isa.h"
#include "support/result.h"

namespace heddle::cli {

struct KernelArgument {
  enum class Kind : uint8_t { scalar, buffer, null } kind = Kind::scalar;
  std::string name;  // of the buffer in the output
  isa::Type type = isa::Type::none;
  std::vector<std::byte> bytes;  // of the scalar, or the buffer's contents at the start
  bool shown = false;            // after the run: out and inout
  std::string file;              // where its bytes go then; empty: to the output as text
};

// `index` makes the default name; "in:u8@FILE" reads the file.
Result<KernelArgument> parse_kernel_argument(std::string_view text, std::size_t index);

}  // namespace heddle::cli
