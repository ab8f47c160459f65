// Order, sign and class of f32 and f64 (PTX ISA 9.7.3.1, 9.7.3.2, 9.7.3.9 to 9.7.3.12): instructions that
// look at the bits and round nothing.
#include "exec/interp/eval/floating.h"
#include "exec/interp/number/order.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

using isa::Slot;
using isa::Word;

template <class T>
inline constexpr Format format_of = sizeof(T) == 4 ? formats::f32 : formats::f64;
template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

// A source's bits; f32 ones without subnormals where `flush` says.
template <class T>
Bits<T> bits(Step& s, int i, int lane, bool flush) {
  T value = s.get<T>(i, lane);
  if constexpr (sizeof(T) == 4) value = flushed_if(flush, value);
  return std::bit_cast<Bits<T>>(value);
}

template <class T>
Bits<T> settled_nan(Bits<T> a, Bits<T> b) {
  if constexpr (sizeof(T) == 4)
    return nan_f32;
  else
    return std::bit_cast<Bits<T>>(nan_of(std::bit_cast<T>(b), std::bit_cast<T>(a)));
}

template <class T>
Bits<T> two(const Order& order, Bits<T> a, Bits<T> b) {
  return extremum(format_of<T>, order, a, b, settled_nan<T>(a, b));
}

Order order_of(Step& s, bool larger) {
  return {larger, s.has(Slot::nan), s.has(Slot::abs), s.has(Slot::xorsign)};
}

void order(Step& s, bool larger) {
  const Order order = order_of(s, larger);
  const bool flush = flushes_f32(s);
  with_floating(s, s.type(), [&]<class T>(T) {
    s.each([&](int lane) {
      s.set(0, lane, two<T>(order, bits<T>(s, 1, lane, flush), bits<T>(s, 2, lane, flush)));
    });
  });
}

void order3(Step& s, bool larger) {
  const Order order = order_of(s, larger);
  const bool flush = flushes_f32(s);
  s.each([&](int lane) {
    const uint32_t ab = two<float>(order, bits<float>(s, 1, lane, flush), bits<float>(s, 2, lane, flush));
    s.set(0, lane, two<float>(order, ab, bits<float>(s, 3, lane, flush)));
  });
}

// neg and abs: f(bits, sign bit).
template <class F>
void change_sign(Step& s, F&& f) {
  const bool flush = flushes_f32(s);
  with_floating(s, s.type(), [&]<class T>(T) {
    const auto sign = static_cast<Bits<T>>(format_of<T>.sign_bit());
    s.each([&](int lane) {
      const Bits<T> a = bits<T>(s, 1, lane, flush);
      if (format_of<T>.is_nan(a)) return s.set<Bits<T>>(0, lane, settled_nan<T>(a, a));
      s.set<Bits<T>>(0, lane, f(a, sign));
    });
  });
}

}  // namespace

void eval_min_float(Step& s) { order(s, false); }
void eval_max_float(Step& s) { order(s, true); }
void eval_min_float3(Step& s) { order3(s, false); }
void eval_max_float3(Step& s) { order3(s, true); }

void eval_abs_float(Step& s) {
  change_sign(s, []<class B>(B a, B sign) { return static_cast<B>(a & ~sign); });
}
void eval_neg_float(Step& s) {
  change_sign(s, []<class B>(B a, B sign) { return static_cast<B>(a ^ sign); });
}

// The sign of a on b (9.7.3.2).
void eval_copysign(Step& s) {
  with_floating(s, s.type(), [&]<class T>(T) {
    const auto sign = static_cast<Bits<T>>(format_of<T>.sign_bit());
    s.each([&](int lane) {
      s.set<Bits<T>>(0, lane, (bits<T>(s, 1, lane, false) & sign) | (bits<T>(s, 2, lane, false) & ~sign));
    });
  });
}

// Zeros count as normal (9.7.3.1).
void eval_testp(Step& s) {
  const Word test = s.word(Slot::test);
  with_floating(s, s.type(), [&]<class T>(T) {
    constexpr Format format = format_of<T>;
    s.each([&](int lane) {
      const uint64_t a = format.magnitude(bits<T>(s, 1, lane, false));
      const bool nan = a > format.infinity(), finite = a < format.infinity(),
                 subnormal = format.is_subnormal(a);
      bool result = false;
      switch (test) {
        case Word::finite: result = finite; break;
        case Word::infinite: result = a == format.infinity(); break;
        case Word::number: result = !nan; break;
        case Word::notanumber: result = nan; break;
        case Word::normal: result = finite && !subnormal; break;
        default: result = subnormal; break;
      }
      s.set_predicate(0, lane, result);
    });
  });
}

}  // namespace heddle::exec::interp
