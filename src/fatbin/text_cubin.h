// The cubin files of compute capability 1.x, which are text: what each kernel takes, and its code. In place
// of machine code ours have a fat binary with the PTX, as the words of a section of constants.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fatbin/fatbin.h"

namespace heddle::fatbin {

struct TextCubin {
  struct Kernel {
    std::string name;
    uint64_t local_bytes = 0, shared_bytes = 0;
    uint32_t registers = 0, barriers = 0;
  };
  Arch arch;
  std::vector<Kernel> kernels;
  std::string_view fat_binary;
};
std::string write(const TextCubin&);

// By its first word.
bool is_text_cubin(std::string_view);
// The fat binary in it. The error says what there is instead, or which line is wrong.
Result<std::string> read_text_cubin(std::string_view);

}  // namespace heddle::fatbin
