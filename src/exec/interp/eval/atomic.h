// Read-modify-write of guest memory that other host threads may use at the same time.
#pragma once

#include <cstdint>
#include <functional>

#include "exec/interp/step.h"

namespace heddle::exec::interp {

template <class T, class F>
T change_atomically(std::byte* at, F&& f) {
  T* place = reinterpret_cast<T*>(at);
  T old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &old, static_cast<T>(f(old)), true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}

// f(old) -> new, of 2, 4 or 8 bytes; gives the old value.
template <class F>
uint64_t atomic_change(std::byte* at, uint32_t bytes, F&& f) {
  switch (bytes) {
    case 2: return change_atomically<uint16_t>(at, f);
    case 4: return change_atomically<uint32_t>(at, f);
    default: return change_atomically<uint64_t>(at, f);
  }
}

// 16 bytes. Hosts differ in what they offer: all 128-bit operations of all launches take one lock.
Wide atomic_change_wide(std::byte* at, const std::function<Wide(Wide)>& f);

// What memory holds after `op` with `b`, for one element of a type of at most 64 bits. `flush`: .add of f32
// flushes subnormals.
uint64_t atomic_result(isa::Word op, isa::Type type, bool flush, uint64_t old, uint64_t b);

// The order that .sem asks for, around an atomic operation: release before it, acquire after it.
void fence_before(const Step& s);
void fence_after(const Step& s);

}  // namespace heddle::exec::interp
