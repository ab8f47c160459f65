// Products of a warpgroup, four warps (PTX ISA 9.7.15). A product is complete where it is issued, so that
// groups and waits have nothing to wait for. Each warp has 16 of the 64 rows and does them alone: what it
// reads of shared memory nobody may write before the product has been waited for.
//
// Operands: d, a (a descriptor or registers), b's descriptor; of sparse matrices metadata and its selector;
// scale_d; of floating-point numbers the signs of a and b; of 16-bit ones whether they are transposed.
#include <bit>
#include <vector>

#include "exec/interp/block.h"
#include "exec/interp/matrix/fragment.h"
#include "exec/interp/matrix/product.h"
#include "exec/interp/matrix/shape.h"
#include "exec/interp/matrix/shared_operand.h"
#include "exec/interp/matrix/sparse.h"
#include "exec/interp/matrix/tensor_sum.h"
#include "exec/interp/step.h"
#include "exec/memory_map.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

constexpr int rows_of_warp = 16;

Cell cell_of_d(int lane, int i) {
  return {(lane >> 2) + 8 * (i >> 1 & 1), 8 * (i >> 2) + 2 * (lane & 3) + (i & 1)};
}

struct Product {
  Shape shape;
  ElementType a, b, d;
  bool shared = false, sparse = false;
  int scale_d = 0;  // operand
  bool negate_a = false, negate_b = false;
  bool turn_a = false, turn_b = false;
  static constexpr Metadata metadata{3, 4};
  int stored() const { return sparse ? shape.k / 2 : shape.k; }  // of A, along k
};

Product product_of(Step& s, bool shared, bool sparse) {
  Product p;
  p.shape = shape_of(s.word(Slot::shape));
  p.a = element_type(s.type(Slot::atype));
  p.b = element_type(s.type(Slot::btype));
  p.d = element_type(s.type(Slot::dtype));
  p.shared = shared;
  p.sparse = sparse;
  p.scale_d = sparse ? 5 : 3;
  const auto flag = [&](int i) { return s.present(i) ? static_cast<int32_t>(s.operand(i).value) : 0; };
  p.negate_a = flag(p.scale_d + 1) == -1;
  p.negate_b = flag(p.scale_d + 2) == -1;
  if (p.a.bits == 16) {
    p.turn_a = shared && flag(p.scale_d + 3) == 1;
    p.turn_b = flag(p.scale_d + (shared ? 4 : 3)) == 1;
  }
  return p;
}

// A's stored rows of this warp, B, and what is added to their products.
template <class T>
struct Operands {
  Matrix<T> a, b, c;
};

// In the block's own memory: a descriptor has no rank.
SharedMatrix own_matrix(Step& s, uint64_t descriptor) {
  SharedMatrix m = SharedMatrix::of_warpgroup(descriptor);
  m.start |= static_cast<uint32_t>(shared_address(s.block().rank(), 0));
  return m;
}

// value(type, bits) -> T. False after a fault.
template <class T, class Value, class Sum>
bool read(Step& s, const Product& p, Value&& value, Sum&& sum, Operands<T>& o) {
  const int lane = std::countr_zero(s.lanes());
  if (p.shared) {
    const SharedMatrix m = own_matrix(s, s.get<uint64_t>(1, lane));
    const int first = static_cast<int>(s.warp().index() % 4) * rows_of_warp;
    if (!read_shared(s, lane, m, first, rows_of_warp, p.stored(), Packing::full(p.a.bits), p.turn_a,
                     [&](int row, int k, uint64_t bits) { o.a.at(row, k) = value(p.a, bits); }))
      return false;
  } else {
    const Shape shape{rows_of_warp, p.shape.n, p.stored()};
    const int packed = p.a.bits >= 32 ? 1 : 32 / p.a.bits;
    gather(
        s, 1, p.a.bits, o.a, [&](int l, int i) { return cell_of_a(shape, l, i, packed); },
        [&](uint64_t bits) { return value(p.a, bits); });
  }
  const SharedMatrix m = own_matrix(s, s.get<uint64_t>(2, lane));
  if (!read_shared(s, lane, m, 0, p.shape.n, p.shape.k, Packing::full(p.b.bits), p.turn_b,
                   [&](int column, int k, uint64_t bits) { o.b.at(k, column) = value(p.b, bits); }))
    return false;
  if (s.get_predicate(p.scale_d, lane)) gather(s, 0, p.d.bits, o.c, cell_of_d, sum);
  return true;
}

