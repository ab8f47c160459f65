// The C++ source of the object that `nvcc -dlink` makes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::driver::nvcc {

// Every unit compiled with -rdc=true calls, before main, a function of this name with a suffix of its own,
// gives it a function that registers its kernels and variables, and leaves it to the link to define it.
// __fatbinwrap with the same suffix is its device code.
inline constexpr std::string_view registration_prefix = "__cudaRegisterLinkedBinary";

// When the last unit has called, the device code of all is registered as one program, which the runtime links
// when it is first needed: wrapper version 2 (docs/reference/fat-binaries.md).
std::string registration_source(const std::vector<std::string>& functions);

}  // namespace heddle::driver::nvcc
