// mma.sync with dense operands (PTX ISA 9.7.14.5). Operands: d, a, b, c.
#include <bit>
#include <cmath>

#include "exec/interp/matrix/fragment.h"
#include "exec/interp/matrix/product.h"
#include "exec/interp/matrix/scale.h"
#include "exec/interp/matrix/scatter.h"
#include "exec/interp/matrix/warp_sum.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

template <class T, class Value>
Matrix<T> gather_a(Step& s, const Shape& shape, const ElementType& e, Value&& value) {
  Matrix<T> a(shape.m, shape.k);
  const int packed = per_register(e);
  gather(s, 1, e.bits, a, [&](int lane, int i) { return cell_of_a(shape, lane, i, packed); }, value);
  return a;
}

template <class T, class Value>
Matrix<T> gather_b(Step& s, const Shape& shape, const ElementType& e, Value&& value) {
  Matrix<T> b(shape.k, shape.n);
  const int packed = per_register(e);
  gather(s, 2, e.bits, b, [&](int lane, int i) { return cell_of_b(lane, i, packed); }, value);
  return b;
}

template <class T, class Value>
Matrix<T> gather_c(Step& s, const Shape& shape, int bits, Value&& value) {
  Matrix<T> c(shape.m, shape.n);
  gather(s, 3, bits, c, [](int lane, int i) { return cell_of_c(lane, i); }, value);
  return c;
}

void real_mma(Step& s, bool in_bytes = false, bool scaled = false) {
  if (!s.collect_warp()) return;
  const Shape shape = shape_of(s.word(Slot::shape));
  const ElementType a_type = element_type(s.type(Slot::atype), in_bytes),
                    b_type = element_type(s.type(Slot::btype), in_bytes);
  const ElementType c_type = element_type(s.type(Slot::ctype)), d_type = element_type(s.type(Slot::dtype));
  auto a = gather_a<double>(s, shape, a_type, [&](uint64_t bits) { return real_value(a_type, bits); });
  auto b = gather_b<double>(s, shape, b_type, [&](uint64_t bits) { return real_value(b_type, bits); });
  auto c = gather_c<double>(s, shape, c_type.bits, [&](uint64_t bits) { return real_value(c_type, bits); });
  if (scaled) scale_blocks(s, 4, a, b);
  if (d_type.type == isa::Type::f64)
    multiply_add_fused(a, b, c, rounding_of(s.word(Slot::rnd)));
  else
    add_warp_products(sums_of(a_type, in_bytes, scaled), a_type, b_type, c_type, d_type, a, b, c);
  scatter_d(s, c, d_type.bits, [&](double value) { return result_bits(d_type.type, value); });
}

void integer_mma(Step& s) {
  if (!s.collect_warp()) return;
  const Shape shape = shape_of(s.word(Slot::shape));
  const ElementType a_type = element_type(s.type(Slot::atype)), b_type = element_type(s.type(Slot::btype));
  auto a = gather_a<int64_t>(s, shape, a_type, [&](uint64_t bits) { return integer_value(a_type, bits); });
  auto b = gather_b<int64_t>(s, shape, b_type, [&](uint64_t bits) { return integer_value(b_type, bits); });
  auto c = gather_c<int64_t>(s, shape, 32, [](uint64_t bits) { return int64_t{static_cast<int32_t>(bits)}; });
  multiply_add(a, b, c);
  scatter_d(s, c, 32, [&](int64_t value) { return result_bits(value, s.has(Slot::satfinite)); });
}

// ---- m8n8k4 of f16: four products at once, one for each quad pair (lanes 4q to 4q+3 and 16 lanes on)
// (9.7.14.5.1)
int quad_pair(int lane) { return (lane & 15) >> 2; }
int upper_four(int lane) { return lane < 16 ? 0 : 4; }

Cell quad_cell_of_a(int lane, int i, bool by_row) {
  if (by_row) return {(lane & 3) + upper_four(lane), i};
  return {i + upper_four(lane), lane & 3};
}
Cell quad_cell_of_b(int lane, int i, bool by_row) {
  if (by_row) return {lane & 3, i + upper_four(lane)};
  return {i, (lane & 3) + upper_four(lane)};
}
Cell quad_cell_of_c(int lane, int i, bool half) {
  if (half) return {(lane & 3) + upper_four(lane), i};
  return {(lane & 1) + (i & 2) + upper_four(lane), (i & 4) + (lane & 2) + (i & 1)};
}

