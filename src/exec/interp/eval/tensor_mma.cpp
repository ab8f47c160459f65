// Products into tensor memory (PTX ISA 9.7.16.10), of one block or of a pair, whose blocks have half of the
// rows of A and of D and half of the columns of B each. Complete where they are issued, by one thread.
//
// Operands: d, a (a descriptor or tensor memory), b's descriptor, the instruction's descriptor, of a sparse A
// its metadata before that; then scales of A and B or a mask of lanes, whether D is added, and by which power
// of two it is divided before.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "exec/interp/block.h"
#include "exec/interp/eval/tensor_access.h"
#include "exec/interp/matrix/product.h"
#include "exec/interp/matrix/scale.h"
#include "exec/interp/matrix/sparse.h"
#include "exec/interp/matrix/warp_sum.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Type;
using isa::Word;

uint32_t field(uint32_t descriptor, int first, int bits) {
  return descriptor >> first & static_cast<uint32_t>(low_ones(bits));
}

struct Product {
  Shape shape;         // of the whole
  int blocks = 1;      // that share it
  bool alone = false;  // .ws: A stays where it is, and rows may be few
  Type a{}, b{}, d{};
  bool negate = false;  // A or B, not both
  bool turn_a = false, turn_b = false;
  bool saturate = false;
  bool sparse = false;           // half of A's columns are stored
  uint32_t metadata_column = 0;  // of two
  int scales = 0;                // of a row, along k; 0: there are none
  Type scale_type{};
  uint32_t first_scale_a = 0, first_scale_b = 0;                 // bytes
  int stored() const { return sparse ? shape.k / 2 : shape.k; }  // columns of A
  int rows() const { return shape.m / blocks; }                  // of a block
};

// Types by their numbers in the descriptor (9.7.16.4.1 and 9.7.16.4.2); none where there is none.
Type float_type(uint32_t number) {
  constexpr Type types[] = {Type::f16, Type::bf16, Type::tf32};
  return number < 3 ? types[number] : Type::none;
}
Type small_type(uint32_t number) {
  constexpr Type types[] = {Type::e4m3, Type::e5m2, Type::none, Type::e2m3, Type::e3m2, Type::e2m1};
  return number < 6 ? types[number] : Type::none;
}
Type operand_type(Word kind, uint32_t number) {
  switch (kind) {
    case Word::kind_f16: return number < 2 ? float_type(number) : Type::none;
    case Word::kind_tf32: return number == 2 ? Type::tf32 : Type::none;
    case Word::kind_i8: return number == 0 ? Type::u8 : number == 1 ? Type::s8 : Type::none;
    case Word::kind_f8f6f4:
    case Word::kind_mxf8f6f4: return small_type(number);
    default: return number == 1 ? Type::e2m1 : Type::none;  // mxf4, mxf4nvf4
  }
}
int columns_of_a(Word kind) {  // of one instruction: 32 bytes
  switch (kind) {
    case Word::kind_f16: return 16;
    case Word::kind_tf32: return 8;
    case Word::kind_mxf4:
    case Word::kind_mxf4nvf4: return 64;
    default: return 32;
  }
}
// 6- and 4-bit elements stand beside others of 8 bits.
bool in_bytes(Word kind) { return kind == Word::kind_f8f6f4 || kind == Word::kind_mxf8f6f4; }

int scales_of(const Step& s, Word kind) {
  switch (s.word(Slot::scale_vec)) {
    case Word::scale_vec_1X: return 1;
    case Word::scale_vec_2X: return 2;
    case Word::scale_vec_4X:
    case Word::block16: return 4;
    default: return kind == Word::kind_mxf8f6f4 ? 1 : 2;  // block32, or nothing
  }
}

