// Integer arithmetic (PTX ISA 9.7.1): sums, products, quotients, order.
#include <algorithm>
#include <limits>

#include "exec/interp/eval/typed.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

template <class T>
T clamp_to(Wider<T> value) {
  using Limits = std::numeric_limits<T>;
  if (value < static_cast<Wider<T>>(Limits::min())) return Limits::min();
  if (value > static_cast<Wider<T>>(Limits::max())) return Limits::max();
  return static_cast<T>(value);
}

// d = f(a, b), all of the instruction's type.
template <class F>
void binary(Step& s, F&& f) {
  with_integer(s.type(), [&](auto zero) {
    using T = decltype(zero);
    s.each([&](int lane) { s.set<T>(0, lane, f(s.get<T>(1, lane), s.get<T>(2, lane))); });
  });
}

template <class F>
void binary_x2(Step& s, F&& f) {
  with_integer(s.type(), [&](auto zero) {
    using T = decltype(zero);
    s.each([&](int lane) {
      s.set<uint32_t>(
          0, lane, by_halves(s.get<uint32_t>(1, lane), s.get<uint32_t>(2, lane), [&](uint16_t a, uint16_t b) {
            return static_cast<uint16_t>(f(static_cast<T>(a), static_cast<T>(b)));
          }));
    });
  });
}

template <class T>
T not_negative(Step& s, T value) {  // .relu
  return s.has(isa::Slot::relu) && value < T{0} ? T{0} : value;
}

// The low 24 bits of an operand, sign-extended for .s32 (9.7.1.5).
int64_t operand24(uint32_t bits, bool is_signed) {
  return is_signed ? static_cast<int32_t>(bits << 8) >> 8 : static_cast<int64_t>(bits & 0xffffff);
}

// mul24.lo gives bits 31..0 of the 48-bit product, mul24.hi bits 47..16.
uint32_t product24(Step& s, int lane) {
  const bool is_signed = isa::info(s.type()).kind == isa::TypeKind::signed_;
  const int64_t product =
      operand24(s.get<uint32_t>(1, lane), is_signed) * operand24(s.get<uint32_t>(2, lane), is_signed);
  return static_cast<uint32_t>(s.word(isa::Slot::mode) == isa::Word::hi ? product >> 16 : product);
}

}  // namespace

void eval_add_int(Step& s) {
  const bool saturate = s.has(isa::Slot::sat);
  binary(s, [&]<class T>(T a, T b) {
    return saturate ? clamp_to<T>(static_cast<Wider<T>>(a) + static_cast<Wider<T>>(b)) : wrap_add(a, b);
  });
}

void eval_sub_int(Step& s) {
  const bool saturate = s.has(isa::Slot::sat);
  binary(s, [&]<class T>(T a, T b) {
    return saturate ? clamp_to<T>(static_cast<Wider<T>>(a) - static_cast<Wider<T>>(b)) : wrap_sub(a, b);
  });
}

void eval_add_int_x2(Step& s) {
  binary_x2(s, []<class T>(T a, T b) { return wrap_add(a, b); });
}

void eval_mul_int(Step& s) {
  const isa::Word mode = s.word(isa::Slot::mode);
  if (mode == isa::Word::hi) return binary(s, []<class T>(T a, T b) { return high_product(a, b); });
  if (mode == isa::Word::lo) return binary(s, []<class T>(T a, T b) { return low_product(a, b); });
  with_integer(s.type(), [&](auto zero) {  // .wide
    using T = decltype(zero);
    if constexpr (sizeof(T) <= 4) {
      s.each([&](int lane) {
        s.set<Wider<T>>(0, lane, low_product<Wider<T>>(s.get<T>(1, lane), s.get<T>(2, lane)));
      });
    }
  });
}

void eval_mad_int(Step& s) {
  const isa::Word mode = s.word(isa::Slot::mode);
  const bool saturate = s.has(isa::Slot::sat);
  with_integer(s.type(), [&](auto zero) {
    using T = decltype(zero);
    if (mode == isa::Word::wide) {
      if constexpr (sizeof(T) <= 4) {
        s.each([&](int lane) {
          using W = Wider<T>;
          s.set<W>(0, lane,
                   wrap_add(low_product<W>(s.get<T>(1, lane), s.get<T>(2, lane)), s.get<W>(3, lane)));
        });
      }
      return;
    }
    s.each([&](int lane) {
      const T a = s.get<T>(1, lane), b = s.get<T>(2, lane), c = s.get<T>(3, lane);
      const T product = mode == isa::Word::hi ? high_product(a, b) : low_product(a, b);
      s.set<T>(0, lane,
               saturate ? clamp_to<T>(static_cast<Wider<T>>(product) + static_cast<Wider<T>>(c))
                        : wrap_add(product, c));
    });
  });
}

