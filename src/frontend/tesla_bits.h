// Instructions on bits that LLVM writes for sm_20, in those of sm_1x.
#pragma once

#include <string>
#include <string_view>

namespace heddle::frontend {

// What stands for a line of PTX with one such instruction; empty: it is none, or one that no compiler writes
// (fields whose length is in a register).
std::string bits_of_1x(std::string_view line);

}  // namespace heddle::frontend
