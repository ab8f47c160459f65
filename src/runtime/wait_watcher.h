// A watcher that is also told what the host has waited for, and so knows to have ended: by a call that
// blocks, by one that asked and heard that it is done, or because a function of the host runs behind it.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/context.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/watcher.h"
#include "runtime/watchers.h"

namespace heddle::runtime {

class WaitWatcher : public Watcher {
 public:
  // Numbers of submissions. What stands before them has ended, too.
  virtual void host_waited(std::span<const uint64_t> submissions) = 0;
};

inline void tell_host_waited(const Watchers& watchers, std::span<const uint64_t> submissions) {
  watchers.tell([&](Watcher& watcher) {
    if (auto* waiting = dynamic_cast<WaitWatcher*>(&watcher)) waiting->host_waited(submissions);
  });
}

// A function of the host is about to run as that task: what it does, and tells other threads, comes behind
// all that stands before it.
inline void tell_host_runs(Context& context, const Task& task) {
  if (task.submission() != nullptr) [[unlikely]]
    tell_host_waited(context.system().watchers(), {&task.submission()->number, 1});
}

}  // namespace heddle::runtime
