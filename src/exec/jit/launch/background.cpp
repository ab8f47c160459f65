#include "exec/jit/launch/background.h"

#include <system_error>
#include <utility>

namespace heddle::exec::jit {

Background::~Background() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
    dropped.swap(queue_);
    added_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool Background::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      return false;
    }
  queue_.push_back(std::move(work));
  added_.notify_one();
  return true;
}

void Background::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return quit_ || !queue_.empty(); });
    if (quit_) return;
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace heddle::exec::jit
