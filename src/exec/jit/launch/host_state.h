// What the run needs to know of the host's machine state: registers at a signal, the mode of floating-point
// arithmetic, a cheap clock.
#pragma once

#include <ucontext.h>

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <chrono>
#endif

namespace heddle::exec::jit {

struct Trap;
void read_machine_state(const ucontext_t& state, Trap& trap);  // in a signal handler

// Native code is made for the default mode (nearest, no exceptions, subnormals kept); a host program may have
// set another one for its own threads.
class FloatingPointMode {
 public:
#if defined(__x86_64__)
  FloatingPointMode() : before_(_mm_getcsr()) {
    if (before_ != normal) _mm_setcsr(normal);
  }
  ~FloatingPointMode() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned normal = 0x1f80;
  unsigned before_;
#else
  FloatingPointMode() {}
  ~FloatingPointMode() {}
#endif
 public:
  FloatingPointMode(const FloatingPointMode&) = delete;
  FloatingPointMode& operator=(const FloatingPointMode&) = delete;
};

// Native code may be made for a mode without subnormals (CompiledKernel::flush_mode): while it runs, not
// while it calls.
inline void set_flush_mode(bool on) {
#if defined(__x86_64__)
  constexpr unsigned normal = 0x1f80, flush_to_zero = 0x8000, denormals_are_zero = 0x40;
  _mm_setcsr(on ? normal | flush_to_zero | denormals_are_zero : normal);
#else
  (void)on;
#endif
}

// About 2 to 4 a nanosecond on x86-64, 1 elsewhere: to compare durations, not to tell them.
inline uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

}  // namespace heddle::exec::jit
