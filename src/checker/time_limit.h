// A checked program that does not end in time: what it is at. A kernel that waits for something that never
// comes, or a host that launches the same again and again and never hears what it waits for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "checker/message.h"
#include "runtime/watcher.h"

namespace heddle::checker {

class TimeLimit final : public runtime::Watcher, public std::enable_shared_from_this<TimeLimit> {
 public:
  TimeLimit(uint64_t seconds, std::shared_ptr<Reporter> reporter)
      : seconds_(seconds), reporter_(std::move(reporter)) {}
  void start();  // the time runs from now on
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;
  bool wants_host_stacks() const override { return true; }

 private:
  class Watch;
  struct Kernel {
    uint64_t launches = 0, before = 0;  // before: when the last second began
    uint32_t running = 0;
    std::vector<const void*> stack;  // of the last launch
  };
  void last_second();
  void over();

  const uint64_t seconds_;
  const std::shared_ptr<Reporter> reporter_;
  std::mutex mutex_;
  std::map<std::string, Kernel> kernels_;  // by mangled name
};

}  // namespace heddle::checker
