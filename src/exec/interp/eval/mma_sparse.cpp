// mma.sp: half of A's elements along k are zero and not stored; metadata says where the stored ones stand
// (PTX ISA 9.7.14.6). Operands: d, a, b, c, metadata, selector, and for scaled blocks the scales.
#include <algorithm>
#include <bit>

#include "exec/interp/matrix/fragment.h"
#include "exec/interp/matrix/product.h"
#include "exec/interp/matrix/scale.h"
#include "exec/interp/matrix/scatter.h"
#include "exec/interp/matrix/sparse.h"
#include "exec/interp/matrix/warp_sum.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

constexpr Metadata metadata{4, 5};

template <class T, class Value>
Matrix<T> gather_sparse_a(Step& s, const Shape& shape, const ElementType& e, Value&& value) {
  const Sparsity sparsity = sparsity_of(e);
  Matrix<T> packed(shape.m, shape.k * sparsity.kept / sparsity.of);
  const int in_register = per_register(e);
  gather(
      s, 1, e.bits, packed, [&](int lane, int i) { return cell_of_a(shape, lane, i, in_register); }, value);
  return spread(s, metadata, e, packed, shape.k);
}

template <class T, class Value>
Matrix<T> gather_b(Step& s, const Shape& shape, const ElementType& e, Value&& value) {
  Matrix<T> b(shape.k, shape.n);
  const int in_register = per_register(e);
  gather(s, 2, e.bits, b, [&](int lane, int i) { return cell_of_b(lane, i, in_register); }, value);
  return b;
}

void real_sparse(Step& s, bool in_bytes = false, bool scaled = false) {
  if (!s.collect_warp()) return;
  const Shape shape = shape_of(s.word(Slot::shape));
  const ElementType a_type = element_type(s.type(Slot::atype), in_bytes),
                    b_type = element_type(s.type(Slot::btype), in_bytes);
  const ElementType c_type = element_type(s.type(Slot::ctype)), d_type = element_type(s.type(Slot::dtype));
  auto a = gather_sparse_a<double>(s, shape, a_type, [&](uint64_t bits) { return real_value(a_type, bits); });
  auto b = gather_b<double>(s, shape, b_type, [&](uint64_t bits) { return real_value(b_type, bits); });
  Matrix<double> c(shape.m, shape.n);
  gather(
      s, 3, c_type.bits, c, [](int lane, int i) { return cell_of_c(lane, i); },
      [&](uint64_t bits) { return real_value(c_type, bits); });
  if (scaled) scale_blocks(s, 6, a, b);
  const Sparsity sparsity = sparsity_of(a_type);
  Matrix<double> ones(shape.m, shape.k * sparsity.kept / sparsity.of);
  std::fill(ones.values.begin(), ones.values.end(), 1.0);
  Matrix<double> stored = spread(s, metadata, a_type, ones, shape.k);
  add_warp_products(sums_of(a_type, in_bytes, scaled), a_type, b_type, c_type, d_type, a, b, c, &stored);
  scatter_d(s, c, d_type.bits, [&](double value) { return result_bits(d_type.type, value); });
}

void integer_sparse(Step& s) {
  if (!s.collect_warp()) return;
  const Shape shape = shape_of(s.word(Slot::shape));
  const ElementType a_type = element_type(s.type(Slot::atype)), b_type = element_type(s.type(Slot::btype));
  auto a =
      gather_sparse_a<int64_t>(s, shape, a_type, [&](uint64_t bits) { return integer_value(a_type, bits); });
  auto b = gather_b<int64_t>(s, shape, b_type, [&](uint64_t bits) { return integer_value(b_type, bits); });
  Matrix<int64_t> c(shape.m, shape.n);
  gather(
      s, 3, 32, c, [](int lane, int i) { return cell_of_c(lane, i); },
      [](uint64_t bits) { return int64_t{static_cast<int32_t>(bits)}; });
  multiply_add(a, b, c);
  scatter_d(s, c, 32, [&](int64_t value) { return result_bits(value, s.has(Slot::satfinite)); });
}

}  // namespace

void eval_mma_sp_f16(Step& s) { real_sparse(s); }
void eval_mma_sp_bf16(Step& s) { real_sparse(s); }
void eval_mma_sp_tf32(Step& s) { real_sparse(s); }
void eval_mma_sp_f8(Step& s) { real_sparse(s); }
void eval_mma_sp_f8f6f4(Step& s) { real_sparse(s, true); }
void eval_mma_sp_int8(Step& s) { integer_sparse(s); }
void eval_mma_sp_int4(Step& s) { integer_sparse(s); }
void eval_mma_sp_block_scale(Step& s) { real_sparse(s, s.word(Slot::kind) == Word::kind_mxf8f6f4, true); }

}  // namespace heddle::exec::interp
