// The windows of a launch (observe/observer.h): where accesses need not be told any more.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "checker/memory_map.h"
#include "observe/observer.h"

namespace heddle::checker {

class Windows {
 public:
  explicit Windows(const MemoryAreas& areas) : areas_(areas) {}
  // For a thread that runs the launch.
  observe::Window* add(std::size_t count) {
    const std::lock_guard lock(mutex_);
    return all_.emplace_back(count).data();
  }
  // Accesses of so many bytes inside of the area, which was found in that generation of areas. Memory that is
  // freed meanwhile closes windows behind its new generation, so one of both sees the other.
  void open(observe::Window& window, uint32_t bytes, const Area& area, uint64_t generation) const {
    if (bytes > area.bytes()) return;
    window.begin = area.begin();
    std::atomic_ref(window.size).store(area.bytes() - bytes + 1);
    if (areas_.generation() != generation) close(window);
  }
  void close() {
    const std::lock_guard lock(mutex_);
    for (std::vector<observe::Window>& windows : all_)
      for (observe::Window& window : windows) close(window);
  }

 private:
  static void close(observe::Window& window) { std::atomic_ref(window.size).store(0); }
  const MemoryAreas& areas_;
  std::mutex mutex_;
  std::deque<std::vector<observe::Window>> all_;
};

}  // namespace heddle::checker