template <class T, class Bits>
void write(Step& s, const Product& p, Matrix<T>& d, Bits&& result) {
  for (int lane = 0; lane < warp_size; ++lane) {
    const auto registers = s.parts(s.operand(0, lane));
    const int held = 32 / p.d.bits;
    int i = 0;
    for (const module::Operand& reg : registers) {
      uint64_t word = 0;
      for (int part = 0; part < held; ++part, ++i)
        word |= (result(d.at(cell_of_d(lane, i))) & low_ones(p.d.bits)) << p.d.bits * part;
      s.set<uint64_t>(reg, lane, word);
    }
  }
}

template <class T>
Operands<T> room_for(const Product& p) {
  return {Matrix<T>(rows_of_warp, p.stored()), Matrix<T>(p.shape.k, p.shape.n),
          Matrix<T>(rows_of_warp, p.shape.n)};
}

void real_product(Step& s, bool shared, bool sparse) {
  if (!s.collect_warp()) return;
  const Product p = product_of(s, shared, sparse);
  auto o = room_for<double>(p);
  if (!read(s, p, real_value, [&](uint64_t bits) { return real_value(p.d, bits); }, o)) return;
  // Elements that are not stored have no product: an infinity of B beside them does not count.
  const Sparsity sparsity = sparsity_of(p.a);
  const int groups = p.shape.k / sparsity.of;
  std::vector<std::vector<Stored>> rows(rows_of_warp);
  for (int row = 0; row < rows_of_warp; ++row)
    for (int i = 0; i < p.stored(); ++i) {
      const double value = p.negate_a != p.negate_b ? -o.a.at(row, i) : o.a.at(row, i);
      const int k = sparse ? column_of(s, Product::metadata, sparsity, p.a.bits < 16, row, i, groups) : i;
      rows[static_cast<std::size_t>(row)].push_back({value, stored_exponent(p.a, value), k});
    }
  tensor_products(p.a, p.b, p.d, rows, o.b, o.c);
  const SumRule rule = sum_rule_of(p.a);
  write(s, p, o.c, [&](double value) { return tensor_result(p.d, value, rule); });
}

void integer_product(Step& s, bool shared, bool sparse) {
  if (!s.collect_warp()) return;
  const Product p = product_of(s, shared, sparse);
  auto o = room_for<int64_t>(p);
  if (!read(s, p, integer_value, [](uint64_t bits) { return int64_t{static_cast<int32_t>(bits)}; }, o))
    return;
  if (sparse) o.a = spread(s, Product::metadata, p.a, o.a, p.shape.k);
  multiply_add(o.a, o.b, o.c);  // of single bits: both are set
  write(s, p, o.c, [&](int64_t value) { return result_bits(value, s.has(Slot::satfinite)); });
}

}  // namespace

void eval_wgmma_f16_shared(Step& s) { real_product(s, true, false); }
void eval_wgmma_f16_registers(Step& s) { real_product(s, false, false); }
void eval_wgmma_bf16_shared(Step& s) { real_product(s, true, false); }
void eval_wgmma_bf16_registers(Step& s) { real_product(s, false, false); }
void eval_wgmma_tf32_shared(Step& s) { real_product(s, true, false); }
void eval_wgmma_tf32_registers(Step& s) { real_product(s, false, false); }
void eval_wgmma_f8_shared(Step& s) { real_product(s, true, false); }
void eval_wgmma_f8_registers(Step& s) { real_product(s, false, false); }
void eval_wgmma_int8_shared(Step& s) { integer_product(s, true, false); }
void eval_wgmma_int8_registers(Step& s) { integer_product(s, false, false); }
void eval_wgmma_b1_shared(Step& s) { integer_product(s, true, false); }
void eval_wgmma_b1_registers(Step& s) { integer_product(s, false, false); }
void eval_wgmma_sp_f16_shared(Step& s) { real_product(s, true, true); }
void eval_wgmma_sp_f16_registers(Step& s) { real_product(s, false, true); }
void eval_wgmma_sp_bf16_shared(Step& s) { real_product(s, true, true); }
void eval_wgmma_sp_bf16_registers(Step& s) { real_product(s, false, true); }
void eval_wgmma_sp_tf32_shared(Step& s) { real_product(s, true, true); }
void eval_wgmma_sp_tf32_registers(Step& s) { real_product(s, false, true); }
void eval_wgmma_sp_f8_shared(Step& s) { real_product(s, true, true); }
void eval_wgmma_sp_f8_registers(Step& s) { real_product(s, false, true); }
void eval_wgmma_sp_int8_shared(Step& s) { integer_product(s, true, true); }
void eval_wgmma_sp_int8_registers(Step& s) { integer_product(s, false, true); }

void eval_wgmma_fence(Step&) {}
void eval_wgmma_commit_group(Step&) {}
void eval_wgmma_wait_group(Step&) {}

}  // namespace heddle::exec::interp
