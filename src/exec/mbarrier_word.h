// Where the parts of an mbarrier object lie in its word (PTX ISA 9.7.13.15: 64 bits, opaque to programs), for
// all who change it.
#pragma once

#include <cstdint>

namespace heddle::exec::mbarrier_word {

// From bit 0 on: arrivals that the phase still waits for; those that each phase expects.
inline constexpr unsigned expected_at = 20, count_bits = 20;
// Bytes of transactions outstanding, above `no_bytes`.
inline constexpr unsigned bytes_at = 40, bytes_bits = 21;
inline constexpr uint64_t no_bytes = 1 << 20, bytes_mask = (1 << bytes_bits) - 1;
inline constexpr unsigned parity_at = 63;  // of the phase

inline constexpr uint32_t most = (1U << count_bits) - 1;  // arrivals, and bytes

}  // namespace heddle::exec::mbarrier_word
