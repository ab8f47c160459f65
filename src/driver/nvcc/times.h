// How long each step of a run took, as a table of comma separated values (-time).
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "driver/file.h"

namespace heddle::driver::nvcc {

struct TimedStep {
  std::string source, phase, inputs, output, arch;  // empty where it has none
};

class Times {
 public:
  using Clock = std::chrono::steady_clock;

  Times() : begin_(Clock::now()) {}
  // Steps may run side by side.
  void add(TimedStep step, Clock::duration took);
  // Behind what the file has, and with headings if that is nothing; '-' is the standard output. The last line
  // is what was spent between the steps.
  Status<> append_to(const std::string& file) const;

 private:
  struct Row {
    TimedStep step;
    double milliseconds;
  };
  const Clock::time_point begin_;
  mutable std::mutex mutex_;
  std::vector<Row> rows_;
};

// From here to the end of the block.
class Timed {
 public:
  Timed(Times& times, TimedStep step) : times_(times), step_(std::move(step)), begin_(Times::Clock::now()) {}
  ~Timed() { times_.add(std::move(step_), Times::Clock::now() - begin_); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Times& times_;
  TimedStep step_;
  const Times::Clock::time_point begin_;
};

}  // namespace heddle::driver::nvcc
