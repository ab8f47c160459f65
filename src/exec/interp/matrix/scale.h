// Blocks of A's rows and B's columns with a scale each (PTX ISA 9.7.14.3).
#pragma once

#include "exec/interp/matrix/fragment.h"

namespace heddle::exec::interp {

// Multiplies each element by its block's scale. Operands from `first` on: the scales of A, {byte, lane} of A,
// and those of B.
void scale_blocks(Step& s, int first, Matrix<double>& a, Matrix<double>& b);

}  // namespace heddle::exec::interp
