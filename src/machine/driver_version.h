// The version that the driver says it is.
#pragma once

#include <string>

#include "support/result.h"

namespace heddle::machine {

// The newest whose functions are all in the tables, and whose PTX is read.
inline constexpr int newest_driver_version = 13000;
// That of the runtime library which programs link by default (CUDART_VERSION of the headers).
inline constexpr int runtime_version = 12090;

// "13.0" or "12.5" as CUDA numbers them: 13000, 12050.
Result<int> parse_driver_version(const char* text);
// HEDDLE_DRIVER_VERSION, else the newest. The same in all of a process's life.
Result<int> driver_version();
// 12050 as "12.5".
std::string version_text(int version);

}  // namespace heddle::machine
