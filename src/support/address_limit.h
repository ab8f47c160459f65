// How many addresses the process may use (ulimit -v).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

// Whether there is a limit: then what is mapped counts, used or not.
bool addresses_are_limited();

// Addresses that nobody may touch: `whole`, where the process may have them, else the first `needed` of a
// window of less than `apart`. Between two such, and behind the last, the system puts nothing of itself,
// where it hands out addresses from the top and those of the heap from the bottom. nullptr: there are none.
inline constexpr uint64_t apart = uint64_t{5} << 30;
struct Addresses {
  std::byte* base = nullptr;
  uint64_t bytes = 0;
};
Addresses reserve_addresses(uint64_t whole, uint64_t needed);

}  // namespace heddle
