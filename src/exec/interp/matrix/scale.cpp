#include "exec/interp/matrix/scale.h"

#include <cmath>
#include <limits>

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

// Scales a row or column has along k. Without the word: one for mxf8f6f4, two for mxf4.
int scales_in_a_row(const Step& s) {
  switch (s.word(Slot::scale_vec)) {
    case Word::scale_vec_4X: return 4;
    case Word::scale_vec_2X: return 2;
    case Word::scale_vec_1X: return 1;
    default: return s.word(Slot::kind) == Word::kind_mxf8f6f4 ? 1 : 2;
  }
}

// {byte, lane}: which byte of the register is the first scale, and which lanes of a quad have them.
struct Selection {
  uint32_t byte, lane;
};

Selection selection(Step& s, int operand) {
  const auto parts = s.children(s.operand(operand));
  return {s.get<uint16_t>(parts[0], 0), s.get<uint16_t>(parts[1], 0)};
}

}  // namespace

double scale_value(isa::Type type, uint32_t byte) {
  if (type == isa::Type::ue4m3) return decode(formats::e4m3, byte & 0x7f);
  return byte == 0xff ? std::numeric_limits<double>::quiet_NaN()
                      : std::ldexp(1.0, static_cast<int>(byte) - 127);  // ue8m0
}

void scale_blocks(Step& s, int first, Matrix<double>& a, Matrix<double>& b) {
  const int count = scales_in_a_row(s), block = a.columns / count;
  const isa::Type type = s.type(Slot::stype);
  const Selection of_a = selection(s, first + 1), of_b = selection(s, first + 3);
  for (int row = 0; row < a.rows; ++row) {
    // lanes 0 and 1 of a quad, or 2 and 3: the even one for row g, the odd one for row g + 8
    const int lane = 4 * (row & 7) + 2 * static_cast<int>(of_a.lane & 1) + (row >> 3);
    const uint32_t bytes = s.get<uint32_t>(first, lane) >> 8 * (of_a.byte & 3);
    for (int k = 0; k < a.columns; ++k) a.at(row, k) *= scale_value(type, bytes >> 8 * (k / block) & 0xff);
  }
  for (int column = 0; column < b.columns; ++column) {
    const int lane = 4 * column + static_cast<int>(of_b.lane & 3);
    const uint32_t bytes = s.get<uint32_t>(first + 2, lane) >> 8 * (of_b.byte & 3);
    for (int k = 0; k < b.rows; ++k) b.at(k, column) *= scale_value(type, bytes >> 8 * (k / block) & 0xff);
  }
}

}  // namespace heddle::exec::interp
