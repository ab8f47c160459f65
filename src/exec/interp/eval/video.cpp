// Video instructions on parts of registers (PTX ISA 9.7.14) and on all halves or bytes at once (9.7.15).
#include <algorithm>
#include <array>
#include <string_view>

#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

bool is_signed(Word type) { return isa::info(isa::type_of(type)).kind == isa::TypeKind::signed_; }

int64_t extended(uint32_t bits, unsigned width, bool as_signed) {
  const unsigned rest = 32 - width;
  return as_signed ? static_cast<int32_t>(bits << rest) >> rest : static_cast<int64_t>(bits << rest >> rest);
}

int64_t clamped(int64_t value, unsigned width, bool as_signed) {
  const int64_t low = as_signed ? -(int64_t{1} << (width - 1)) : 0;
  const int64_t high = as_signed ? (int64_t{1} << (width - 1)) - 1 : (int64_t{1} << width) - 1;
  return std::clamp(value, low, high);
}

bool compares(Word cmp, int64_t a, int64_t b) {
  switch (cmp) {
    case Word::eq: return a == b;
    case Word::ne: return a != b;
    case Word::lt: return a < b;
    case Word::le: return a <= b;
    case Word::gt: return a > b;
    default: return a >= b;
  }
}

// ---- scalar
// ---------------------------------------------------------------------------------------------------------
struct Part {  // .b2: 8 bits from bit 16 on; no selector: all 32 bits
  unsigned width = 32, first = 0;
};

Part part_of(Word component) {
  if (component == Word::none) return {};
  const std::string_view text = isa::spelling(component);
  const unsigned width = text[0] == 'b' ? 8 : 16;
  return {width, static_cast<unsigned>(text[1] - '0') * width};
}

int64_t source(Step& s, int i, int lane, Word type) {
  const module::Operand& o = s.operand(i, lane);
  const Part part = part_of(o.component);
  return extended(s.get<uint32_t>(i, lane) >> part.first, part.width, is_signed(type));
}

// Clamped for .sat, then joined with c: by the second operation, on numbers of the result's type, or put into
// the selected part of it (9.7.14).
void write_scalar(Step& s, int lane, int64_t value, bool d_signed) {
  const Part part = part_of(s.operand(0, lane).component);
  if (s.has(Slot::sat)) value = clamped(value, part.width, d_signed);
  if (s.present(3)) {
    const uint32_t bits = s.get<uint32_t>(3, lane);
    const int64_t c = extended(bits, 32, d_signed);
    switch (s.word(Slot::op2)) {
      case Word::add: value += c; break;
      case Word::min: value = std::min(value, c); break;
      case Word::max: value = std::max(value, c); break;
      default: {
        const auto mask = static_cast<uint32_t>(((uint64_t{1} << part.width) - 1) << part.first);
        value = (bits & ~mask) | (static_cast<uint32_t>(value) << part.first & mask);
      }
    }
  }
  s.set<uint32_t>(0, lane, static_cast<uint32_t>(value));
}

template <class F>
void scalar(Step& s, F&& f) {
  const Word atype = s.word(Slot::atype), btype = s.word(Slot::btype);
  const bool d_signed = s.has(Slot::dtype) && is_signed(s.word(Slot::dtype));
  s.each([&](int lane) {
    write_scalar(s, lane, f(source(s, 1, lane, atype), source(s, 2, lane, btype)), d_signed);
  });
}

// The shift amount: past the width it stops at 32 or wraps (9.7.14.2).
unsigned amount(const Step& s, int64_t b) {
  const auto n = static_cast<uint32_t>(b);
  return s.word(Slot::extend) == Word::wrap ? n & 31 : std::min(n, 32u);
}

// ---- SIMD
// -----------------------------------------------------------------------------------------------------------
// `.h32`, `.b7654`: for each element from the highest down, which of the elements of {b, a} it takes.
template <unsigned count>
std::array<unsigned, count> selected(Word component, unsigned first) {
  std::array<unsigned, count> out{};
  const std::string_view text = component == Word::none ? std::string_view() : isa::spelling(component);
  for (unsigned i = 0; i < count; ++i)
    out[i] = text.empty() ? first + i : static_cast<unsigned>(text[count - i] - '0');
  return out;
}

// `.h1`, `.b310`: the elements of d that are written.
unsigned mask_of(Word component) {
  if (component == Word::none) return ~0u;
  unsigned mask = 0;
  for (const char digit : isa::spelling(component).substr(1)) mask |= 1u << (digit - '0');
  return mask;
}

