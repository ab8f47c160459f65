// A point in a stream's work that others can wait for and measure.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "runtime/stream.h"

namespace heddle::runtime {

class Event {
 public:
  explicit Event(std::shared_ptr<Context> context, bool timing = true)
      : context_(std::move(context)), timing_(timing) {}
  const std::shared_ptr<Context>& context() const { return context_; }
  // The point behind what was submitted to the stream so far. A later record replaces it.
  Done record(Stream& stream);
  // The same with a task that was submitted: the moment when it is done.
  void reached_with(TaskRef task);
  Done query() const;  // not_ready until it was reached; done when it was never recorded
  Done synchronize() const;
  // Nanoseconds between the moments when the work was reached.
  static Outcome<int64_t> elapsed(const Event& start, const Event& end);
  TaskRef last() const;  // nullptr when it was never recorded

 private:
  const std::shared_ptr<Context> context_;
  const bool timing_;
  mutable std::mutex mutex_;
  TaskRef last_;
};

}  // namespace heddle::runtime