// Nothing after a fault, which names the field.
std::optional<Product> product_of(Step& s, int lane, uint32_t descriptor) {
  const Word kind = s.word(Slot::kind);
  Product p;
  p.blocks = s.word(Slot::cta_group) == Word::cta_group_2 ? 2 : 1;
  p.alone = s.has(Slot::ws);
  p.a = operand_type(kind, field(descriptor, 7, 3));
  p.b = operand_type(kind, field(descriptor, 10, 3));
  p.negate = field(descriptor, 13, 1) != field(descriptor, 14, 1);
  p.turn_a = field(descriptor, 15, 1) != 0;
  p.turn_b = field(descriptor, 16, 1) != 0;
  p.shape = {static_cast<int>(field(descriptor, 24, 5)) * 16, static_cast<int>(field(descriptor, 17, 6)) * 8,
             columns_of_a(kind)};
  const auto wrong = [&](const std::string& what) {
    s.fault(FaultKind::illegal_instruction, lane, "the instruction descriptor of tcgen05.mma has " + what);
    return std::nullopt;
  };
  if (p.a == Type::none || p.b == Type::none)
    return wrong("type " + std::to_string(field(descriptor, p.a == Type::none ? 7 : 10, 3)) + " for " +
                 (p.a == Type::none ? "A" : "B") + ", which " + std::string(isa::spelling(kind)) +
                 " has not");
  p.sparse = s.has(Slot::sparse);
  if ((field(descriptor, 2, 1) != 0) != p.sparse)
    return wrong(p.sparse ? "no sparse A, and the instruction has"
                          : "a sparse A, and the instruction has not");
  if (p.sparse) {
    p.shape.k *= 2;
    p.metadata_column = field(descriptor, 0, 2);
    if (p.metadata_column > (element_type(p.a).bits >= 16 ? 1U : 0U))
      return wrong("sparsity selector " + std::to_string(p.metadata_column));
    if (p.rows() != 128)
      return wrong(std::to_string(p.rows()) + " rows of a block with a sparse A; only 128 are executed yet");
  }
  if (s.has(Slot::block_scale)) {
    p.d = Type::f32;
    p.scales = scales_of(s, kind);
    p.scale_type = field(descriptor, 23, 1) != 0 ? Type::ue8m0 : Type::ue4m3;
    p.first_scale_b = field(descriptor, 4, 2);
    p.first_scale_a = field(descriptor, 29, 2);
    if (field(descriptor, 31, 1) != 0) return wrong("96 columns of A, which only sm_103a has");
    if (std::max(p.first_scale_a, p.first_scale_b) + static_cast<uint32_t>(p.scales) > 4)
      return wrong("scales that go over their column");
  } else {
    const uint32_t d = field(descriptor, 4, 2);
    p.d = kind == Word::kind_i8 ? Type::s32 : d == 0 ? Type::f16 : Type::f32;
    if (d != (p.d == Type::s32 ? 2U : p.d == Type::f32 ? 1U : 0U) || (kind == Word::kind_tf32 && d != 1))
      return wrong("type " + std::to_string(d) + " for D");
    p.saturate = field(descriptor, 3, 1) != 0;
  }
  const auto is_one_of = [&](std::initializer_list<int> sizes) {
    return std::ranges::count(sizes, p.shape.m) != 0;
  };
  const bool rows = p.alone         ? is_one_of({32, 64, 128})
                    : p.blocks == 2 ? is_one_of({128, 256})
                                    : is_one_of({64, 128});
  if (!rows) return wrong(std::to_string(p.shape.m) + " rows");
  const int step = p.blocks == 2 || p.shape.m == 128 ? 16 : 8;
  const bool columns = p.alone ? p.shape.n == 64 || p.shape.n == 128 || p.shape.n == 256
                               : p.shape.n > 0 && p.shape.n <= 256 && p.shape.n % step == 0;
  if (!columns)
    return wrong(std::to_string(p.shape.n) + " columns; allowed are " +
                 (p.alone ? "64, 128 and 256" : "multiples of " + std::to_string(step) + " up to 256"));
  return p;
}