void quad_mma(Step& s) {
  if (!s.collect_warp()) return;
  const bool a_by_row = s.word(Slot::alayout) == Word::row, b_by_row = s.word(Slot::blayout) == Word::row;
  const ElementType c_type = element_type(s.type(Slot::ctype)), d_type = element_type(s.type(Slot::dtype));
  const ElementType half = element_type(isa::Type::f16);
  struct Quad {
    Matrix<double> a{8, 4}, b{4, 8}, c{8, 8};
  } quads[4];
  for (int lane = 0; lane < warp_size; ++lane) {
    Quad& quad = quads[quad_pair(lane)];
    const auto a = s.parts(s.operand(1, lane)), b = s.parts(s.operand(2, lane)),
               c = s.parts(s.operand(3, lane));
    for (int i = 0; i < 4; ++i) {
      quad.a.at(quad_cell_of_a(lane, i, a_by_row)) = real_value(half, read_element(s, a, lane, i, 16));
      quad.b.at(quad_cell_of_b(lane, i, b_by_row)) = real_value(half, read_element(s, b, lane, i, 16));
    }
    for (int i = 0; i < 8; ++i)
      quad.c.at(quad_cell_of_c(lane, i, c_type.bits == 16)) =
          real_value(c_type, read_element(s, c, lane, i, c_type.bits));
  }
  // To f32 a device of 9.0 has no instruction for it: a chain of fused multiply-adds, then c
  // (tests/hw/h200/tensor).
  const auto chain = [](Quad& quad) {
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column) {
        float sum = 0;
        for (int k = 0; k < 4; ++k)
          sum =
              std::fma(static_cast<float>(quad.a.at(row, k)), static_cast<float>(quad.b.at(k, column)), sum);
        double& c = quad.c.at(row, column);
        c = static_cast<double>(sum + static_cast<float>(c));
      }
  };
  for (Quad& quad : quads) {
    if (d_type.bits == 32)
      chain(quad);
    else
      multiply_add(quad.a, quad.b, quad.c);
  }
  for (int lane = 0; lane < warp_size; ++lane) {
    const auto d = s.parts(s.operand(0, lane));
    for (int i = 0; i < 8; ++i)
      write_element(
          s, d, lane, i, d_type.bits,
          result_bits(d_type.type, quads[quad_pair(lane)].c.at(quad_cell_of_c(lane, i, d_type.bits == 16))));
  }
}

}  // namespace

void eval_mma_f16(Step& s) {
  if (shape_of(s.word(Slot::shape)).m == 8) return quad_mma(s);
  real_mma(s);
}
void eval_mma_bf16(Step& s) { real_mma(s); }
void eval_mma_tf32(Step& s) { real_mma(s); }
void eval_mma_f8(Step& s) { real_mma(s); }
void eval_mma_f8f6f4(Step& s) { real_mma(s, true); }
void eval_mma_block_scale(Step& s) { real_mma(s, s.word(Slot::kind) == Word::kind_mxf8f6f4, true); }
void eval_mma_f64(Step& s) { real_mma(s); }
void eval_mma_int8(Step& s) { integer_mma(s); }
void eval_mma_int4(Step& s) { integer_mma(s); }

// Counts the ones of a xor b, or of a and b, along k.
void eval_mma_b1(Step& s) {
  if (!s.collect_warp()) return;
  const Shape shape = shape_of(s.word(Slot::shape));
  const bool exclusive = s.word(Slot::op) == Word::xor_;
  const ElementType bit{isa::Type::b1, 1};
  auto a = gather_a<int64_t>(s, shape, bit, [](uint64_t bits) { return static_cast<int64_t>(bits); });
  auto b = gather_b<int64_t>(s, shape, bit, [](uint64_t bits) { return static_cast<int64_t>(bits); });
  auto c = gather_c<int64_t>(s, shape, 32, [](uint64_t bits) { return int64_t{static_cast<int32_t>(bits)}; });
  for (int row = 0; row < c.rows; ++row)
    for (int column = 0; column < c.columns; ++column)
      for (int k = 0; k < a.columns; ++k)
        c.at(row, column) += exclusive ? a.at(row, k) ^ b.at(k, column) : a.at(row, k) & b.at(k, column);
  scatter_d(s, c, 32, [&](int64_t value) { return result_bits(value, false); });
}

}  // namespace heddle::exec::interp
