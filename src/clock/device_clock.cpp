#include "clock/device_clock.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "clock/predicted_launch.h"
#include "observe/several.h"
#include "runtime/context.h"
#include "timing/copy.h"

namespace heddle::clock {

namespace {

bool of_host(const runtime::TouchedPlace& place) {
  return place.memory == nullptr || place.memory->kind == runtime::MemoryKind::pinned ||
         place.memory->kind == runtime::MemoryKind::registered;
}

timing::HostSide side_of(const runtime::TouchedPlace& place) {
  // Both CUDA APIs call it 4 (cudaHostAllocWriteCombined, CU_MEMHOSTALLOC_WRITECOMBINED).
  constexpr uint32_t write_combined = 4;
  if (place.memory == nullptr) return timing::HostSide::pageable;
  const bool combined =
      place.memory->kind == runtime::MemoryKind::pinned && (place.memory->flags & write_combined) != 0;
  return combined ? timing::HostSide::write_combined : timing::HostSide::pinned;
}

}  // namespace

class DeviceClock::Watch final : public runtime::LaunchWatch {
 public:
  Watch(DeviceClock& clock, const runtime::LaunchFacts& facts)
      : clock_(clock),
        device_(facts.context.device().index),
        submission_(facts.submission),
        launch_(clock.machines_[device_], clock.programs_, facts),
        kernel_clock_(launch_.make_clock(facts, clock.begins(facts.submission), clock.epoch_)) {
    if (kernel_clock_ != nullptr)
      both_.emplace(std::vector<observe::Observer*>{launch_.observer(), kernel_clock_.get()});
  }
  observe::Observer* observer() override { return both_ ? &*both_ : launch_.observer(); }
  void ended(const runtime::LaunchEnd& end) override {
    if (end.report == nullptr || !launch_.obstacle().empty()) return;
    // Grids that a kernel launched come behind one another, with the host's launch that they come of.
    clock_.works(submission_,
                 {Engine::kernels, device_, std::llround(launch_.predict().nanoseconds), launch_.share()});
  }

 private:
  DeviceClock& clock_;
  const uint32_t device_;
  const runtime::Submission* submission_;
  PredictedLaunch launch_;
  const std::unique_ptr<LaunchClock> kernel_clock_;
  std::optional<observe::Several> both_;
};

int64_t DeviceClock::begins(const runtime::Submission* submission) {
  if (submission == nullptr) return 0;
  const std::lock_guard lock(mutex_);
  return timeline_.begins(submission->number);
}

runtime::Outcome<std::shared_ptr<DeviceClock>> DeviceClock::create(runtime::System& system) {
  std::vector<timing::Machine> machines;
  std::vector<Engines> engines;
  for (const runtime::Device& device : system.devices()) {
    auto machine = timing::make_machine(device.facts);
    if (!machine)
      return runtime::error(
          runtime::ErrorCode::invalid_value,
          "HEDDLE_CLOCK=device: nothing is known of the times of " + arch::describe(device.facts));
    machines.push_back(*machine);
    const auto& launch = device.facts.arch.launch;
    engines.push_back({device.facts.board.async_engines, device.facts.has(arch::Feature::concurrent_kernels),
                       launch.hardware_queues, launch.max_resident_grids});
  }
  auto clock = std::make_shared<DeviceClock>(std::move(machines), std::move(engines));
  system.set_device_time(*clock);
  return clock;
}

std::unique_ptr<runtime::LaunchWatch> DeviceClock::launch(const runtime::LaunchFacts& facts) {
  return std::make_unique<Watch>(*this, facts);
}

void DeviceClock::copied(const runtime::CopyFacts& copy) {
  if (copy.submission == nullptr) return;  // no command: the host's own stores
  const uint32_t device = copy.context.device().index;
  const bool to_host = of_host(copy.to), from_host = copy.from != nullptr && of_host(*copy.from);
  auto kind = timing::CopyKind::within_device;
  Engine engine = Engine::within_device;
  auto host = timing::HostSide::pinned;
  if (copy.from == nullptr) {
    kind = timing::CopyKind::fill;
  } else if (to_host && from_host) {
    return works(copy.submission, {Engine::none, device, 0});  // the host does it
  } else if (to_host) {
    kind = timing::CopyKind::to_host;
    engine = Engine::to_host;
    host = side_of(copy.to);
  } else if (from_host) {
    kind = timing::CopyKind::to_device;
    engine = Engine::to_device;
    host = side_of(*copy.from);
  } else if (copy.to.memory != nullptr && copy.from->memory != nullptr &&
             copy.to.memory->device != copy.from->memory->device) {
    kind = timing::CopyKind::to_device;  // from device to device, over the bus
    engine = Engine::to_device;
  }
  works(copy.submission,
        {engine, device, std::llround(timing::copy_time(machines_[device], kind, copy.bytes(), host))});
}

void DeviceClock::works(const runtime::Submission* submission, const Work& work) {
  if (submission == nullptr) return;
  const std::lock_guard lock(mutex_);
  timeline_.works(submission->number, work);
}

void DeviceClock::submitted(const runtime::Submission& submission, const runtime::Context&) {
  const std::lock_guard lock(mutex_);
  std::vector<uint64_t> after = submission.after;
  after.insert(after.end(), waited_for_.begin(), waited_for_.end());
  timeline_.submitted(submission.number, std::move(after), !submission.works, waited_until_,
                      submission.stream);
}

void DeviceClock::host_waited(std::span<const uint64_t> numbers) {
  const std::lock_guard lock(mutex_);
  for (const uint64_t number : numbers)
    if (number != 0) waited_for_.push_back(number);
  std::ranges::sort(waited_for_, std::ranges::greater{});
  waited_for_.erase(std::ranges::unique(waited_for_).begin(), waited_for_.end());
  constexpr std::size_t most = 16;
  while (waited_for_.size() > most) {
    waited_until_ = std::max(waited_until_, timeline_.of(waited_for_.back()).ended);
    waited_for_.pop_back();
  }
}

runtime::TaskTimes DeviceClock::times(const runtime::Task& task) {
  return task.submission() == nullptr ? task.times() : times(task.submission()->number);
}

runtime::TaskTimes DeviceClock::times(uint64_t submission) {
  const std::lock_guard lock(mutex_);
  const Interval when = timeline_.of(submission);
  return {when.ready, when.ready, when.started, when.ended};
}

}  // namespace heddle::clock
