// Floating-point numbers to integers and back (PTX ISA 9.7.9.21).
#pragma once

#include <cstdint>

#include "exec/interp/number/float_format.h"

namespace heddle::exec::interp {

struct IntegerType {
  unsigned bits;
  bool is_signed;
};

// To an integral number; infinities and NaN stay what they are.
double integral(double value, Rounding rounding);

// Rounded and clamped to the type's range, in its low bits. NaN: `nan_integer`.
uint64_t to_integer(double value, Rounding rounding, IntegerType type);

// What a NaN becomes: 0, but for f64 sources and 64-bit results the highest bit alone.
uint64_t nan_integer(bool from_f64, IntegerType type);

// An integer in the low bits of its type, as a magnitude with a sign.
Finite finite_of(uint64_t bits, IntegerType type);

// An integer as another type has it: its low bits, or clamped to the range of that type.
uint64_t wrap_integer(uint64_t bits, IntegerType from, IntegerType to);
uint64_t clamp_integer(uint64_t bits, IntegerType from, IntegerType to);

}  // namespace heddle::exec::interp
