// What a watcher may be besides: told where memory comes and goes in the order of a stream, so that it can
// say who uses it without being ordered with that.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/context.h"
#include "runtime/stream.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/watcher.h"
#include "runtime/watchers.h"

namespace heddle::runtime {

class OrderedMemoryWatcher {
 public:
  virtual ~OrderedMemoryWatcher() = default;
  // `at`: a mark of the stream, behind which the memory may be used.
  virtual void allocated_in_order(const Submission& at, uint64_t address, uint64_t bytes) = 0;
  // Before which alone it may be used.
  virtual void freed_in_order(const Submission& at, uint64_t address) = 0;
};

// Calls `tell(watcher, submission of a mark in the stream)`, if anybody wants to know.
template <class F>
void tell_ordered_memory(Stream& stream, F&& tell) {
  const Watchers& watchers = stream.context()->system().watchers();
  std::vector<OrderedMemoryWatcher*> told;
  watchers.tell([&](Watcher& watcher) {
    if (auto* one = dynamic_cast<OrderedMemoryWatcher*>(&watcher)) told.push_back(one);
  });
  if (told.empty()) return;
  const auto mark = stream.mark();
  if (!mark || (*mark)->submission() == nullptr) return;
  for (OrderedMemoryWatcher* one : told) tell(*one, *(*mark)->submission());
}

}  // namespace heddle::runtime
