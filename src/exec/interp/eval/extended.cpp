// Extended-precision integer arithmetic (PTX ISA 9.7.2). A device subtracts by adding the complement: the bit
// CC.CF that sub.cc leaves is the carry of that sum, the opposite of a borrow, which an addc after it can
// see.
#include "exec/interp/eval/typed.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

// Signed and unsigned types give the same bits and the same carry: everything is computed unsigned.
template <class F>
void unsigned_of(Step& s, F&& f) {
  if (isa::info(s.type()).bits == 64) return f(uint64_t{});
  return f(uint32_t{});
}

template <class T>
void sum(Step& s, int lane, T a, T b, bool carry_in, bool write_carry) {
  const auto wide =
      static_cast<Wider<T>>(a) + static_cast<Wider<T>>(b) + static_cast<Wider<T>>(carry_in ? 1 : 0);
  s.set<T>(0, lane, static_cast<T>(wide));
  if (write_carry) s.set_carry(lane, (wide >> bits_of<T>) != 0);
}

template <class T>
void difference(Step& s, int lane, T a, T b, bool carry_in, bool write_carry) {
  sum<T>(s, lane, a, static_cast<T>(~b), carry_in, write_carry);
}

// mad.hi of signed types takes the signed high half.
template <class T>
T product(Step& s, int lane) {
  const T a = s.get<T>(1, lane), b = s.get<T>(2, lane);
  if (s.word(isa::Slot::mode) == isa::Word::lo) return low_product(a, b);
  if (isa::info(s.type()).kind == isa::TypeKind::signed_) {
    using S = std::make_signed_t<T>;
    return static_cast<T>(high_product(static_cast<S>(a), static_cast<S>(b)));
  }
  return high_product(a, b);
}

}  // namespace

void eval_add_cc(Step& s) {
  unsigned_of(s, [&]<class T>(T) {
    s.each([&](int lane) { sum<T>(s, lane, s.get<T>(1, lane), s.get<T>(2, lane), false, true); });
  });
}

void eval_addc(Step& s) {
  unsigned_of(s, [&]<class T>(T) {
    s.each([&](int lane) {
      sum<T>(s, lane, s.get<T>(1, lane), s.get<T>(2, lane), s.carry(lane), s.has(isa::Slot::cc));
    });
  });
}

void eval_sub_cc(Step& s) {
  unsigned_of(s, [&]<class T>(T) {
    s.each([&](int lane) { difference<T>(s, lane, s.get<T>(1, lane), s.get<T>(2, lane), true, true); });
  });
}

void eval_subc(Step& s) {
  unsigned_of(s, [&]<class T>(T) {
    s.each([&](int lane) {
      difference<T>(s, lane, s.get<T>(1, lane), s.get<T>(2, lane), s.carry(lane), s.has(isa::Slot::cc));
    });
  });
}

void eval_mad_cc(Step& s) {
  unsigned_of(s, [&]<class T>(T) {
    s.each([&](int lane) { sum<T>(s, lane, product<T>(s, lane), s.get<T>(3, lane), false, true); });
  });
}

void eval_madc(Step& s) {
  unsigned_of(s, [&]<class T>(T) {
    s.each([&](int lane) {
      sum<T>(s, lane, product<T>(s, lane), s.get<T>(3, lane), s.carry(lane), s.has(isa::Slot::cc));
    });
  });
}

}  // namespace heddle::exec::interp
