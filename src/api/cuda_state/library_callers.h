// Kernels of the libraries' modules (src/libs) that call functions of the program.
#pragma once

#include "libs/interface/callers.h"

namespace heddle::cuda {

// What modules ask for, one for the process.
libs::Callers& library_callers();

}  // namespace heddle::cuda
