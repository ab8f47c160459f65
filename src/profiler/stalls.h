// What the warps of a launch wait for, by the timing model: recorded while the launch runs, simulated when it
// has ended. Of a large grid the first blocks are, and stand for all.
#pragma once

#include <functional>
#include <optional>

#include "profiler/profile.h"
#include "runtime/watcher.h"
#include "timing/recorder.h"

namespace heddle::profiler {

class Stalls {
 public:
  // Nothing is known of devices without a record in spec/timing.
  explicit Stalls(const runtime::LaunchFacts& facts);
  observe::Observer* observer() { return recorder_ ? &*recorder_ : nullptr; }
  // When the launch has ended: calls f for each instruction at which warps were, with the counters of stalls.
  void each(const std::function<void(observe::Place, const Counts&)>& f) const;

 private:
  std::optional<timing::Machine> machine_;
  timing::IssuedProgram program_;
  std::optional<timing::Recorder> recorder_;
  uint32_t resident_ = 1;
  uint64_t l1_bytes_ = 0;
};

}  // namespace heddle::profiler
