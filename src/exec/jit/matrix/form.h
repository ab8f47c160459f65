// What one matrix instruction of PTX is (PTX ISA 9.7.14): the registers of a warp that it reads and writes,
// in a row of memory, the frame, and what is done with them. No LLVM here: native code fills the frame, the
// run works on it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "exec/jit/abi/site.h"
#include "isa/isa.h"
#include "module/image.h"

namespace heddle::exec::jit::matrix {

inline constexpr unsigned warp_lanes = 32;
inline constexpr uint32_t frame_bytes = 16384;  // more than any form needs

// One register of the frame, for all lanes: 4 or 8 bytes each. Address and stride are always 8.
struct Register {
  uint32_t slot = module::none;
  uint8_t bytes = 4;
  uint32_t at = 0;      // in the frame
  bool unread = false;  // of a fragment with more room than elements: others hold the same
  uint32_t frame_size() const { return bytes * warp_lanes; }
};

// What the elements of an operand are. Elements of kind::f8f6f4 take a byte each, whatever they are.
enum class Number : uint8_t {
  f16,
  bf16,
  tf32,
  f32,
  f64,
  e4m3,
  e5m2,
  e3m2,
  e2m3,
  e2m1,
  e2m1_in_byte,
  s8,
  u8,
  s4,
  u4,
  b1,
  s32,
  count
};
inline constexpr std::size_t number_count = static_cast<std::size_t>(Number::count);
int bits_of(Number number);  // of its place in a register
inline bool is_integer(Number n) {
  return n == Number::s8 || n == Number::u8 || n == Number::s4 || n == Number::u4 || n == Number::b1;
}

struct Size {
  int m = 0, n = 0, k = 0;
};
Size size_of(isa::Word shape);

enum class Kind : uint8_t {
  product,   // d = a * b + c
  quads,     // the same for m8n8k4 of f16: four products
  load,      // wmma.load: d, from lines of memory
  store,     // wmma.store
  rows_in,   // ldmatrix
  rows_out,  // stmatrix
  turn,      // movmatrix
};

// Which matrix an operand of wmma is.
enum class Role : uint8_t { a, b, c };

struct Form {
  Kind kind = Kind::product;
  Size size;
  // The registers, fragment behind fragment: of a product a, b, c, then metadata and scales; of memory the
  // address first.
  std::vector<Register> in, out;
  uint32_t a_at = 0, b_at = 0, c_at = 0, d_at = 0;  // in the frame

  // ---- of a product
  Number a = Number::f16, b = Number::f16, c = Number::f32, d = Number::f32;
  // exec/interp/matrix/warp_sum.h: how products are summed.
  enum class Sums : uint8_t { exact, whole, pairs } sums = Sums::exact;
  bool wmma = false;       // fragments side by side, some twice
  bool saturate = false;   // .satfinite
  bool exclusive = false;  // of bits: xor, not and
  bool a_by_row = true, b_by_row = false;
  bool sparse = false, scaled = false;
  uint32_t metadata_at = 0, selector = 0;
  int scales = 0;               // in a row or column along k
  bool unsigned_scale = false;  // ue4m3, not ue8m0
  uint32_t scale_a_at = 0, scale_b_at = 0;
  // {byte, lane} of each: constants, or registers.
  struct Choice {
    uint32_t value = 0, at = module::none;
  };
  Choice scale_a_byte, scale_a_lane, scale_b_byte, scale_b_lane;

  // ---- of memory
  module::Space space = module::Space::generic;
  uint64_t offset = 0;  // behind the address
  bool has_stride = false;
  uint32_t stride_at = 0;
  Role role = Role::a;
  bool by_row = true;
  int matrices = 1;
  bool transposed = false;
};

// Nothing for other instructions, and for what only the reference executor does.
std::optional<Form> form_of(const module::Image& image, const Site& site);

// Of a kernel's sites.
using Forms = std::unordered_map<uint32_t, Form>;
Forms forms_of(const module::Image& image, std::span<const Site> sites);

}  // namespace heddle::exec::jit::matrix