template <unsigned count, class F>
void simd(Step& s, F&& f) {
  constexpr unsigned width = 32 / count;
  constexpr uint32_t ones = width == 16 ? 0xffff : 0xff;
  const bool a_signed = is_signed(s.word(Slot::atype)), b_signed = is_signed(s.word(Slot::btype));
  const bool d_signed = s.has(Slot::dtype) && is_signed(s.word(Slot::dtype));
  const unsigned mask = mask_of(s.operand(0).component);
  const auto a_from = selected<count>(s.operand(1).component, 0);
  const auto b_from = selected<count>(s.operand(2).component, count);
  s.each([&](int lane) {
    const uint64_t pair = uint64_t{s.get<uint32_t>(2, lane)} << 32 | s.get<uint32_t>(1, lane);
    const uint32_t c = s.get<uint32_t>(3, lane);
    uint32_t merged = 0, sum = c;
    for (unsigned i = 0; i < count; ++i) {
      const auto a = extended(static_cast<uint32_t>(pair >> width * a_from[i]), width, a_signed);
      const auto b = extended(static_cast<uint32_t>(pair >> width * b_from[i]), width, b_signed);
      int64_t value = f(a, b);
      if (s.has(Slot::sat)) value = clamped(value, width, d_signed);
      const bool taken = (mask >> i & 1) != 0;
      if (taken) sum += static_cast<uint32_t>(value);
      merged |= (taken ? static_cast<uint32_t>(value) & ones : c >> width * i & ones) << width * i;
    }
    s.set<uint32_t>(0, lane, s.has(Slot::op2) ? sum : merged);
  });
}

// Halves round up, those of a negative sum down (9.7.15.1).
int64_t average(int64_t a, int64_t b) { return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1; }

int64_t plus(int64_t a, int64_t b) { return a + b; }
int64_t minus(int64_t a, int64_t b) { return a - b; }
int64_t distance(int64_t a, int64_t b) { return a < b ? b - a : a - b; }
int64_t smaller(int64_t a, int64_t b) { return std::min(a, b); }
int64_t larger(int64_t a, int64_t b) { return std::max(a, b); }

}  // namespace

void eval_vadd(Step& s) { scalar(s, plus); }
void eval_vsub(Step& s) { scalar(s, minus); }
void eval_vabsdiff(Step& s) { scalar(s, distance); }
void eval_vmin(Step& s) { scalar(s, smaller); }
void eval_vmax(Step& s) { scalar(s, larger); }

// What a scalar operation gives is a number of 34 bits with a sign; saturation sees no more of it (9.7.18.1).
void eval_vshl(Step& s) {
  scalar(s, [&](int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) << amount(s, b) << 30) >> 30;
  });
}
void eval_vshr(Step& s) {
  scalar(s, [&](int64_t a, int64_t b) { return a >> amount(s, b); });
}
void eval_vset(Step& s) {
  scalar(s, [&](int64_t a, int64_t b) -> int64_t { return compares(s.word(Slot::cmp), a, b) ? 1 : 0; });
}

// (a * b) + c with at most one of them negated, or plus one; shifted, then clamped (9.7.14.3).
void eval_vmad(Step& s) {
  const Word atype = s.word(Slot::atype), btype = s.word(Slot::btype);
  const bool minus_product = s.operand(1).negated != s.operand(2).negated, minus_c = s.operand(3).negated;
  const bool result_signed = is_signed(atype) || is_signed(btype) || minus_product || minus_c;
  const unsigned shift = s.word(Slot::scale) == Word::shr7 ? 7 : s.word(Slot::scale) == Word::shr15 ? 15 : 0;
  s.each([&](int lane) {
    __int128 value = static_cast<__int128>(source(s, 1, lane, atype)) * source(s, 2, lane, btype);
    __int128 c = extended(s.get<uint32_t>(3, lane), 32, result_signed);
    if (s.has(Slot::po))
      value += 1;
    else if (minus_product)
      value = -value;
    else if (minus_c)
      c = -c;
    value = (value + c) >> shift;
    if (s.has(Slot::sat)) {
      const __int128 low = result_signed ? -(__int128{1} << 31) : 0;
      const __int128 high = result_signed ? (__int128{1} << 31) - 1 : (__int128{1} << 32) - 1;
      value = std::clamp(value, low, high);
    }
    s.set<uint32_t>(0, lane, static_cast<uint32_t>(value));
  });
}

void eval_vadd2(Step& s) { simd<2>(s, plus); }
void eval_vsub2(Step& s) { simd<2>(s, minus); }
void eval_vavrg2(Step& s) { simd<2>(s, average); }
void eval_vabsdiff2(Step& s) { simd<2>(s, distance); }
void eval_vmin2(Step& s) { simd<2>(s, smaller); }
void eval_vmax2(Step& s) { simd<2>(s, larger); }
void eval_vset2(Step& s) {
  simd<2>(s, [&](int64_t a, int64_t b) -> int64_t { return compares(s.word(Slot::cmp), a, b) ? 1 : 0; });
}
void eval_vadd4(Step& s) { simd<4>(s, plus); }
void eval_vsub4(Step& s) { simd<4>(s, minus); }
void eval_vavrg4(Step& s) { simd<4>(s, average); }
void eval_vabsdiff4(Step& s) { simd<4>(s, distance); }
void eval_vmin4(Step& s) { simd<4>(s, smaller); }
void eval_vmax4(Step& s) { simd<4>(s, larger); }
void eval_vset4(Step& s) {
  simd<4>(s, [&](int64_t a, int64_t b) -> int64_t { return compares(s.word(Slot::cmp), a, b) ? 1 : 0; });
}

}  // namespace heddle::exec::interp
