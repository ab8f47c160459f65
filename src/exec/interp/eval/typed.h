// From a type of the ISA to a type of C++, once an instruction: `with_integer(s.type(), [&](auto zero) {
// using T = decltype(zero); ... })`.
#pragma once

#include <cstdint>
#include <type_traits>

#include "exec/interp/step.h"

namespace heddle::exec::interp {

// Signed and unsigned integers; untyped ones (.b16) count as unsigned.
template <class F>
void with_integer(isa::Type type, F&& f) {
  const isa::TypeInfo& t = isa::info(type);
  const bool is_signed = t.kind == isa::TypeKind::signed_;
  switch (t.bits / t.elements) {
    case 8: return is_signed ? f(int8_t{}) : f(uint8_t{});
    case 16: return is_signed ? f(int16_t{}) : f(uint16_t{});
    case 32: return is_signed ? f(int32_t{}) : f(uint32_t{});
    default: return is_signed ? f(int64_t{}) : f(uint64_t{});
  }
}

template <class F>
void with_f32_or_f64(isa::Type type, F&& f) {
  if (isa::info(type).bits == 64) return f(double{});
  return f(float{});
}

// The next wider integer: products and sums that must not wrap.
template <class T>
struct WiderOf;
template <>
struct WiderOf<int8_t> {
  using type = int16_t;
};
template <>
struct WiderOf<uint8_t> {
  using type = uint16_t;
};
template <>
struct WiderOf<int16_t> {
  using type = int32_t;
};
template <>
struct WiderOf<uint16_t> {
  using type = uint32_t;
};
template <>
struct WiderOf<int32_t> {
  using type = int64_t;
};
template <>
struct WiderOf<uint32_t> {
  using type = uint64_t;
};
template <>
struct WiderOf<int64_t> {
  using type = __int128;
};
template <>
struct WiderOf<uint64_t> {
  using type = unsigned __int128;
};
template <class T>
using Wider = typename WiderOf<T>::type;

template <class T>
inline constexpr int bits_of = static_cast<int>(sizeof(T)) * 8;

// Arithmetic modulo 2^n for signed types as well, without undefined behaviour.
template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
constexpr T wrap_add(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b)));
}
template <class T>
constexpr T wrap_sub(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b)));
}
template <class T>
constexpr T low_product(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b)));
}
template <class T>
constexpr T high_product(T a, T b) {
  return static_cast<T>((static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b)) >> bits_of<T>);
}

// Two 16-bit parts of a 32-bit register.
template <class F>
uint32_t by_halves(uint32_t a, uint32_t b, F&& f) {
  const auto low = static_cast<uint16_t>(f(static_cast<uint16_t>(a), static_cast<uint16_t>(b)));
  const auto high = static_cast<uint16_t>(f(static_cast<uint16_t>(a >> 16), static_cast<uint16_t>(b >> 16)));
  return static_cast<uint32_t>(low) | static_cast<uint32_t>(high) << 16;
}

}  // namespace heddle::exec::interp
