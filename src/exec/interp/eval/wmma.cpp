// wmma (PTX ISA 9.7.14.4). Which element a lane holds is not specified: here those that an NVIDIA H200 gives
// it, the fragments of mma (9.7.14.5) side by side. Loads and stores alone say where rows and columns lie in
// memory.
#include <algorithm>
#include <cstring>

#include "exec/interp/matrix/fragment.h"
#include "exec/interp/matrix/product.h"
#include "exec/interp/matrix/warp_sum.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

// One of the matrices of a product: A is m x k, B k x n, C and D m x n.
struct Tile {
  Shape shape;
  Word matrix;
  int rows, columns;
};

Tile tile_of(const Shape& shape, Word matrix) {
  if (matrix == Word::a) return {shape, matrix, shape.m, shape.k};
  if (matrix == Word::b) return {shape, matrix, shape.k, shape.n};
  return {shape, matrix, shape.m, shape.n};
}

// Four lanes share a row. Where n is more than m, the hardware multiplies the transposed matrices. Fragments
// with more room than elements repeat them.
Cell cell_of(const Tile& tile, int lane, int element, int bits) {
  const Shape& shape = tile.shape;
  const bool turned = shape.n > shape.m;
  const int row = lane / 4, quarter = lane % 4;
  element %= tile.rows * tile.columns / warp_size;
  if (tile.matrix != Word::a && tile.matrix != Word::b) {
    const int pair = element / 2, blocks = std::max(shape.m, shape.n) / 8;
    const Cell cell{row + 8 * (pair % blocks), 8 * (pair / blocks) + 2 * quarter + element % 2};
    return turned ? Cell{cell.column, cell.row} : cell;
  }
  const int held = std::max(1, 32 / bits),
            steps = shape.k / (4 * held);  // elements of a register; parts along k
  const int reg = element / held;
  const bool left = (tile.matrix == Word::a) != turned, by_sixteen = left && std::max(shape.m, shape.n) >= 16;
  const int step = by_sixteen ? reg / 2 % steps : reg % steps;
  const int across = row + (by_sixteen ? 8 * (reg % 2) + 16 * (reg / 2 / steps) : 8 * (reg / steps));
  const int along = (4 * step + quarter) * held + element % held;
  return tile.matrix == Word::a ? Cell{across, along} : Cell{along, across};
}

// f(lane, element, cell) for everything that the registers of an operand hold.
template <class F>
void each_element(Step& s, int operand, const Tile& tile, int bits, F&& f) {
  for (int lane = 0; lane < warp_size; ++lane) {
    const int count = elements_of(s.parts(s.operand(operand, lane)), bits);
    for (int i = 0; i < count; ++i) f(lane, i, cell_of(tile, lane, i, bits));
  }
}

// ---- memory: leading dimension `stride` in elements; elements below a byte stand in the order of their bits
uint64_t bit_place(Step& s, const Tile& tile, Cell cell, int stride_operand, int lane, int bits) {
  const bool by_row = s.word(Slot::layout) == Word::row;
  const int tight = by_row ? tile.columns : tile.rows;
  const uint64_t stride =
      s.present(stride_operand) ? s.get<uint32_t>(stride_operand, lane) : static_cast<uint64_t>(tight);
  const auto row = static_cast<uint64_t>(cell.row), column = static_cast<uint64_t>(cell.column);
  return (by_row ? row * stride + column : column * stride + row) * static_cast<uint64_t>(bits);
}

struct Place {
  uint64_t address;
  module::Space space;
};

Place base_of(Step& s, int operand, int lane) {
  const module::Operand& o = s.operand(operand, lane);
  const uint64_t address = s.address_of(o, lane);
  if (o.space != module::Space::generic) return {address, o.space};
  const module::Space space = s.space_of(address);
  return {s.from_generic(address, space), space};
}

void load(Step& s, isa::Type type) {
  if (!s.collect_warp()) return;
  const Tile tile = tile_of(shape_of(s.word(Slot::shape)), s.word(Slot::matrix));
  const int bits = element_type(type).bits;
  const uint32_t bytes = bits < 8 ? 1 : static_cast<uint32_t>(bits / 8);
  each_element(s, 0, tile, bits, [&](int lane, int i, Cell cell) {
    if (s.faulted()) return;
    const Place base = base_of(s, 1, lane);
    const uint64_t at = bit_place(s, tile, cell, 2, lane, bits);
    const Step::Place place = s.place(base.address + at / 8, base.space, lane, bytes, false);
    if (place.host == nullptr) return;
    uint64_t value = 0;
    std::memcpy(&value, place.host, bytes);
    if (bits < 8) value = value >> at % 8 & ((1u << bits) - 1);
    write_element(s, s.parts(s.operand(0, lane)), lane, i, bits, value);
  });
}

// ---- products
// Of fragments that repeat their elements the first ones count, as in an H200.
template <class T, class Value>
Matrix<T> gathered(Step& s, int operand, const Tile& tile, int bits, Value&& value) {
  Matrix<T> out(tile.rows, tile.columns);
  const int held = tile.rows * tile.columns / warp_size;
  each_element(s, operand, tile, bits, [&](int lane, int i, Cell cell) {
    if (i < held) out.at(cell) = value(read_element(s, s.parts(s.operand(operand, lane)), lane, i, bits));
  });
  return out;
}

