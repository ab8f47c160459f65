// The result of an mma back into the registers of the warp.
#pragma once

#include "exec/interp/matrix/fragment.h"

namespace heddle::exec::interp {

// Operand 0 takes the elements of D, each as result(value) bits.
template <class T, class Bits>
void scatter_d(Step& s, Matrix<T>& d, int bits, Bits&& result) {
  for (int lane = 0; lane < warp_size; ++lane) {
    const auto registers = s.parts(s.operand(0, lane));
    for (int i = 0; i < elements_of(registers, bits); ++i)
      write_element(s, registers, lane, i, bits, result(d.at(cell_of_c(lane, i))));
  }
}

inline int per_register(const ElementType& e) { return e.bits >= 32 ? 1 : 32 / e.bits; }

}  // namespace heddle::exec::interp
