#include "libs/common/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace heddle::libs {
namespace {

// Threads that wait for pieces; made when they are first needed, and there until the process ends.
class Pool {
 public:
  Pool() {
    cpu_set_t allowed;
    const int processors = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                               ? CPU_COUNT(&allowed)
                               : static_cast<int>(std::thread::hardware_concurrency());
    threads_ = std::clamp(processors, 1, 64);
    for (int i = 1; i < threads_; ++i) std::thread([this] { work(); }).detach();
  }
  int threads() const { return threads_; }

  void run(int64_t count, const std::function<void(int64_t)>& piece) {
    std::unique_lock busy(one_, std::try_to_lock);
    if (!busy || threads_ == 1 || count == 1) {
      for (int64_t i = 0; i < count; ++i) piece(i);
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      piece_ = &piece;
      count_ = count;
      next_ = 0;
      working_ = threads_ - 1;
      ++round_;
    }
    called_.notify_all();
    take();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return working_ == 0; });
    piece_ = nullptr;
  }

 private:
  void take() {
    for (int64_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) (*piece_)(i);
  }
  void work() {
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      called_.wait(lock, [&] { return round_ != seen; });
      seen = round_;
      lock.unlock();
      take();
      lock.lock();
      if (--working_ == 0) done_.notify_one();
    }
  }

  int threads_ = 1;
  std::mutex one_, mutex_;
  std::condition_variable called_, done_;
  const std::function<void(int64_t)>* piece_ = nullptr;
  int64_t count_ = 0;
  std::atomic<int64_t> next_{0};
  int working_ = 0;
  uint64_t round_ = 0;
};

Pool& pool() {
  static auto* const made = new Pool;
  return *made;
}

}  // namespace

void parallel(int64_t count, const std::function<void(int64_t)>& piece) {
  if (count <= 1) {
    if (count == 1) piece(0);
    return;
  }
  pool().run(count, piece);
}

int parallel_threads() { return pool().threads(); }

}  // namespace heddle::libs
