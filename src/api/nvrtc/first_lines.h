// What NVRTC's programs begin with behind clang's own headers.
#pragma once

#include <string>
#include <vector>

namespace heddle::nvrtc {

// The arguments that go with those lines: names of the host's libraries are others while clang's headers are
// read.
std::vector<std::string> host_names_hidden();
// Which macros a program sees where NVRTC is the compiler.
const std::string& first_lines();

}  // namespace heddle::nvrtc
