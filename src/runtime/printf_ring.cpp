#include "runtime/printf_ring.h"

namespace heddle::runtime {

void PrintfRing::print(std::string_view text) {
  if (immediate_) {
    const std::lock_guard writing(sink_mutex_);
    if (sink_) sink_(text);
    return;
  }
  const std::lock_guard lock(mutex_);
  texts_.emplace_back(text);
  pending_.store(true, std::memory_order_release);
  used_ += text.size();
  drop_oldest(capacity_);
}

// A text that is larger than the whole buffer is lost.
void PrintfRing::drop_oldest(uint64_t capacity) {
  while (used_ > capacity && !texts_.empty()) {
    used_ -= texts_.front().size();
    texts_.pop_front();
  }
}

void PrintfRing::flush() {
  if (!pending_.load(std::memory_order_acquire)) return;
  const std::lock_guard writing(sink_mutex_);
  std::deque<std::string> texts;
  {
    const std::lock_guard lock(mutex_);
    texts.swap(texts_);
    used_ = 0;
  }
  if (sink_)
    for (const std::string& text : texts) sink_(text);
  const std::lock_guard lock(mutex_);
  if (texts_.empty()) pending_.store(false, std::memory_order_release);
}

void PrintfRing::set_capacity(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  capacity_ = bytes;
  drop_oldest(bytes);
}

uint64_t PrintfRing::capacity() const {
  const std::lock_guard lock(mutex_);
  return capacity_;
}

}  // namespace heddle::runtime
