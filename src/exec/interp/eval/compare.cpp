// Comparison and selection (PTX ISA 9.7.6 and 9.7.7).
#include <cmath>
#include <type_traits>

#include "exec/interp/eval/floating.h"
#include "exec/interp/eval/typed.h"
#include "exec/interp/number/half.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

template <class T>
bool ordered_compare(Word cmp, T a, T b) {
  switch (cmp) {
    case Word::eq:
    case Word::equ: return a == b;
    case Word::ne:
    case Word::neu: return a != b;
    case Word::lt:
    case Word::ltu:
    case Word::lo: return a < b;
    case Word::le:
    case Word::leu:
    case Word::ls: return a <= b;
    case Word::gt:
    case Word::gtu:
    case Word::hi: return a > b;
    default: return a >= b;
  }
}

// With a NaN among the sources the plain comparisons are false and those ending in u are true (9.7.6.2).
bool compare(Word cmp, double a, double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  switch (cmp) {
    case Word::num: return !unordered;
    case Word::nan: return unordered;
    case Word::equ:
    case Word::neu:
    case Word::ltu:
    case Word::leu:
    case Word::gtu:
    case Word::geu: return unordered || ordered_compare(cmp, a, b);
    default: return !unordered && ordered_compare(cmp, a, b);
  }
}

bool joined(Word bool_op, bool t, bool c) {
  switch (bool_op) {
    case Word::and_: return t && c;
    case Word::or_: return t || c;
    case Word::xor_: return t != c;
    default: return t;  // none given
  }
}

// A source of any floating type as a double, which holds all of them exactly. Subnormals are flushed by .ftz,
// and always for f32 on devices that have none.
double source(Step& s, isa::Type type, int i, int lane, bool flush) {
  if (type == isa::Type::f64 && !demoted(s, type)) return s.get<double>(i, lane);
  if (isa::info(type).bits >= 32) return flushed_if(flush, s.get<float>(i, lane));
  const HalfType half{type == isa::Type::bf16};
  const auto bits = s.get<uint16_t>(i, lane);
  return half.decode(flush ? half.flushed(bits) : bits);
}

bool flushes(Step& s, isa::Type type) {
  return type == isa::Type::f32 || demoted(s, type) ? flushes_f32(s) : s.has(Slot::ftz);
}

// t(lane) for integer sources at operands `a` and `a` + 1.
template <class F>
void each_integer_test(Step& s, isa::Type type, int a, F&& f) {
  const Word cmp = s.word(Slot::cmp);
  // lo, ls, hi and hs compare as unsigned; the others as the type says (9.7.6.1).
  with_integer(type, [&]<class T>(T) {
    s.each([&](int lane) {
      const T x = s.get<T>(a, lane), y = s.get<T>(a + 1, lane);
      const bool as_unsigned = cmp == Word::lo || cmp == Word::ls || cmp == Word::hi || cmp == Word::hs;
      f(lane, as_unsigned ? ordered_compare(cmp, static_cast<Unsigned<T>>(x), static_cast<Unsigned<T>>(y))
                          : ordered_compare(cmp, x, y));
    });
  });
}

template <class F>
void each_float_test(Step& s, isa::Type type, int a, F&& f) {
  const Word cmp = s.word(Slot::cmp);
  const bool flush = flushes(s, type);
  s.each([&](int lane) {
    f(lane, compare(cmp, source(s, type, a, lane, flush), source(s, type, a + 1, lane, flush)));
  });
}

// p = t BoolOp c and q = !t BoolOp c. Operands: p, q, a, b and perhaps c.
void write_predicates(Step& s, int lane, bool t) {
  const Word op = s.word(Slot::bool_);
  const bool c = op != Word::none && s.get_predicate(4, lane);
  s.set_predicate(0, lane, joined(op, t, c));
  s.set_predicate(1, lane, joined(op, !t, c));
}

// A true result in the destination's type: all ones for integers, 1.0 for floating-point types.
uint64_t true_value(isa::Type type) {
  switch (type) {
    case isa::Type::f32: return 0x3f800000;
    case isa::Type::f16: return 0x3c00;
    case isa::Type::bf16: return 0x3f80;
    case isa::Type::u16:
    case isa::Type::s16: return 0xffff;
    default: return 0xffffffff;
  }
}

// Operands of set: d, a, b and perhaps c.
void write_value(Step& s, int lane, bool t) {
  const Word op = s.word(Slot::bool_);
  const bool result = joined(op, t, op != Word::none && s.get_predicate(3, lane));
  s.set<uint64_t>(0, lane, result ? true_value(s.type(Slot::dtype)) : 0);
}

