#include "runtime/grid.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "observe/operands.h"
#include "runtime/foreign_arguments.h"
#include "runtime/multimem_services.h"
#include "runtime/watchers.h"

namespace heddle::runtime {

namespace {

std::atomic<uint64_t> next_grid_id{1};

// In a frame of PTX lies what a device keeps in registers, parameters above all: with its limit of bytes a
// program that recurses on an H200 would end here at a third of the depth.
constexpr uint64_t frame_growth = 3;

// What lies near the address, and whose it is, says more than that nothing lies there.
exec::Fault explained(Context& context, const ForeignArguments& arguments, exec::Fault fault) {
  const bool global = fault.space == module::Space::global || fault.space == module::Space::const_;
  if (fault.kind != exec::FaultKind::illegal_address || fault.bytes == 0 || fault.address == 0 || !global)
    return fault;
  if (arguments.any()) fault.address = ForeignArguments::meant(fault.address);
  System& system = context.system();
  const AllocationRef there = system.memory().find(fault.address);
  const bool of_host = there == nullptr && !system.space().contains(fault.address);
  if (of_host && is_mapped(fault.address, 1)) {
    fault.detail = "memory of the host, which was neither allocated, managed nor registered for the device";
  } else {
    const std::string near = system.memory().describe(fault.address);
    fault.detail = there == nullptr ? near : fault.detail + "; " + near;
    if (there != nullptr && !there->every_context && there->owner != nullptr && there->owner != &context)
      fault.detail += ", of another context, to which this one has no access";
  }
  if (const std::string name = arguments.name_for(fault.address); !name.empty()) fault.detail += "; " + name;
  return fault;
}

// Which thread it was nobody knows any more.
exec::Fault fault_of(const Memory& memory, const Kernel& kernel, const StrayWrite& stray) {
  exec::Fault fault;
  fault.kind = exec::FaultKind::illegal_address;
  fault.kernel = fault.function = kernel.function().name;
  fault.address = stray.address;
  fault.bytes = static_cast<uint32_t>(stray.bytes);
  fault.write = true;
  fault.space = module::Space::global;
  fault.detail = memory.describe(stray.address) +
                 ", found when the kernel had ended (HEDDLE_EXECUTOR=interp finds the place and the thread)";
  return fault;
}

}  // namespace

Grid::Grid(const Kernel& kernel, exec::LaunchShape shape, std::span<const std::byte> params,
           std::span<const uint32_t> environment)
    : launched_(kernel.module().launched()),
      kernel_(kernel),
      shape_(shape),
      bytes_(params.size()),
      environment_count_(std::min(environment.size(), std::tuple_size_v<decltype(environment_)>)) {
  std::ranges::copy(environment.first(environment_count_), environment_.begin());
  if (bytes_ > sizeof few_) many_.resize(bytes_);
  std::ranges::copy(params, bytes_ > sizeof few_ ? many_.data() : few_);
}

exec::Launch Grid::prepared(Context& context, exec::Services& services) const {
  exec::Launch launch;
  launch.module = launched_->loaded.get();
  launch.function = kernel_.index();
  launch.shape = shape_;
  launch.params = {bytes_ > sizeof few_ ? many_.data() : few_, bytes_};
  launch.environment = {environment_.data(), environment_count_};
  launch.device = &context.device().facts;
  launch.memory = &context.guest_memory();
  launch.services = &services;
  launch.local_bytes = kernel_.local_bytes() + frame_growth * context.stack_bytes();
  launch.cancel = &context.cancelled();
  return launch;
}

std::optional<exec::Launch> Grid::rehearsal(Context& context) const {
  exec::Launch launch = prepared(context, context.services());
  if (ForeignArguments(context, kernel_, *launch.module, launch.params).any()) return std::nullopt;
  return launch;
}

Done Grid::run(Context& context, exec::Services& services, const Deadline& deadline, Origin& origin) const {
  MultimemOfMemory all_services(services, context.system().memory(), context.device().index);
  exec::Launch launch = prepared(context, all_services);
  launch.grid_id = origin.grid_id = next_grid_id.fetch_add(1, std::memory_order_relaxed);
  launch.deadline = deadline;
  System& system = context.system();
  ForeignArguments foreign(context, kernel_, *launch.module, launch.params);
  if (foreign.any() && !foreign.needs_reference()) launch.params = foreign.displaced(launch.params);
  exec::Executor* executor = &(foreign.needs_reference() ? system.reference() : system.executor());
  std::optional<WatchedLaunch> watched;
  Span time;
  if (system.watchers().any()) [[unlikely]] {
    watched.emplace(system.watchers(), LaunchFacts{.grid_id = launch.grid_id,
                                                   .parent = origin.parent,
                                                   .asked = origin.asked,
                                                   .submission = origin.submission,
                                                   .context = context,
                                                   .kernel = kernel_,
                                                   .launch = launch});
    launch.observer = watched->observer();
    if (observe::wants_operands(launch.observer)) executor = &system.reference();
    time.began = system.scheduler().now();
  }
  context.launch_begins();
  auto report = executor->run(launch);
  if (watched) [[unlikely]]
    time.ended = system.scheduler().now();
  std::optional<StrayWrite> stray;
  if (report)
    stray = kernel_.fences().look(system.memory(), context.guest_memory(), kernel_.pointers(), launch.params);
  context.launch_ended();
  if (report && !stray) {
    if (watched) [[unlikely]]
      watched->ended({time, &*report, nullptr});
    return Unit{};
  }
  const bool refused =
      !report && report.error().kind == exec::FaultKind::out_of_resources;  // not the kernel's fault
  Error failure = refused ? error(ErrorCode::out_of_memory, report.error().message())
                          : fault_error(stray ? fault_of(system.memory(), kernel_, *stray)
                                              : explained(context, foreign, report.error()));
  if (watched) [[unlikely]]
    watched->ended({time, nullptr, &failure});
  if (!refused) context.fail(failure);
  return failure;
}

}  // namespace heddle::runtime
