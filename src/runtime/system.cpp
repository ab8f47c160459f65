#include "runtime/system.h"

#include <charconv>
#include <cstdlib>
#include <new>
#include <system_error>
#include <utility>

#include "exec/interp/executor.h"
#include "machine/machine.h"
#include "machine/use.h"
#include "machine/visible_devices.h"
#include "runtime/alone.h"
#include "runtime/context.h"
#include "runtime/device_time.h"
#include "runtime/executors.h"
#include "runtime/wait_watcher.h"
#include "support/host_memory.h"
#include "support/watch_for_end.h"

namespace heddle::runtime {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Pages are the system's until somebody writes to them: it would refuse nothing, and end the process later.
uint64_t host_memory(const SystemOptions& options) {
  constexpr uint64_t addresses = uint64_t{1} << 47;
  if (options.host_memory) return *options.host_memory;
  return available_host_memory().value_or(addresses);
}

// The host refused memory or a thread for queued work: told to who asks next, and what is behind it goes on.
Error missed(Context& context, std::string why) {
  Error failed = error(ErrorCode::out_of_memory, std::move(why));
  context.miss(failed);
  return failed;
}

Done run_task(Task& task) {
  Context& context = *task.context();
  if (Done state = context.check(); !state && !task.operation()->after_failure()) return state;
  const Alone::Task running;
  try {
    Done done = task.operation()->run(context, task);
    if (!done && done.error().code == ErrorCode::out_of_memory) context.miss(done.error());
    return done;
  } catch (const std::bad_alloc&) {
    return missed(context, "the host has no memory for queued work");
  } catch (const std::system_error& refused) {
    return missed(context, std::string("the host refuses what queued work needs: ") + refused.what());
  }
}

}  // namespace

Outcome<SystemOptions> options_from_environment(
    const std::function<const char*(const char* name)>& environment) {
  const auto value = [&](const char* name) -> std::string_view {
    const char* text = environment(name);
    return text == nullptr ? std::string_view() : trim(text);
  };
  SystemOptions options;
  auto devices = machine::devices_of_host(environment);
  if (!devices) return error(ErrorCode::no_device, devices.error().message);
  options.devices = std::move(*devices);
  if (const char* list = environment("CUDA_VISIBLE_DEVICES"); list != nullptr) {
    const std::vector<const arch::Device*> all = options.devices;
    auto numbers = machine::visible_devices(list, all);
    if (!numbers) return error(ErrorCode::invalid_handle, numbers.error().message);
    options.numbers = std::move(*numbers);
    if (options.numbers.empty())
      return error(ErrorCode::no_device, "CUDA_VISIBLE_DEVICES: '" + std::string(list) +
                                             "' leaves no device of " + std::to_string(all.size()));
    options.devices.clear();
    for (const uint32_t number : options.numbers) options.devices.push_back(all[number]);
  }
  if (const std::string_view text = value("HEDDLE_KERNEL_TIMEOUT"); !text.empty()) {
    double seconds = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !(seconds >= 0) ||
        seconds > 1e9)
      return invalid("HEDDLE_KERNEL_TIMEOUT: '" + std::string(text) + "' is no number of seconds");
    if (seconds > 0) options.kernel_timeout = std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
  }
  if (const std::string_view text = value("HEDDLE_MEMORY"); !text.empty()) {
    options.host_memory = byte_count(text);
    if (!options.host_memory)
      return invalid("HEDDLE_MEMORY: '" + std::string(text) +
                     "' is no number of bytes, or one with K, M or G");
  }
  if (const std::string_view text = value("HEDDLE_BOUNDS"); text == "pages")
    options.bounds = Bounds::pages;
  else if (text == "apart")
    options.bounds = Bounds::apart;
  else if (!text.empty() && text != "exact")
    return invalid("HEDDLE_BOUNDS: '" + std::string(text) + "' is neither exact nor apart nor pages");
  if (const std::string_view text = value("HEDDLE_QUIET"); text == "1")
    options.quiet = true;
  else if (!text.empty() && text != "0")
    return invalid("HEDDLE_QUIET: '" + std::string(text) + "' is neither 0 nor 1");
  // Not ours: whatever is no number means nothing.
  options.launch_blocking = std::atoi(std::string(value("CUDA_LAUNCH_BLOCKING")).c_str()) != 0;
  options.inject = value("HEDDLE_INJECT");
  auto executor = executor_from_environment(environment);
  if (!executor) return executor.error();
  options.executor = std::move(*executor);
  return options;
}