// ---- where things stand (9.7.16.10.5): lane and column behind the address
TensorAddress cell_of_d(const Product& p, int row, int column) {
  const int all = p.shape.n;
  const auto parts = [&](int count, int lanes) {  // columns in so many parts, so many lanes apart
    return TensorAddress{static_cast<uint32_t>(row + column / (all / count) * lanes),
                         static_cast<uint32_t>(column % (all / count))};
  };
  if (p.rows() == 32) return parts(4, 32);
  if (p.rows() == 64 && (p.alone || p.blocks == 2)) return parts(2, 64);
  if (p.rows() == 64) return {static_cast<uint32_t>(row / 16 * 32 + row % 16), static_cast<uint32_t>(column)};
  return {static_cast<uint32_t>(row), static_cast<uint32_t>(column)};
}
// Where fewer rows than lanes stand, programs write them twice, and the first copy is read.
uint32_t lane_of_a(const Product& p, int row) {
  const bool apart = p.rows() == 64 && !p.alone && p.blocks == 1;
  return static_cast<uint32_t>(apart ? row / 16 * 32 + row % 16 : row);
}
TensorAddress cell_of_scale(int row) {
  return {static_cast<uint32_t>(row % 32), static_cast<uint32_t>(row / 32)};
}
TensorAddress cell_of_scale_b(const Product& p, int column) {
  if (p.blocks != 2 || p.rows() != 64) return cell_of_scale(column);
  const int half = p.shape.n / 2;
  TensorAddress at = cell_of_scale(column % half);
  at.lane += column / half * 64;
  return at;
}

// The four bits of a group of columns. Of elements of 8 bits and fewer a row has a lane; of longer ones eight
// rows have the first half of the columns in eight lanes and the second half in the next eight, and the eight
// rows after them stand in the upper half of the word.
struct MetadataPlace {
  uint32_t lane, column;
  int bit;
};
MetadataPlace place_of_metadata(const Product& p, int row, int group) {
  if (element_type(p.a, true).bits == 8)
    return {static_cast<uint32_t>(row), static_cast<uint32_t>(group / 8), group % 8 * 4};
  return {static_cast<uint32_t>(row / 16 * 16 + group / 4 * 8 + row % 8), 0,
          row / 8 % 2 * 16 + group % 4 * 4};
}

Packing packing_of(Word kind, Type type) {
  const ElementType e = element_type(type);
  if (in_bytes(kind)) return {16, type == Type::e2m1 ? 4 : type == Type::e2m3 || type == Type::e3m2 ? 6 : 8};
  return Packing::full(e.bits);
}

// The instruction's operands, by number.
struct Operands {
  int metadata = -1, descriptor = 3, scale_a = -1, scale_b = -1, mask = -1, enable = 4, divide = -1;
  bool shared = true;  // A
};

template <class T>
class Multiplication {
 public:
  Multiplication(Step& s, int lane, const Product& p, const Operands& o, BlockGroup group)
      : s_(s), lane_(lane), p_(p), o_(o), group_(group), kind_(s.word(Slot::kind)) {}

  // value(type, bits) of operands, sum(bits) of D; multiply(A, B, D, which of A is stored) in place of D;
  // result(value) -> bits.
  template <class Value, class Sum, class Multiply, class Result>
  void run(Value&& value, Sum&& sum, Multiply&& multiply, Result&& result) {
    Matrix<T> b(p_.shape.k, p_.shape.n);
    if (!read_b(b, value)) return;
    for (int i = 0; i < p_.blocks; ++i) {
      Block& block = *group_.blocks[static_cast<std::size_t>(i)];
      Matrix<T> a(p_.rows(), p_.stored()), d(p_.rows(), p_.shape.n), stored(0, 0), own = b;
      if (!read_a(block, a, value) || !spread(block, a, stored) || !scale(block, a, own) ||
          !each_of_d(i, block, [&](int row, int column, uint32_t& word) {
            if (s_.get_predicate(o_.enable, lane_)) d.at(row, column) = sum(word);
          }))
        return;
      multiply(a, own, d, p_.sparse ? &stored : nullptr);
      each_of_d(i, block, [&](int row, int column, uint32_t& word) { word = result(d.at(row, column)); });
    }
  }

