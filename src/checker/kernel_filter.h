// Which launches a tool looks at.
#pragma once

#include <atomic>

#include "checker/settings.h"

namespace heddle::checker {

class KernelFilter {
 public:
  explicit KernelFilter(const Settings& settings) : settings_(settings) {}
  bool wants(const std::string& kernel) {
    if (!settings_.wants(kernel)) return false;
    const uint64_t number = seen_.fetch_add(1, std::memory_order_relaxed);
    return number >= settings_.launch_skip &&
           (settings_.launch_count == 0 || number - settings_.launch_skip < settings_.launch_count);
  }

 private:
  const Settings& settings_;
  std::atomic<uint64_t> seen_{0};
};

}  // namespace heddle::checker
