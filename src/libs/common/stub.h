// What stands for a function that is not implemented.
#pragma once

#include <cstdint>

#include "libs/common/call.h"

namespace heddle::libs {

// "Not supported", or 0 of a function that returns no status.
uint64_t stub(const Codes* codes, const char* name);

}  // namespace heddle::libs
