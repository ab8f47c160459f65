// Blocks of A's rows and B's columns with a scale each (PTX ISA 9.7.14.3).
#pragma once

#include "exec/interp/matrix/fragment.h"

namespace heddle::exec::interp {

// Of type ue8m0 or ue4m3.
double scale_value(isa::Type type, uint32_t byte);
// Multiplies each element by its block's scale. Operands from `first` on: the scales of A, {byte, lane} of A,
// and those of B.
void scale_blocks(Step& s, int first, Matrix<double>& a, Matrix<double>& b);

}  // namespace heddle::exec::interp
