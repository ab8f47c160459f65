// How many addresses the process may use (ulimit -v).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

// Whether there is a limit: then what is mapped counts, used or not.
bool addresses_are_limited();

// So many bytes that nobody may touch, for windows of less than `apart`: between two of them, and behind the
// last, the system puts nothing of itself, where it hands out addresses from the top and those of the heap
// from the bottom. nullptr: there are none.
inline constexpr uint64_t apart = uint64_t{5} << 30;
std::byte* map_apart(uint64_t bytes);

}  // namespace heddle
