// -maxrregcount and its like: a limit of registers for all kernels of a program text. It is the last line of
// the text, a comment, so that it goes wherever the text goes: into images that are linked from it, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::runtime {

void limit_registers(std::string& ptx, uint32_t most);  // 0: no limit, and no line
uint32_t register_limit(std::string_view ptx);          // 0: none

}  // namespace heddle::runtime
