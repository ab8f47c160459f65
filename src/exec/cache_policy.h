// What createpolicy gives (PTX ISA 9.7.9.18). Nothing here looks at it, but programs compare it: the bits are
// an H200's (tests/hw/h200/answers/createpolicy.txt).
//
//   bits 59, 60  2 of a fraction, 3 of a range
//   bits 57, 58  the primary priority; bit 56: the secondary is evict_first
//   bits 52-55   a fraction's sixteenths; of a range how many bits its blocks have above 12
//   bits 44-50   the range's first block, bits 37-43 its primary blocks
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "isa/isa.h"

namespace heddle::exec::cache_policy {

inline constexpr uint64_t of_fraction = uint64_t{2} << 59, of_range = uint64_t{3} << 59;
inline constexpr unsigned detail_at = 52, first_at = 44, count_at = 37;
inline constexpr unsigned least_block = 12;  // bits
inline constexpr uint32_t most_blocks = 127;
// A fraction of 1 is fifteen of these.
inline constexpr float steps = 15.99F;

constexpr uint64_t priorities(isa::Word primary, isa::Word secondary) {
  const uint64_t first = primary == isa::Word::L2_evict_normal  ? 3
                         : primary == isa::Word::L2_evict_last  ? 2
                         : primary == isa::Word::L2_evict_first ? 1
                                                                : 0;
  return first << 57 | uint64_t{secondary == isa::Word::L2_evict_first} << 56;
}
constexpr uint64_t fraction(uint64_t priorities, float part) {
  const float scaled = part * steps;
  const uint32_t whole = !(scaled > 0) ? 0 : scaled >= 0x1p32F ? ~0U : static_cast<uint32_t>(scaled);
  return of_fraction | priorities | uint64_t{whole & 15} << detail_at;
}
// Blocks of 4 KiB, or as large as 128 of them are for all of the range.
constexpr unsigned block_bits(uint32_t total) {
  const int bits = std::bit_width(total - 1);
  return least_block + static_cast<unsigned>(std::max(bits - 19, 0));
}
constexpr uint64_t range(uint64_t priorities, uint64_t address, uint32_t primary, uint32_t total) {
  if (total == 0) return of_range;
  const unsigned bits = block_bits(total);
  const uint32_t rounded = primary + ((1U << bits) - 1);  // wraps
  const uint64_t first = address >> bits, count = ((address + rounded) >> bits) - first;
  return of_range | priorities | uint64_t{bits - least_block} << detail_at | (first & 127) << first_at |
         std::min<uint64_t>(count, most_blocks) << count_at;
}

}  // namespace heddle::exec::cache_policy
