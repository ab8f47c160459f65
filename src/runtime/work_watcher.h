// What a watcher may be besides: told of work that is no kernel, such as a function of a library, which the
// host computes on device memory in its stream's order.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/context.h"
#include "runtime/system.h"
#include "runtime/watcher.h"
#include "runtime/watchers.h"

namespace heddle::runtime {

// Rows of bytes, `pitch` apart.
struct TouchedRows {
  uint64_t address = 0, row_bytes = 0, rows = 1, pitch = 0;
  bool write = false;
};

struct WorkFacts {
  const Submission* submission = nullptr;
  Context& context;
  const char* name;                      // the function's
  std::span<const TouchedRows> touched;  // in this order
  const TouchedRows* refused = nullptr;  // an access that no kernel could make: the work ended there
  const Error* failure = nullptr;
  Span time;
};

class WorkWatcher {
 public:
  virtual ~WorkWatcher() = default;
  // It has been done, or has failed; before anything that stands behind it begins.
  virtual void worked(const WorkFacts&) = 0;
};

inline void tell_worked(const WorkFacts& facts) {
  facts.context.system().watchers().tell([&](Watcher& watcher) {
    if (auto* working = dynamic_cast<WorkWatcher*>(&watcher)) working->worked(facts);
  });
}

}  // namespace heddle::runtime