void eval_mul24(Step& s) {
  s.each([&](int lane) { s.set<uint32_t>(0, lane, product24(s, lane)); });
}

void eval_mad24(Step& s) {
  const bool saturate = s.has(isa::Slot::sat);
  s.each([&](int lane) {
    const uint32_t product = product24(s, lane), c = s.get<uint32_t>(3, lane);
    if (saturate) {
      s.set<int32_t>(0, lane,
                     clamp_to<int32_t>(int64_t{static_cast<int32_t>(product)} + static_cast<int32_t>(c)));
    } else {
      s.set<uint32_t>(0, lane, product + c);
    }
  });
}

void eval_sad(Step& s) {
  with_integer(s.type(), [&](auto zero) {
    using T = decltype(zero);
    s.each([&](int lane) {
      const T a = s.get<T>(1, lane), b = s.get<T>(2, lane);
      s.set<T>(0, lane, wrap_add(s.get<T>(3, lane), a < b ? wrap_sub(b, a) : wrap_sub(a, b)));
    });
  });
}

// Division by zero is left to the machine by the ISA; an H200 gives all ones for quotient and remainder
// alike.
void eval_div_int(Step& s) {
  binary(s, []<class T>(T a, T b) -> T {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) return wrap_sub(T{0}, a);  // the one quotient that overflows wraps
    }
    return static_cast<T>(a / b);
  });
}

void eval_rem(Step& s) {
  binary(s, []<class T>(T a, T b) -> T {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) return 0;
    }
    return static_cast<T>(a % b);
  });
}

void eval_abs_int(Step& s) {
  with_integer(s.type(), [&](auto zero) {
    using T = decltype(zero);
    s.each([&](int lane) {
      const T a = s.get<T>(1, lane);
      s.set<T>(0, lane, a < T{0} ? wrap_sub(T{0}, a) : a);
    });
  });
}

void eval_neg_int(Step& s) {
  with_integer(s.type(), [&](auto zero) {
    using T = decltype(zero);
    s.each([&](int lane) { s.set<T>(0, lane, wrap_sub(T{0}, s.get<T>(1, lane))); });
  });
}

void eval_min_int(Step& s) {
  binary(s, [&]<class T>(T a, T b) { return not_negative(s, std::min(a, b)); });
}
void eval_max_int(Step& s) {
  binary(s, [&]<class T>(T a, T b) { return not_negative(s, std::max(a, b)); });
}
void eval_min_int_x2(Step& s) {
  binary_x2(s, [&]<class T>(T a, T b) { return not_negative(s, std::min(a, b)); });
}
void eval_max_int_x2(Step& s) {
  binary_x2(s, [&]<class T>(T a, T b) { return not_negative(s, std::max(a, b)); });
}

// Four products of bytes, or two of a half and a byte (9.7.1.23, 9.7.1.24); the sum wraps.
namespace {
int64_t part(uint32_t word, int bit, int width, bool is_signed) {
  const uint32_t field = word >> bit & ((1u << width) - 1);
  return is_signed ? static_cast<int32_t>(field << (32 - width)) >> (32 - width)
                   : static_cast<int64_t>(field);
}
bool is_signed_word(isa::Word type) { return isa::info(isa::type_of(type)).kind == isa::TypeKind::signed_; }
}  // namespace

void eval_dp4a(Step& s) {
  const bool a_signed = is_signed_word(s.word(isa::Slot::atype)),
             b_signed = is_signed_word(s.word(isa::Slot::btype));
  s.each([&](int lane) {
    const uint32_t a = s.get<uint32_t>(1, lane), b = s.get<uint32_t>(2, lane);
    int64_t sum = s.get<uint32_t>(3, lane);
    for (int i = 0; i < 32; i += 8) sum += part(a, i, 8, a_signed) * part(b, i, 8, b_signed);
    s.set<uint32_t>(0, lane, static_cast<uint32_t>(sum));
  });
}

void eval_dp2a(Step& s) {
  const bool a_signed = is_signed_word(s.word(isa::Slot::atype)),
             b_signed = is_signed_word(s.word(isa::Slot::btype));
  const int first_byte = s.word(isa::Slot::mode) == isa::Word::hi ? 16 : 0;
  s.each([&](int lane) {
    const uint32_t a = s.get<uint32_t>(1, lane), b = s.get<uint32_t>(2, lane);
    int64_t sum = s.get<uint32_t>(3, lane);
    for (int i = 0; i < 2; ++i)
      sum += part(a, 16 * i, 16, a_signed) * part(b, first_byte + 8 * i, 8, b_signed);
    s.set<uint32_t>(0, lane, static_cast<uint32_t>(sum));
  });
}

}  // namespace heddle::exec::interp
