#include "api/entry/forked.h"

#include <pthread.h>

#include <atomic>

namespace heddle::entry {

namespace {
std::atomic<bool> is_child{false};
}

void in_use() {
  static const int asked =
      pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });
  (void)asked;
}

bool forked() { return is_child.load(std::memory_order_relaxed); }

}  // namespace heddle::entry
