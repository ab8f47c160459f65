// A constant of the text as bits of a type.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/isa.h"

namespace heddle::module {

enum class Literal : uint8_t {
  integer,  // 64 bits, two's complement
  single,   // 0f3F800000
  number,   // 0d3FF0000000000000, 1.0: a double
};

// Integers lose what is too wide. A single keeps its bits, in a 64-bit type as well (ptxas does the same: no
// conversion). A number is rounded to a type of 32 bits. nullopt: the type takes no such constant.
//
// `singles`: `.target map_f64_to_f32` (PTX ISA 11.1.2) keeps an f32 in the lower half of every .f64, so that
// a number is rounded for it.
std::optional<uint64_t> literal_bits(Literal kind, uint64_t value, const isa::TypeInfo& type,
                                     bool singles = false);

}  // namespace heddle::module
