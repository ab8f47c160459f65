// Floating point numbers of 16, 32 and 64 bits as the shortest decimal text that reads back to the same
// number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/isa.h"

namespace heddle::cli {

bool is_printable_float(isa::Type type);  // f16, bf16, f32, f64

// A decimal number, rounded to nearest even; inf, -inf; nan: the canonical one of the ISA.
std::optional<uint64_t> read_float(isa::Type type, std::string_view text);

// nan for the canonical NaN, nan:0x<bits> for another.
std::string write_float(isa::Type type, uint64_t bits);

}  // namespace heddle::cli
