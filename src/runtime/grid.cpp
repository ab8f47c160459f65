#include "runtime/grid.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace heddle::runtime {

namespace {

std::atomic<uint64_t> next_grid_id{1};

// What lies near the address says more than that nothing lies there.
exec::Fault explained(Context& context, exec::Fault fault) {
  const bool global = fault.space == module::Space::global || fault.space == module::Space::const_;
  if (fault.kind != exec::FaultKind::illegal_address || fault.bytes == 0 || fault.address == 0 || !global)
    return fault;
  const Memory& memory = context.system().memory();
  const std::string near = memory.describe(fault.address);
  fault.detail = memory.find(fault.address) == nullptr ? near : fault.detail + "; " + near;
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

Done Grid::run(Context& context, exec::Services& services, const Deadline& deadline) const {
  exec::Launch launch;
  launch.module = launched_->loaded.get();
  launch.function = kernel_.index();
  launch.shape = shape_;
  launch.params = {bytes_ > sizeof few_ ? many_.data() : few_, bytes_};
  launch.environment = {environment_.data(), environment_count_};
  launch.device = &context.device().facts;
  launch.memory = &context.guest_memory();
  launch.services = &services;
  launch.local_bytes = kernel_.local_bytes() + context.stack_bytes();
  launch.grid_id = next_grid_id.fetch_add(1, std::memory_order_relaxed);
  launch.cancel = &context.cancelled();
  launch.deadline = deadline;
  context.launch_begins();
  auto report = context.system().executor().run(launch);
  context.launch_ended();
  if (report) return Unit{};
  Error failure = fault_error(explained(context, report.error()));
  context.fail(failure);
  return failure;
}

}  // namespace heddle::runtime
