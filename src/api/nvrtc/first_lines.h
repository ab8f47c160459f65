// What NVRTC's programs begin with behind clang's own headers.
#pragma once

#include <string>

namespace heddle::nvrtc {

// Which macros a program sees where NVRTC is the compiler.
const std::string& first_lines();

}  // namespace heddle::nvrtc
