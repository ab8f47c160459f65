// When tasks ran, by a clock other than the host's: the virtual clock of the devices (src/clock).
#pragma once

#include <cstdint>
#include <span>

#include "runtime/task.h"

namespace heddle::runtime {

class DeviceTime {
 public:
  virtual ~DeviceTime() = default;
  // Of a task that is done.
  virtual TaskTimes times(const Task& task) = 0;
  // The same by its number (Submission::number).
  virtual TaskTimes times(uint64_t submission) = 0;
  // The host has waited until those tasks were done (Submission::number): what it submits comes behind them.
  virtual void host_waited(std::span<const uint64_t> numbers) = 0;
};

}  // namespace heddle::runtime
