#pragma once

#include <string>

#include "support/result.h"

namespace heddle {

// All bytes of a file, a pipe or a device. The error names it and says why not: a folder, for one, can be
// opened but not read.
Result<std::string> read_file(const std::string& path);

}  // namespace heddle
