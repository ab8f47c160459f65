// Which element of a matrix stands where in the registers of a warp, for mma (PTX ISA 9.7.14.5.1
// to 9.7.14.5.13).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/interp/matrix/element.h"
#include "exec/interp/matrix/shape.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {

struct Cell {
  int row, column;
};

// A is m x k, B is k x n, C and D are m x n. `per_register`: elements that one register holds.
Cell cell_of_a(const Shape& shape, int lane, int element, int per_register);
Cell cell_of_b(int lane, int element, int per_register);
Cell cell_of_c(int lane, int element);

// Element `index` of a lane's fragment.
uint64_t read_element(const Step& s, std::span<const module::Operand> registers, int lane, int index,
                      int bits);
void write_element(Step& s, std::span<const module::Operand> registers, int lane, int index, int bits,
                   uint64_t value);
// How many elements of `bits` a lane's fragment holds.
int elements_of(std::span<const module::Operand> registers, int bits);

inline uint64_t low_ones(int bits) { return ~uint64_t{0} >> (64 - bits); }

template <class T>
struct Matrix {
  int rows, columns;
  std::vector<T> values;
  Matrix(int r, int c)
      : rows(r), columns(c), values(static_cast<std::size_t>(r) * static_cast<std::size_t>(c)) {}
  T& at(int row, int column) {
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(column)];
  }
  T& at(Cell cell) { return at(cell.row, cell.column); }
};

// The operand's elements from all lanes into a matrix; place(lane, element) -> Cell, value(bits) -> T.
template <class T, class Place, class Value>
void gather(const Step& s, int operand, int bits, Matrix<T>& matrix, Place&& place, Value&& value) {
  for (int lane = 0; lane < warp_size; ++lane) {
    const auto registers = s.parts(s.operand(operand, lane));
    const int held = elements_of(registers.first(1), bits);  // by one register
    int i = 0;
    for (const module::Operand& reg : registers) {
      const auto word = s.get<uint64_t>(reg, lane);
      for (int part = 0; part < held; ++part, ++i)
        matrix.at(place(lane, i)) = value(word >> bits * part & low_ones(bits));
    }
  }
}

}  // namespace heddle::exec::interp
