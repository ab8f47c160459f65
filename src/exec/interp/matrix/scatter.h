// The result of an mma back into the registers of the warp.
#pragma once

#include "exec/interp/matrix/fragment.h"

namespace heddle::exec::interp {

// Operand 0 takes the elements of D, each as result(value) bits.
template <class T, class Bits>
void scatter_d(Step& s, Matrix<T>& d, int bits, Bits&& result) {
  for (int lane = 0; lane < warp_size; ++lane) {
    const auto registers = s.parts(s.operand(0, lane));
    const int held = elements_of(registers.first(1), bits);  // by one register
    int i = 0;
    for (const module::Operand& reg : registers) {
      uint64_t word = 0;
      for (int part = 0; part < held; ++part, ++i)
        word |= (result(d.at(cell_of_c(lane, i))) & low_ones(bits)) << bits * part;
      s.set<uint64_t>(reg, lane, word);
    }
  }
}

inline int per_register(const ElementType& e) { return e.bits >= 32 ? 1 : 32 / e.bits; }

}  // namespace heddle::exec::interp
