// The machine that a process sees: its devices, and what they share.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "exec/launch.h"
#include "runtime/injector.h"
#include "runtime/memory.h"
#include "runtime/printf_ring.h"
#include "runtime/scheduler.h"
#include "runtime/watchers.h"

namespace heddle::machine {
class DeviceUse;
}

namespace heddle::runtime {

class Context;
class DeviceRuntimeApi;
class DeviceTime;
struct ContextOptions;

struct SystemOptions {
  std::vector<const arch::Device*> devices;  // empty: the catalogue's default device
  std::vector<uint32_t> numbers;             // of those devices among all of the host; empty: 0, 1, ...
  std::unique_ptr<exec::Executor> executor;  // nullptr: see default_executor
  Sink print, print_error;                   // device printf; assertions of kernels
  std::optional<std::chrono::nanoseconds> kernel_timeout;
  std::string inject;  // see injector.h
  Clock clock;         // of tasks' times; empty: the host's steady clock
  // How much all allocations together may have; by default what the host has now.
  std::optional<uint64_t> host_memory;
  Bounds bounds = Bounds::exact;
  bool quiet = false;  // faults are told to who asks alone, not on the error output as well
  bool seen_by_others =
      false;  // other processes know of its contexts, and compute modes hold (machine/use.h)
  bool launch_blocking = false;  // a launch of a CUDA API returns when the kernel has ended, with its error
};
// HEDDLE_DEVICES (a list), HEDDLE_DEVICE, CUDA_VISIBLE_DEVICES (of them), HEDDLE_KERNEL_TIMEOUT (seconds),
// HEDDLE_MEMORY, HEDDLE_BOUNDS, HEDDLE_QUIET, CUDA_LAUNCH_BLOCKING, HEDDLE_INJECT, and those of the executor
// (executors.h): docs/reference/environment.md.
Outcome<SystemOptions> options_from_environment(
    const std::function<const char*(const char* name)>& environment);

struct Device {
  Device(uint32_t place, uint32_t number, const arch::Device& device_facts, MemoryBudget& host)
      : index(place),
        number_on_host(number),
        facts(device_facts),
        budget("device '" + std::string(device_facts.id) + "'", device_facts.dram.total_bytes, &host),
        slots{device_facts.arch.launch.max_resident_grids, 0, {}} {}
  const uint32_t index, number_on_host;
  const arch::Device& facts;
  MemoryBudget budget;
  GridSlots slots;  // the scheduler's
};

class System {
 public:
  static Outcome<std::unique_ptr<System>> create(SystemOptions options);
  ~System();  // ends every context
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  std::deque<Device>& devices() { return devices_; }
  MemoryBudget& host_budget() { return host_budget_; }
  Outcome<std::shared_ptr<Context>> create_context(uint32_t device, const ContextOptions& options);
  std::vector<std::shared_ptr<Context>> contexts() const;

  // What runs and could touch [begin, begin + bytes) has ended.
  Done wait_for_users(uint64_t begin, uint64_t bytes);
  // What kernels that launch kernels expect; stays for ever. nullptr: they cannot.
  void set_device_runtime(const DeviceRuntimeApi& api) { device_runtime_ = &api; }
  const DeviceRuntimeApi* device_runtime() const { return device_runtime_; }
  // Whose times the APIs tell; stays for ever. nullptr: the host's clock.
  void set_device_time(DeviceTime& time) { device_time_ = &time; }
  TaskTimes times_of(const Task& task) const;  // of one that is done
  void host_waited(std::span<const uint64_t> numbers) const;
  void host_waited(const Task& task) const;
  exec::Executor& executor() { return *options_.executor; }
  // That looks at each access on its own, whatever the other one is.
  exec::Executor& reference() { return *reference_; }
  const SystemOptions& options() const { return options_; }
  Watchers& watchers() { return watchers_; }
  Injector& injector() { return *injector_; }
  AddressSpace& space() { return *space_; }
  GuestRanges& ranges() { return ranges_; }
  Memory& memory() { return memory_; }
  Scheduler& scheduler() { return scheduler_; }

 private:
  friend class Context;
  System(SystemOptions options, std::unique_ptr<Injector> injector, std::unique_ptr<AddressSpace> space);
  void forget(const std::shared_ptr<Context>& context);
  machine::DeviceUse* use_of(const Device& device) const;

  SystemOptions options_;
  const std::unique_ptr<exec::Executor> reference_;
  std::atomic<const DeviceRuntimeApi*> device_runtime_{nullptr};
  std::atomic<DeviceTime*> device_time_{nullptr};
  Watchers watchers_;
  std::unique_ptr<Injector> injector_;
  std::unique_ptr<AddressSpace> space_;
  MemoryBudget host_budget_;
  std::deque<Device> devices_;
  GuestRanges ranges_;
  Memory memory_;
  Scheduler scheduler_;
  mutable std::mutex mutex_;
  std::set<std::shared_ptr<Context>> contexts_;  // not yet destroyed
};

}  // namespace heddle::runtime
