// The elements of a kernel's buffers as text: one VALUE of `heddle ptx run`, into bits and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/isa.h"
#include "support/result.h"

namespace heddle::cli {

// The types that a buffer may have: u8 to u64, s8 to s64, b8 to b64, f16, bf16, f32, f64. Type::none for all
// else.
isa::Type element_type(std::string_view name);
unsigned element_bytes(isa::Type type);

// Decimal or 0x hex; a floating type also takes inf, -inf, nan (the canonical one), and its 0x means raw
// bits.
Result<uint64_t> parse_value(isa::Type type, std::string_view text);
// Comma-separated items, each a VALUE, FIRST..LAST or VALUExCOUNT: the bytes of all elements, little endian.
Result<std::vector<std::byte>> parse_values(isa::Type type, std::string_view list);

// Integers in decimal, floats in the shortest form that reads back to the same value, b types and everything
// with `hex` as 0x bits.
std::string format_value(isa::Type type, uint64_t bits, bool hex);
// All elements with a blank between.
std::string format_values(isa::Type type, std::span<const std::byte> bytes, bool hex);

}  // namespace heddle::cli
