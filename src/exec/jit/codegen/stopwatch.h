// Processor time of the calling thread: what compiling costs, whatever else the host does.
#pragma once

#include <ctime>

namespace heddle::exec::jit {

class Stopwatch {
 public:
  // Milliseconds since the last call or the beginning.
  double lap_ms() {
    const double now = now_ms(), lap = now - last_;
    last_ = now;
    return lap;
  }

 private:
  static double now_ms() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
  }
  double last_ = now_ms();
};

}  // namespace heddle::exec::jit
