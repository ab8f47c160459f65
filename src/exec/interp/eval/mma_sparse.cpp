// mma.sp: half of A's elements along k are zero and not stored; metadata says where the stored ones stand
// (PTX ISA 9.7.14.6). Operands: d, a, b, c, metadata, selector, and for scaled blocks the scales.
#include <bit>

#include "exec/interp/matrix/fragment.h"
#include "exec/interp/matrix/product.h"
#include "exec/interp/matrix/scale.h"
#include "exec/interp/matrix/scatter.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

// How stored elements are chosen: of every `of` elements along k, groups of `together` neighbours are kept or
// not. An index takes two bits, and a choice of one in two is written as one of 0b0100 and 0b1110 (tf32): its
// groups are halves of elements.
struct Sparsity {
  int of;        // elements along k that four bits of metadata describe
  int kept;      // of which are stored
  int together;  // stored side by side under one index
};

Sparsity sparsity_of(const ElementType& e) {
  if (e.bits == 32) return {2, 1, 1};  // tf32: one of two
  if (e.bits == 4) return {8, 4, 2};   // four of eight, in pairs
  return {4, 2, 1};
}

// The 4 bits that describe group `index` of a row (9.7.14.6.1). The selector says which lanes of a quad count
// where fewer than four are needed. For 16- and 32-bit elements a lane has four groups of row g in its low
// half-word and four of row g + 8 in the high one; for smaller elements it has eight groups of one row, the
// lane after it those of row g + 8.
unsigned nibble(Step& s, bool small, int row, int index, int groups) {
  const int lanes = groups / 4;  // of the quad, for both rows
  const int first = static_cast<int>(s.operand(5).value) * lanes, lower = row >> 3;
  const int offset = small ? 2 * (index / 8) + lower : index / 4;
  const int shift = small ? 4 * (index % 8) : 16 * lower + 4 * (index % 4);
  return s.get<uint32_t>(4, 4 * (row & 7) + (first + offset) % 4) >> shift & 15;
}

// Column of stored element `i` of a row.
int column_of(Step& s, const Sparsity& sparsity, bool small, int row, int i, int groups) {
  const int group = i / sparsity.kept, inside = i % sparsity.kept;
  const unsigned bits = nibble(s, small, row, group, groups);
  if (sparsity.of == 2) return 2 * group + (bits == 0b1110 ? 1 : 0);
  const int chosen = static_cast<int>(bits >> 2 * (inside / sparsity.together) & 3);
  return sparsity.of * group + chosen * sparsity.together + inside % sparsity.together;
}

template <class T, class Value>
Matrix<T> gather_sparse_a(Step& s, const Shape& shape, const ElementType& e, Value&& value) {
  const Sparsity sparsity = sparsity_of(e);
  const int stored = shape.k * sparsity.kept / sparsity.of, groups = shape.k / sparsity.of;
  Matrix<T> packed(shape.m, stored), full(shape.m, shape.k);
  const int in_register = per_register(e);
  gather(
      s, 1, e.bits, packed, [&](int lane, int i) { return cell_of_a(shape, lane, i, in_register); }, value);
  for (int row = 0; row < shape.m; ++row)
    for (int i = 0; i < stored; ++i)
      full.at(row, column_of(s, sparsity, e.bits < 16, row, i, groups)) = packed.at(row, i);
  return full;
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
  multiply_add(a, b, c);
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
