// Functions of libdevice that a program calls and does not define: the device math functions of math/math.h.
#pragma once

#include <string>

#include "math/math.h"
#include "module/image.h"

namespace heddle::module {

// What such a declaration, of an undefined function, has wrong; nothing for any other function. Compilers
// declare floats as .b32: only sizes are compared.
std::string math_problem(const Function& function, unsigned address_bits);

// The device math function that a function of a linked program is; nullptr for all others.
const math::Function* math_function(const Function& function);

}  // namespace heddle::module
