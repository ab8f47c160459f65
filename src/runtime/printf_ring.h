// What kernels print, held until the host synchronises, as a device holds it: "when more output is produced
// than can fit in the buffer, older output is overwritten" (CUDA C++ Programming Guide 10.33.2).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace heddle::runtime {

using Sink = std::function<void(std::string_view)>;

class PrintfRing {
 public:
  // Immediate: every text goes to the sink as it comes.
  PrintfRing(Sink sink, uint64_t capacity, bool immediate)
      : sink_(std::move(sink)), immediate_(immediate), capacity_(capacity) {}
  void print(std::string_view text);
  void flush();
  void set_capacity(uint64_t bytes);
  uint64_t capacity() const;

 private:
  void drop_oldest(uint64_t capacity);
  const Sink sink_;
  const bool immediate_;
  std::atomic<bool> pending_{false};  // texts may be there, or on their way to the sink
  mutable std::mutex mutex_;
  std::mutex sink_mutex_;  // one writer at a time; taken before mutex_
  uint64_t capacity_;
  uint64_t used_ = 0;
  std::deque<std::string> texts_;
};

}  // namespace heddle::runtime