 private:
  TensorAddress address(int operand) const {
    return TensorAddress::of(s_.address_of(s_.operand(operand, lane_), lane_));
  }

  template <class Value>
  bool read_b(Matrix<T>& b, Value&& value) {
    const ElementType e = element_type(p_.b);
    const int columns = p_.shape.n / p_.blocks;
    for (int i = 0; i < p_.blocks; ++i) {
      const auto m =
          shared_matrix(s_, lane_, *group_.blocks[static_cast<std::size_t>(i)], s_.get<uint64_t>(2, lane_));
      if (!m || !read_shared(s_, lane_, *m, 0, columns, p_.shape.k, packing_of(kind_, p_.b), p_.turn_b,
                             [&](int column, int k, uint32_t bits) {
                               b.at(k, i * columns + column) = value(e, bits);
                             }))
        return false;
    }
    return true;
  }

  template <class Value>
  bool read_a(Block& block, Matrix<T>& a, Value&& value) {
    const auto put = [&](const ElementType& e, int row, int k, uint32_t bits) {
      const T v = value(e, bits);
      a.at(row, k) = p_.negate ? -v : v;
    };
    if (o_.shared) {
      const ElementType e = element_type(p_.a);
      const auto m = shared_matrix(s_, lane_, block, s_.get<uint64_t>(1, lane_));
      return m && read_shared(s_, lane_, *m, 0, p_.rows(), p_.stored(), packing_of(kind_, p_.a), p_.turn_a,
                              [&](int row, int k, uint32_t bits) { put(e, row, k, bits); });
    }
    const ElementType e = element_type(p_.a, in_bytes(kind_));
    const TensorAddress at = address(1);
    for (int row = 0; row < p_.rows(); ++row)
      for (int k = 0; k < p_.stored(); ++k) {
        const int bit = k * e.bits;
        const uint32_t* word = tensor_word(s_, lane_, block.tensor_memory(), at.lane + lane_of_a(p_, row),
                                           at.column + static_cast<uint32_t>(bit / 32));
        if (word == nullptr) return false;
        put(e, row, k, *word >> bit % 32 & static_cast<uint32_t>(low_ones(e.bits)));
      }
    return true;
  }

  // A with all of its columns, of the stored half: which ones these are is told by four bits for each four
  // columns, of tf32 for each two, of numbers that stand two in a byte for each eight, in pairs
  // (9.7.16.10.9).
  bool spread(Block& block, Matrix<T>& a, Matrix<T>& stored) {
    if (!p_.sparse) return true;
    const Sparsity sparsity = sparsity_of(element_type(p_.a, in_bytes(kind_)));
    Matrix<T> full(a.rows, p_.shape.k);
    stored = Matrix<T>(a.rows, p_.shape.k);
    const TensorAddress at = address(o_.metadata);
    for (int row = 0; row < a.rows; ++row)
      for (int group = 0; group < p_.shape.k / sparsity.of; ++group) {
        const MetadataPlace place = place_of_metadata(p_, row, group);
        const uint32_t* word = tensor_word(s_, lane_, block.tensor_memory(), at.lane + place.lane,
                                           at.column + place.column + p_.metadata_column);
        if (word == nullptr) return false;
        const uint32_t bits = *word >> place.bit & 15;
        for (int i = 0; i < sparsity.kept; ++i) {
          const int index = i / sparsity.together;
          const int chosen =
              sparsity.of == 2 ? static_cast<int>(bits == 0b1110) : static_cast<int>(bits >> 2 * index & 3);
          const int column = group * sparsity.of + chosen * sparsity.together + i % sparsity.together;
          full.at(row, column) = a.at(row, group * sparsity.kept + i);
          stored.at(row, column) = 1;
        }
      }
    a = std::move(full);
    return true;
  }

