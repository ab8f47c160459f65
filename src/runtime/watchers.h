// All who watch one system.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "observe/several.h"
#include "runtime/watcher.h"

namespace heddle::runtime {

class Task;

class Watchers {
 public:
  bool any() const { return any_.load(std::memory_order_relaxed); }
  void add(std::shared_ptr<Watcher> watcher);
  // It may still be told what has begun already.
  void remove(const Watcher& watcher);

  // Calls `f` with each.
  template <class F>
  void tell(F&& f) const {
    if (!any()) [[likely]]
      return;
    const std::shared_ptr<const List> all = this->all();  // kept while they are told
    for (const std::shared_ptr<Watcher>& watcher : *all) f(*watcher);
  }
  // Of a task that is submitted now; nullptr when nobody watches. It comes behind the tasks `after`, and
  // those of the numbers, of which some may have been forgotten because they are done.
  std::unique_ptr<const Submission> submission(const Stream& stream,
                                               std::span<const std::shared_ptr<Task>> after,
                                               std::vector<uint64_t> numbers_before, bool works) const;

 private:
  using List = std::vector<std::shared_ptr<Watcher>>;
  std::shared_ptr<const List> all() const;
  std::atomic<bool> any_{false};
  mutable std::mutex mutex_;
  std::shared_ptr<const List> list_ = std::make_shared<const List>();
};

// What all of them make of one launch.
class WatchedLaunch {
 public:
  WatchedLaunch(const Watchers& watchers, const LaunchFacts& facts);
  observe::Observer* observer();  // nullptr: nobody wants to know more
  void ended(const LaunchEnd& end);

 private:
  std::vector<std::unique_ptr<LaunchWatch>> watches_;
  std::vector<observe::Observer*> observers_;
  std::optional<observe::Several> several_;
};

}  // namespace heddle::runtime
