// The options text of clBuildProgram and its kin (spec/opencl/options.toml).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/opencl.h"
#include "support/result.h"

namespace heddle::frontend::opencl {

struct Options {
  OpenClSettings settings;
  std::vector<std::string> clang;  // for its compiler proper
  std::string standard = "CL1.2";
};

// Words are separated by blanks; quotes and backslashes are as in a shell's double quotes. The error names
// the option that is wrong. Linking takes options of its own, and those that change arithmetic.
Result<Options> read_options(std::string_view text);

}  // namespace heddle::frontend::opencl
