// Kernel launches whose brackets stand apart: k<< <grid, block>> >(p).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::frontend {

// nvcc takes << and < with blanks between for <<<, and so programs have come to hold what formatters made of
// it. clang takes only the whole. The source with whole brackets, every other character where it was; nothing
// if there is nothing to mend.
std::optional<std::string> with_whole_launch_brackets(std::string_view source);

}  // namespace heddle::frontend
