// One element of a matrix: its width in a register and its value.
#pragma once

#include <bit>
#include <cstdint>

#include "exec/interp/number/float_format.h"
#include "exec/interp/number/half.h"
#include "isa/isa.h"

namespace heddle::exec::interp {

// A value is a double, which holds every element of every floating-point type, or an integer.
struct ElementType {
  isa::Type type = isa::Type::none;
  int bits = 0;                    // of its place in a register
  const Format* format = nullptr;  // nullptr: integer, or f32 and f64, which need none
  int shift = 0;                   // where it stands in its place
};

// `in_bytes`: of kind::f8f6f4, whose 6- and 4-bit elements take a byte each, the latter in its middle.
inline ElementType element_type(isa::Type type, bool in_bytes = false) {
  using isa::Type;
  switch (type) {
    case Type::f16: return {type, 16, &formats::f16};
    case Type::bf16: return {type, 16, &formats::bf16};
    case Type::tf32: return {type, 32, nullptr};
    case Type::e4m3: return {type, 8, &formats::e4m3};
    case Type::e5m2: return {type, 8, &formats::e5m2};
    case Type::e3m2: return {type, 8, &formats::e3m2};
    case Type::e2m3: return {type, 8, &formats::e2m3};
    case Type::e2m1: return {type, in_bytes ? 8 : 4, &formats::e2m1, in_bytes ? 2 : 0};
    default: return {type, isa::info(type).bits, nullptr};
  }
}

inline double real_value(const ElementType& e, uint64_t bits) {
  using isa::Type;
  if (e.type == Type::f64) return std::bit_cast<double>(bits);
  if (e.type == Type::f32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  // tf32 has the exponent of f32 and ten bits of fraction; what stands below them is not looked at (PTX
  // ISA 9.7.14.5).
  if (e.type == Type::tf32) return std::bit_cast<float>(static_cast<uint32_t>(bits) & 0xffffe000);
  if (e.type == Type::f16) return from_f16(static_cast<uint16_t>(bits));
  if (e.type == Type::bf16) return from_bf16(static_cast<uint16_t>(bits));
  const uint64_t width = uint64_t{1} << (e.format->sign_shift() + 1);
  return decode(*e.format, bits >> e.shift & (width - 1));
}

inline int64_t integer_value(const ElementType& e, uint64_t bits) {
  if (isa::info(e.type).kind != isa::TypeKind::signed_) return static_cast<int64_t>(bits);
  const int rest = 64 - e.bits;
  return static_cast<int64_t>(bits << rest) >> rest;
}

}  // namespace heddle::exec::interp
