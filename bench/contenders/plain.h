// Plain C++: what a programmer without a GPU would write instead of the kernels, same algorithms where that
// makes sense, compiled with everything that makes it fast. This file is between the two sets of flags.
#pragma once

#include "problem.h"

namespace heddle::bench {

// nullptr: no such row.
using PlainRow = void (*)(Problem&);
PlainRow plain_row(std::string_view name);

}  // namespace heddle::bench