// The two halves of a packed operand, with a half's test of its own.
template <class F>
void each_pair_test(Step& s, isa::Type type, int a, F&& f) {
  const Word cmp = s.word(Slot::cmp);
  const bool flush = s.has(Slot::ftz);
  const HalfType half_type{type == isa::Type::bf16x2};
  auto value = [&](uint32_t word, int half) -> double {
    const auto bits = static_cast<uint16_t>(word >> 16 * half);
    return half_type.decode(flush ? half_type.flushed(bits) : bits);
  };
  s.each([&](int lane) {
    const auto x = s.get<uint32_t>(a, lane), y = s.get<uint32_t>(a + 1, lane);
    f(lane, compare(cmp, value(x, 0), value(y, 0)), compare(cmp, value(x, 1), value(y, 1)));
  });
}

}  // namespace

void eval_setp_int(Step& s) {
  each_integer_test(s, s.type(), 2, [&](int lane, bool t) { write_predicates(s, lane, t); });
}
void eval_setp_float(Step& s) {
  each_float_test(s, s.type(), 2, [&](int lane, bool t) { write_predicates(s, lane, t); });
}
// Halves have no q (9.7.7.2): p, a, b and perhaps c.
void eval_setp_half(Step& s) {
  each_float_test(s, s.type(), 1, [&](int lane, bool t) {
    const Word op = s.word(Slot::bool_);
    s.set_predicate(0, lane, joined(op, t, op != Word::none && s.get_predicate(3, lane)));
  });
}

// p is the test of the low halves and q that of the high ones; both are joined with c (9.7.7.2).
void eval_setp_half_x2(Step& s) {
  each_pair_test(s, s.type(), 2, [&](int lane, bool low, bool high) {
    const Word op = s.word(Slot::bool_);
    const bool c = op != Word::none && s.get_predicate(4, lane);
    s.set_predicate(0, lane, joined(op, low, c));
    s.set_predicate(1, lane, joined(op, high, c));
  });
}

void eval_set_int(Step& s) {
  each_integer_test(s, s.type(Slot::stype), 1, [&](int lane, bool t) { write_value(s, lane, t); });
}
void eval_set_to_half(Step& s) {
  each_integer_test(s, s.type(Slot::stype), 1, [&](int lane, bool t) { write_value(s, lane, t); });
}
void eval_set_float(Step& s) {
  each_float_test(s, s.type(Slot::stype), 1, [&](int lane, bool t) { write_value(s, lane, t); });
}
void eval_set_float_to_half(Step& s) {
  each_float_test(s, s.type(Slot::stype), 1, [&](int lane, bool t) { write_value(s, lane, t); });
}
void eval_set_half(Step& s) {
  each_float_test(s, s.type(Slot::stype), 1, [&](int lane, bool t) { write_value(s, lane, t); });
}

// Packed to packed gives 1.0 in each half; to an integer, all ones in each half.
void eval_set_half_x2(Step& s) {
  const isa::Type to = s.type(Slot::dtype);
  const uint32_t one = to == isa::Type::f16x2 ? 0x3c00 : to == isa::Type::bf16x2 ? 0x3f80 : 0xffff;
  each_pair_test(s, s.type(Slot::stype), 1, [&](int lane, bool low, bool high) {
    const Word op = s.word(Slot::bool_);
    const bool c = op != Word::none && s.get_predicate(3, lane);
    s.set<uint32_t>(0, lane, (joined(op, low, c) ? one : 0) | (joined(op, high, c) ? one << 16 : 0));
  });
}

void eval_selp(Step& s) {
  s.each(
      [&](int lane) { s.set<uint64_t>(0, lane, s.get<uint64_t>(s.get_predicate(3, lane) ? 1 : 2, lane)); });
}

// a when c >= 0, else b. For f32 a negative zero counts as zero, and a NaN takes b (9.7.6.4).
void eval_slct_s32(Step& s) {
  s.each([&](int lane) {
    s.set<uint64_t>(0, lane, s.get<uint64_t>(s.get<int32_t>(3, lane) >= 0 ? 1 : 2, lane));
  });
}
void eval_slct_f32(Step& s) {
  const bool flush = flushes(s, isa::Type::f32);
  s.each([&](int lane) {
    s.set<uint64_t>(0, lane, s.get<uint64_t>(source(s, isa::Type::f32, 3, lane, flush) >= 0 ? 1 : 2, lane));
  });
}

}  // namespace heddle::exec::interp
