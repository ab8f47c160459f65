// Everything that a level compiles, and what makes functions with fixed types of it.
#pragma once

#include "math/kernels/bessel.h"
#include "math/kernels/distribution.h"
#include "math/kernels/exact.h"
#include "math/kernels/gamma.h"
#include "math/kernels/hyperbolic.h"
#include "math/kernels/power.h"
#include "math/kernels/roots.h"
#include "math/kernels/rounded.h"
#include "math/level.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {
namespace {

// All NaNs that come out are one.
template <class V>
HEDDLE_INLINE V finished(V result) {
  if constexpr (std::is_floating_point_v<Element<V>>)
    return select(is_nan(result), quiet_nan<V>(), result);
  else
    return result;
}

template <class T>
HEDDLE_INLINE T from_bits(uint64_t bits) {
  if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(T, static_cast<uint32_t>(bits));
  else
    return __builtin_bit_cast(T, bits);
}
template <class T>
HEDDLE_INLINE uint64_t to_bits(T value) {
  if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(uint32_t, value);
  else
    return __builtin_bit_cast(uint64_t, value);
}
template <class V>
HEDDLE_INLINE V loaded(const void* from, std::size_t index) {
  V value;
  __builtin_memcpy(&value, static_cast<const Element<V>*>(from) + index, sizeof value);
  return value;
}
template <class V>
HEDDLE_INLINE void stored(void* to, std::size_t index, V value) {
  __builtin_memcpy(static_cast<Element<V>*>(to) + index, &value, sizeof value);
}
// Native code may run in a mode of the host without subnormals; these functions know none such. Values pass
// through memory on both sides of the change, so that no arithmetic moves across it.
class OrdinaryMode {
 public:
  HEDDLE_INLINE OrdinaryMode() {
    constexpr uint32_t ordinary = 0x1f80;
    asm volatile("stmxcsr %0\n\tldmxcsr %1" : "=m"(before_) : "m"(ordinary) : "memory");
  }
  HEDDLE_INLINE ~OrdinaryMode() { asm volatile("ldmxcsr %0" : : "m"(before_) : "memory"); }
  OrdinaryMode(const OrdinaryMode&) = delete;
  OrdinaryMode& operator=(const OrdinaryMode&) = delete;

 private:
  uint32_t before_;
};
template <class T>
HEDDLE_INLINE void hide(T& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

template <class F>
const void* address(F* function) {
  return reinterpret_cast<const void*>(function);
}

}  // namespace
}  // namespace heddle::math::HEDDLE_MATH_LEVEL

#include "math/entries.gen.h"