  // The scale of block `index` along k. Programs keep the number of its first byte in the address's two
  // topmost bits as well (CUTLASS does), where no lane has any.
  bool read_scale(Block& block, int operand, TensorAddress cell, uint32_t first, int index, double& scale) {
    constexpr uint32_t lane_bits = 0x3fff;
    const TensorAddress at = address(operand);
    const uint32_t* word = tensor_word(s_, lane_, block.tensor_memory(), (at.lane & lane_bits) + cell.lane,
                                       at.column + cell.column);
    if (word == nullptr) return false;
    scale = scale_value(p_.scale_type, *word >> 8 * (first + static_cast<uint32_t>(index)) & 0xff);
    return true;
  }
  bool scale(Block& block, Matrix<T>& a, Matrix<T>& b) {
    if (p_.scales == 0) return true;
    const int length = p_.shape.k / p_.scales;
    double by = 1;
    for (int index = 0; index < p_.scales; ++index) {
      for (int row = 0; row < a.rows; ++row) {
        if (!read_scale(block, o_.scale_a, cell_of_scale(row), p_.first_scale_a, index, by)) return false;
        for (int k = 0; k < length; ++k) a.at(row, index * length + k) *= static_cast<T>(by);
      }
      for (int column = 0; column < b.columns; ++column) {
        if (!read_scale(block, o_.scale_b, cell_of_scale_b(p_, column), p_.first_scale_b, index, by))
          return false;
        for (int k = 0; k < length; ++k) b.at(index * length + k, column) *= static_cast<T>(by);
      }
    }
    return true;
  }

  // use(row, column, word) but for lanes that the mask takes out.
  template <class Use>
  bool each_of_d(int number, Block& block, Use&& use) {
    const TensorAddress at = address(0);
    for (int row = 0; row < p_.rows(); ++row)
      for (int column = 0; column < p_.shape.n; ++column) {
        const TensorAddress cell = cell_of_d(p_, row, column);
        const uint32_t tensor_lane = at.lane + cell.lane;
        if (is_masked(number, tensor_lane)) continue;
        uint32_t* word = tensor_word(s_, lane_, block.tensor_memory(), tensor_lane, at.column + cell.column);
        if (word == nullptr) return false;
        use(row, column, *word);
      }
    return true;
  }
  bool is_masked(int number, uint32_t tensor_lane) const {
    if (o_.mask < 0 || tensor_lane >= TensorMemory::lanes) return false;
    const auto words = s_.parts(s_.operand(o_.mask, lane_));
    const auto word = static_cast<std::size_t>(number) * 4 + tensor_lane / 32;
    return (s_.get<uint32_t>(words[word], lane_) >> tensor_lane % 32 & 1) != 0;
  }

  Step& s_;
  const int lane_;
  const Product& p_;
  const Operands& o_;
  const BlockGroup group_;
  const Word kind_;
};

void multiply_integers(Step& s, int lane, const Product& p, const Operands& o, BlockGroup group) {
  Multiplication<int64_t>(s, lane, p, o, group)
      .run(
          integer_value, [](uint32_t word) { return int64_t{static_cast<int32_t>(word)}; },
          [](Matrix<int64_t>& a, Matrix<int64_t>& b, Matrix<int64_t>& d, Matrix<int64_t>*) {
            multiply_add(a, b, d);
          },
          [&](int64_t value) { return static_cast<uint32_t>(result_bits(value, p.saturate)); });
}