template <class T, class Bits>
void write_result(Step& s, Matrix<T>& d, int bits, Bits&& result) {
  const Tile tile = tile_of(shape_of(s.word(Slot::shape)), Word::d);
  each_element(s, 0, tile, bits, [&](int lane, int i, Cell cell) {
    write_element(s, s.parts(s.operand(0, lane)), lane, i, bits, result(d.at(cell)));
  });
}

void real_product(Step& s, isa::Type factor, bool saturate = false) {
  if (!s.collect_warp()) return;
  const Shape shape = shape_of(s.word(Slot::shape));
  const ElementType e = element_type(factor), c_type = element_type(s.type(Slot::ctype)),
                    d_type = element_type(s.type(Slot::dtype));
  auto a = gathered<double>(s, 1, tile_of(shape, Word::a), e.bits,
                            [&](uint64_t bits) { return real_value(e, bits); });
  auto b = gathered<double>(s, 2, tile_of(shape, Word::b), e.bits,
                            [&](uint64_t bits) { return real_value(e, bits); });
  auto c = gathered<double>(s, 3, tile_of(shape, Word::c), c_type.bits,
                            [&](uint64_t bits) { return real_value(c_type, bits); });
  if (factor == isa::Type::f64)
    multiply_add_fused(a, b, c, rounding_of(s.word(Slot::rnd)));
  else
    add_warp_products(factor == isa::Type::tf32 ? Sums::fours : Sums::whole, e, e, c_type, d_type, a, b, c);
  write_result(s, c, d_type.bits, [&](double value) {
    const uint64_t bits = result_bits(d_type.type, value);
    if (!saturate) return bits;
    // .satfinite: infinities become the largest number, NaN becomes +0 (9.7.14.4.5)
    if (std::isnan(value)) return uint64_t{0};
    const Format& format = d_type.bits == 16 ? formats::f16 : formats::f32;
    return format.magnitude(bits) == format.infinity() ? (bits & format.sign_bit()) | format.largest() : bits;
  });
}

template <class Product>
void integer_product(Step& s, const ElementType& a_type, const ElementType& b_type, bool saturate,
                     Product&& product) {
  if (!s.collect_warp()) return;
  const Shape shape = shape_of(s.word(Slot::shape));
  auto a = gathered<int64_t>(s, 1, tile_of(shape, Word::a), a_type.bits,
                             [&](uint64_t bits) { return integer_value(a_type, bits); });
  auto b = gathered<int64_t>(s, 2, tile_of(shape, Word::b), b_type.bits,
                             [&](uint64_t bits) { return integer_value(b_type, bits); });
  auto c = gathered<int64_t>(s, 3, tile_of(shape, Word::c), 32,
                             [](uint64_t bits) { return int64_t{static_cast<int32_t>(bits)}; });
  for (int row = 0; row < c.rows; ++row)
    for (int column = 0; column < c.columns; ++column)
      for (int k = 0; k < a.columns; ++k) c.at(row, column) += product(a.at(row, k), b.at(k, column));
  write_result(s, c, 32, [&](int64_t value) { return result_bits(value, saturate); });
}

}  // namespace

void eval_wmma_load_a(Step& s) { load(s, s.type(Slot::atype)); }
void eval_wmma_load_b(Step& s) { load(s, s.type(Slot::btype)); }
void eval_wmma_load_c(Step& s) { load(s, s.type(Slot::ctype)); }

// Operands: [p], d and perhaps the stride.
void eval_wmma_store(Step& s) {
  if (!s.collect_warp()) return;
  const Tile tile = tile_of(shape_of(s.word(Slot::shape)), Word::d);
  const int bits = element_type(s.type(Slot::dtype)).bits;
  const auto bytes = static_cast<uint32_t>(bits / 8);
  each_element(s, 1, tile, bits, [&](int lane, int i, Cell cell) {
    if (s.faulted()) return;
    const Place base = base_of(s, 0, lane);
    const Step::Place place =
        s.place(base.address + bit_place(s, tile, cell, 2, lane, bits) / 8, base.space, lane, bytes, true);
    if (place.host == nullptr) return;
    const uint64_t value = read_element(s, s.parts(s.operand(1, lane)), lane, i, bits);
    std::memcpy(place.host, &value, bytes);
  });
}

void eval_wmma_mma_f16(Step& s) { real_product(s, isa::Type::f16, s.has(Slot::satfinite)); }
void eval_wmma_mma_bf16(Step& s) { real_product(s, isa::Type::bf16); }
void eval_wmma_mma_tf32(Step& s) { real_product(s, isa::Type::tf32); }
void eval_wmma_mma_f64(Step& s) { real_product(s, isa::Type::f64); }

void eval_wmma_mma_int(Step& s) {
  integer_product(s, element_type(s.type(Slot::atype)), element_type(s.type(Slot::btype)),
                  s.has(Slot::satfinite), [](int64_t a, int64_t b) { return a * b; });
}

void eval_wmma_mma_b1(Step& s) {
  const ElementType bit{isa::Type::b1, 1};
  const bool exclusive = s.word(Slot::op) == Word::xor_;
  integer_product(s, bit, bit, false, [&](int64_t a, int64_t b) { return exclusive ? a ^ b : a & b; });
}

}  // namespace heddle::exec::interp
