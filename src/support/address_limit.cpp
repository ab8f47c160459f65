#include "support/address_limit.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <atomic>

namespace heddle {

bool addresses_are_limited() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

namespace {

std::byte* map_apart(uint64_t bytes) {
  // Device memory lies at 32 TiB (runtime/address_space.h).
  constexpr uint64_t first = uint64_t{64} << 40, places = 4096;
  static std::atomic<uint64_t> next{0};
  for (uint64_t tries = 0; tries < places; ++tries) {
    const uint64_t number = next.fetch_add(1, std::memory_order_relaxed) % places;
    void* const wish = reinterpret_cast<void*>(first + number * apart);
    void* const place = mmap(wish, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) break;
    if (place == wish) return static_cast<std::byte*>(place);
    munmap(place, bytes);
  }
  return nullptr;
}

}  // namespace

Addresses reserve_addresses(uint64_t whole, uint64_t needed) {
  if (!addresses_are_limited()) {
    void* const place = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED) return {static_cast<std::byte*>(place), whole};
  }
  return {map_apart(needed), needed};
}

}  // namespace heddle
