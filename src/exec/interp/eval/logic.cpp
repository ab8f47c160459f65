// Logic and shifts (PTX ISA 9.7.8).
#include <algorithm>

#include "exec/interp/eval/typed.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

bool on_predicates(Step& s) { return isa::info(s.type()).kind == isa::TypeKind::predicate; }

template <class F>
void bitwise(Step& s, F&& f) {
  if (on_predicates(s)) {
    s.each([&](int lane) {
      const uint64_t a = s.get_predicate(1, lane) ? 1 : 0, b = s.get_predicate(2, lane) ? 1 : 0;
      s.set_predicate(0, lane, (f(a, b) & 1) != 0);
    });
    return;
  }
  with_integer(s.type(), [&]<class T>(T) {
    s.each([&](int lane) { s.set<T>(0, lane, static_cast<T>(f(s.get<T>(1, lane), s.get<T>(2, lane)))); });
  });
}

// A lookup table's answer for every bit position: bit abc of the table (9.7.8.6).
uint32_t lookup(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t out = 0;
  for (uint32_t row = 0; row < 8; ++row) {
    if ((table >> row & 1) == 0) continue;
    out |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  }
  return out;
}

// The three inputs stand from operand `first` on, the table after them.
uint32_t lookup(Step& s, int first, int lane) {
  return lookup(s.get<uint32_t>(first, lane), s.get<uint32_t>(first + 1, lane),
                s.get<uint32_t>(first + 2, lane), s.get<uint32_t>(first + 3, lane));
}

}  // namespace

void eval_bit_and(Step& s) {
  bitwise(s, [](uint64_t a, uint64_t b) { return a & b; });
}
void eval_bit_or(Step& s) {
  bitwise(s, [](uint64_t a, uint64_t b) { return a | b; });
}
void eval_bit_xor(Step& s) {
  bitwise(s, [](uint64_t a, uint64_t b) { return a ^ b; });
}

void eval_bit_not(Step& s) {
  if (on_predicates(s)) return s.each([&](int lane) { s.set_predicate(0, lane, !s.get_predicate(1, lane)); });
  with_integer(s.type(), [&]<class T>(T) {
    s.each([&](int lane) { s.set<T>(0, lane, static_cast<T>(~s.get<T>(1, lane))); });
  });
}

void eval_cnot(Step& s) {
  with_integer(s.type(), [&]<class T>(T) {
    s.each([&](int lane) { s.set<T>(0, lane, s.get<T>(1, lane) == T{0} ? T{1} : T{0}); });
  });
}

void eval_lop3(Step& s) {
  s.each([&](int lane) { s.set<uint32_t>(0, lane, lookup(s, 1, lane)); });
}

// d = lookup; p = (d != 0) BoolOp q.
void eval_lop3_predicate(Step& s) {
  const bool is_and = s.word(isa::Slot::bool_) == isa::Word::and_;
  s.each([&](int lane) {
    const uint32_t d = lookup(s, 2, lane);
    const bool q = s.get_predicate(6, lane);
    s.set<uint32_t>(0, lane, d);
    s.set_predicate(1, lane, is_and ? (d != 0 && q) : (d != 0 || q));
  });
}

// The 64 bits [b:a] shifted: the high word after a left shift, the low one after a right shift (9.7.8.7).
void eval_shf(Step& s) {
  const bool left = s.word(isa::Slot::direction) == isa::Word::l;
  const bool clamp = s.word(isa::Slot::extend) == isa::Word::clamp;
  s.each([&](int lane) {
    const uint64_t pair = uint64_t{s.get<uint32_t>(2, lane)} << 32 | s.get<uint32_t>(1, lane);
    const uint32_t amount = s.get<uint32_t>(3, lane);
    const uint32_t n = clamp ? std::min(amount, 32u) : amount & 31;
    s.set<uint32_t>(0, lane, static_cast<uint32_t>(left ? pair << n >> 32 : pair >> n));
  });
}

// Amounts are unsigned and clamp at the width: everything is shifted out, or the sign remains
// (9.7.8.8, 9.7.8.9).
void eval_shl(Step& s) {
  with_integer(s.type(), [&]<class T>(T) {
    s.each([&](int lane) {
      const uint32_t n = s.get<uint32_t>(2, lane);
      s.set<T>(0, lane,
               n >= bits_of<T> ? T{0} : static_cast<T>(static_cast<uint64_t>(s.get<T>(1, lane)) << n));
    });
  });
}

void eval_shr(Step& s) {
  with_integer(s.type(), [&]<class T>(T) {
    s.each([&](int lane) {
      const T a = s.get<T>(1, lane);
      const uint32_t n = s.get<uint32_t>(2, lane);
      const T all = std::is_signed_v<T> && a < T{0} ? static_cast<T>(-1) : T{0};
      s.set<T>(0, lane, n >= bits_of<T> ? all : static_cast<T>(a >> n));
    });
  });
}

}  // namespace heddle::exec::interp