System::System(SystemOptions options, std::unique_ptr<Injector> injector, std::unique_ptr<AddressSpace> space)
    : options_(std::move(options)),
      reference_(exec::interp::make_executor()),
      injector_(std::move(injector)),
      space_(std::move(space)),
      host_budget_("the host", host_memory(options_)),
      memory_(*space_, ranges_, options_.bounds, &watchers_),
      scheduler_(run_task, options_.clock) {
  for (const arch::Device* device : options_.devices) {
    const auto index = static_cast<uint32_t>(devices_.size());
    devices_.emplace_back(index, index < options_.numbers.size() ? options_.numbers[index] : index, *device,
                          host_budget_);
  }
}

Outcome<std::unique_ptr<System>> System::create(SystemOptions options) {
  watch_for_end();
  if (options.devices.empty()) options.devices.push_back(&arch::default_device());
  if (options.executor == nullptr) options.executor = default_executor();
  auto injector = Injector::parse(options.inject);
  if (!injector) return error(ErrorCode::invalid_value, "HEDDLE_INJECT: " + injector.error().message);
  constexpr uint64_t most_addresses = uint64_t{16} << 40;
  auto space = AddressSpace::reserve(most_addresses, options.bounds == Bounds::apart);
  if (!space) return space.error();
  return std::unique_ptr<System>(new System(std::move(options), std::move(*injector), std::move(*space)));
}

System::~System() {
  for (const std::shared_ptr<Context>& context : contexts()) {
    context->cancel();
    context->destroy();
  }
}

Outcome<std::shared_ptr<Context>> System::create_context(uint32_t device, const ContextOptions& options) {
  if (device >= devices_.size())
    return error(ErrorCode::no_device,
                 "device " + std::to_string(device) + " of " + std::to_string(devices_.size()));
  if (machine::DeviceUse* use = use_of(devices_[device])) {
    if (const auto begun = use->begin_context(); !begun)
      return error(ErrorCode::device_unavailable,
                   "device " + std::to_string(device) + ": " + begun.error().message);
    devices_[device].budget.show_in(use->bytes());
  }
  auto context = std::make_shared<Context>(*this, devices_[device], options);
  const std::lock_guard lock(mutex_);
  contexts_.insert(context);
  return context;
}

TaskTimes System::times_of(const Task& task) const {
  DeviceTime* time = device_time_.load(std::memory_order_relaxed);
  return time != nullptr ? time->times(task) : task.times();
}

void System::host_waited(std::span<const uint64_t> numbers) const {
  tell_host_waited(watchers_, numbers);
  if (DeviceTime* time = device_time_.load(std::memory_order_relaxed)) time->host_waited(numbers);
}

void System::host_waited(const Task& task) const {
  if (task.submission() != nullptr) host_waited({&task.submission()->number, 1});
}

std::vector<std::shared_ptr<Context>> System::contexts() const {
  const std::lock_guard lock(mutex_);
  return {contexts_.begin(), contexts_.end()};
}

void System::forget(const std::shared_ptr<Context>& context) {
  if (machine::DeviceUse* use = use_of(context->device())) use->end_context();
  const std::lock_guard lock(mutex_);
  contexts_.erase(context);
}

machine::DeviceUse* System::use_of(const Device& device) const {
  if (!options_.seen_by_others) return nullptr;
  return machine::DeviceUse::of(machine::device_uuid(device.facts.id, device.number_on_host));
}

Done System::wait_for_users(uint64_t begin, uint64_t bytes) {
  if (Scheduler::current() != nullptr)
    return error(ErrorCode::not_permitted, "a host callback cannot wait for kernels");
  const std::set<const Context*> users = ranges_.who_sees(begin, bytes);
  for (const std::shared_ptr<Context>& context : contexts())
    if (users.contains(context.get())) (void)context->synchronize();  // a failed one has nothing that runs
  return Unit{};
}

}  // namespace heddle::runtime
