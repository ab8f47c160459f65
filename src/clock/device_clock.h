// HEDDLE_CLOCK=device: events and profiles tell when work would have run on the device, not when it ran here.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "clock/programs.h"
#include "clock/timeline.h"
#include "runtime/device_time.h"
#include "runtime/system.h"
#include "runtime/watcher.h"
#include "timing/machine.h"

namespace heddle::clock {

class DeviceClock final : public runtime::Watcher, public runtime::DeviceTime {
 public:
  // Fails where a device's times are not known.
  static runtime::Outcome<std::shared_ptr<DeviceClock>> create(runtime::System&);
  explicit DeviceClock(std::vector<timing::Machine> machines, std::vector<Engines> engines)
      : machines_(std::move(machines)), timeline_(std::move(engines)) {}

  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;
  void copied(const runtime::CopyFacts&) override;
  void submitted(const runtime::Submission&, const runtime::Context&) override;
  runtime::TaskTimes times(const runtime::Task&) override;
  runtime::TaskTimes times(uint64_t submission) override;
  void host_waited(std::span<const uint64_t> numbers) override;

 private:
  class Watch;
  void works(const runtime::Submission*, const Work&);
  int64_t begins(const runtime::Submission*);

  const std::vector<timing::Machine> machines_;  // by index of the device
  Programs programs_;
  std::mutex mutex_;
  Timeline timeline_;
  // What the host has waited for: the last ones by number, and when those before had ended.
  std::vector<uint64_t> waited_for_;
  int64_t waited_until_ = 0;
  // What %globaltimer shows at the beginning of the device's time.
  const uint64_t epoch_ = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                                std::chrono::nanoseconds(1));
};

}  // namespace heddle::clock
