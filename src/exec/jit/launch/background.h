// Work for later: one thread that does it, in order. What has not begun when this ends is dropped.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace heddle::exec::jit {

class Background {
 public:
  Background() = default;
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  // False, and it is not kept, when the system has no thread for it.
  bool add(std::function<void()> work);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<std::function<void()>> queue_;
  std::thread thread_;  // from the first work on
  bool quit_ = false;
};

}  // namespace heddle::exec::jit