// Sums as mma.sync makes them (warp_sum.h): nobody has recorded those of this generation.
void multiply_reals(Step& s, int lane, const Product& p, const Operands& o, BlockGroup group) {
  const ElementType a_type = element_type(p.a), b_type = element_type(p.b), d_type = element_type(p.d);
  const bool bytes = in_bytes(s.word(Slot::kind));
  const double part =
      o.divide >= 0 && s.present(o.divide) ? std::ldexp(1.0, -s.get<int32_t>(o.divide, lane)) : 1;
  Multiplication<double>(s, lane, p, o, group)
      .run(
          real_value, [&](uint32_t word) { return real_value(d_type, word & low_ones(d_type.bits)) * part; },
          [&](Matrix<double>& a, Matrix<double>& b, Matrix<double>& d, Matrix<double>* stored) {
            add_warp_products(sums_of(a_type, bytes, p.scales != 0), a_type, b_type, d_type, d_type, a, b, d,
                              stored);
          },
          [&](double value) { return static_cast<uint32_t>(result_bits(p.d, value)); });
}

void multiply(Step& s, const Operands& o, int zeros = -1) {
  s.each([&](int lane) {
    if (s.faulted()) return;
    const auto cannot = [&](const char* what) {
      s.fault(FaultKind::illegal_instruction, lane,
              std::string("tcgen05.mma with ") + what + " is not executed yet");
    };
    if (s.has(Slot::ashift)) return cannot(".ashift");
    if (zeros >= 0 && s.present(zeros)) return cannot("a mask of columns that are zero");
    const BlockGroup group = block_group(s, lane);
    if (group.count == 0) return;
    const auto p = product_of(s, lane, s.get<uint32_t>(o.descriptor, lane));
    if (!p) return;
    if (p->d == Type::s32)
      multiply_integers(s, lane, *p, o, group);
    else
      multiply_reals(s, lane, *p, o, group);
  });
}

constexpr Operands plain(bool shared) { return {.enable = 4, .divide = 5, .shared = shared}; }
constexpr Operands masked(bool shared) { return {.mask = 4, .enable = 5, .divide = 6, .shared = shared}; }
constexpr Operands scaled(bool shared) { return {.scale_a = 4, .scale_b = 5, .enable = 6, .shared = shared}; }
constexpr Operands sparse(bool shared) {
  return {.metadata = 3, .descriptor = 4, .enable = 5, .divide = 6, .shared = shared};
}
constexpr Operands sparse_masked(bool shared) {
  return {.metadata = 3, .descriptor = 4, .mask = 5, .enable = 6, .divide = 7, .shared = shared};
}
constexpr Operands sparse_scaled(bool shared) {
  return {.metadata = 3, .descriptor = 4, .scale_a = 5, .scale_b = 6, .enable = 7, .shared = shared};
}
constexpr Operands alone(bool shared) { return {.enable = 4, .shared = shared}; }

}  // namespace

void eval_tcgen05_mma_shared(Step& s) { multiply(s, plain(true)); }
void eval_tcgen05_mma_shared_masked(Step& s) { multiply(s, masked(true)); }
void eval_tcgen05_mma_shared_block_scale(Step& s) { multiply(s, scaled(true)); }
void eval_tcgen05_mma_ws_shared(Step& s) { multiply(s, alone(true), 5); }
void eval_tcgen05_mma_tensor(Step& s) { multiply(s, plain(false)); }
void eval_tcgen05_mma_tensor_masked(Step& s) { multiply(s, masked(false)); }
void eval_tcgen05_mma_tensor_block_scale(Step& s) { multiply(s, scaled(false)); }
void eval_tcgen05_mma_ws_tensor(Step& s) { multiply(s, alone(false), 5); }
void eval_tcgen05_mma_sp_shared(Step& s) { multiply(s, sparse(true)); }
void eval_tcgen05_mma_sp_shared_masked(Step& s) { multiply(s, sparse_masked(true)); }
void eval_tcgen05_mma_sp_tensor(Step& s) { multiply(s, sparse(false)); }
void eval_tcgen05_mma_sp_tensor_masked(Step& s) { multiply(s, sparse_masked(false)); }
void eval_tcgen05_mma_sp_shared_block_scale(Step& s) { multiply(s, sparse_scaled(true)); }
void eval_tcgen05_mma_sp_tensor_block_scale(Step& s) { multiply(s, sparse_scaled(false)); }

}  // namespace heddle::exec::interp
