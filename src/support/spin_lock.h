// A lock that hardly ever meets anybody and is held for less than a microsecond: half the cost of a mutex.
// Who meets somebody all the same lets others run.
#pragma once

#include <sched.h>

#include <atomic>

#include "support/relax.h"

namespace heddle {

class SpinLock {
 public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire))
      for (unsigned looks = 0; held_.load(std::memory_order_relaxed); ++looks)
        if (looks < 64)
          relax();
        else
          sched_yield();
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace heddle
