#include "runtime/launch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <utility>

#include "arch/limits.h"

namespace heddle::runtime {

namespace {

std::atomic<uint64_t> next_grid_id{1};

std::string triple(const exec::Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

Error too_much(const arch::LimitExceeded& exceeded) {
  Error result = error(ErrorCode::launch_limit, exceeded.message);
  result.limit = exceeded.limit;
  return result;
}

exec::Dim3 dim(const uint32_t (&d)[3]) { return {d[0], d[1], d[2]}; }

}  // namespace

class LaunchOperation final : public Operation {
 public:
  LaunchOperation(const Kernel& kernel, exec::LaunchShape shape, std::span<const std::byte> params,
                  std::span<const uint32_t> environment)
      : module_(kernel.module().shared_from_this()),
        loaded_(kernel.module().snapshot()),
        kernel_(kernel),
        shape_(shape),
        bytes_(params.size()),
        environment_(environment.begin(), environment.end()) {
    if (bytes_ > sizeof few_) many_.resize(bytes_);
    std::ranges::copy(params, bytes_ > sizeof few_ ? many_.data() : few_);
  }

  bool is_launch() const override { return true; }

  Done run(Context& context, Task&) const override {
    exec::Launch launch;
    launch.module = loaded_.get();
    launch.function = kernel_.index();
    launch.shape = shape_;
    launch.params = {bytes_ > sizeof few_ ? many_.data() : few_, bytes_};
    launch.environment = environment_;
    launch.device = &context.device().facts;
    launch.memory = &context.guest_memory();
    launch.services = &context.services();
    launch.local_bytes = kernel_.local_bytes() + context.stack_bytes();
    launch.grid_id = next_grid_id.fetch_add(1, std::memory_order_relaxed);
    launch.cancel = &context.cancelled();
    if (const auto& timeout = context.system().options().kernel_timeout)
      launch.deadline = std::chrono::steady_clock::now() + *timeout;
    context.launch_begins();
    auto report = context.system().executor().run(launch);
    context.launch_ended();
    if (report) return Unit{};
    Error failure = fault_error(explained(context, report.error()));
    context.fail(failure);
    return failure;
  }

 private:
  // What lies near the address says more than that nothing lies there.
  static exec::Fault explained(Context& context, exec::Fault fault) {
    const bool global = fault.space == module::Space::global || fault.space == module::Space::const_;
    if (fault.kind != exec::FaultKind::illegal_address || fault.bytes == 0 || fault.address == 0 || !global)
      return fault;
    const Memory& memory = context.system().memory();
    const std::string near = memory.describe(fault.address);
    fault.detail = memory.find(fault.address) == nullptr ? near : fault.detail + "; " + near;
    return fault;
  }

  const std::shared_ptr<Module> module_;  // keeps the variables and the kernel
  const std::shared_ptr<const exec::LoadedModule> loaded_;
  const Kernel& kernel_;
  const exec::LaunchShape shape_;
  // The parameters: most kernels' are few.
  const std::size_t bytes_;
  alignas(16) std::byte few_[96];
  std::vector<std::byte> many_;
  const std::vector<uint32_t> environment_;
};

uint64_t parameter_bytes(const module::Function& entry) { return entry.signature.param_bytes; }

model::BlockNeeds block_needs(const Kernel& kernel, uint32_t threads, uint32_t dynamic_shared) {
  model::BlockNeeds needs;
  needs.threads = threads;
  needs.shared_bytes =
      arch::shared_bytes(kernel.module().context().device().facts, kernel.needs(), dynamic_shared);
  needs.registers = kernel.needs().registers;
  return needs;
}

uint64_t cooperative_capacity(const Kernel& kernel, uint32_t threads, uint32_t dynamic_shared) {
  const arch::Device& device = kernel.module().context().device().facts;
  const model::Occupancy occupancy =
      model::occupancy(device.arch, block_needs(kernel, threads, dynamic_shared));
  return uint64_t{occupancy.blocks} * device.board.multiprocessors;
}

Outcome<OperationRef> make_launch(const LaunchRequest& request) {
  const Kernel& kernel = *request.kernel;
  Module& module = kernel.module();
  if (!module.loaded()) return error(ErrorCode::invalid_handle, "the module of the kernel was unloaded");
  const arch::Device& device = module.context().device().facts;
  const module::Function& entry = kernel.function();
  exec::LaunchShape shape;
  shape.grid = request.grid;
  shape.block = request.block;
  shape.dynamic_shared = request.dynamic_shared;
  shape.cooperative = request.cooperative;
  if (entry.limits.required_cluster[0] != 0) {
    shape.cluster = dim(entry.limits.required_cluster);
    if (request.cluster && *request.cluster != shape.cluster)
      return invalid("cluster of '" + entry.name + "' is " + triple(*request.cluster) +
                     ", the kernel is compiled for " + triple(shape.cluster));
  } else if (request.cluster) {
    shape.cluster = *request.cluster;
  } else if (kernel.cluster[0] != 0 || kernel.cluster[1] != 0 || kernel.cluster[2] != 0) {
    shape.cluster = {kernel.cluster[0], kernel.cluster[1], kernel.cluster[2]};
    if (shape.cluster.count() == 0)
      return invalid("the cluster that '" + entry.name + "' requires is " + triple(shape.cluster));
  }
  if (entry.limits.required_threads[0] != 0 && shape.block != dim(entry.limits.required_threads))
    return invalid("block of '" + entry.name + "' is " + triple(shape.block) +
                   " threads, the kernel is compiled for " + triple(dim(entry.limits.required_threads)));
  if (request.params.size() != parameter_bytes(entry))
    return invalid("the arguments of '" + entry.name + "' are " + std::to_string(request.params.size()) +
                   " bytes, the kernel takes " + std::to_string(parameter_bytes(entry)));
  arch::LaunchNeeds needs;
  needs.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  needs.block = {shape.block.x, shape.block.y, shape.block.z};
  needs.cluster = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
  needs.dynamic_shared = shape.dynamic_shared;
  needs.dynamic_shared_allowed = kernel.max_dynamic_shared;
  needs.large_cluster_allowed = kernel.large_cluster_allowed;
  needs.cooperative = shape.cooperative;
  if (const auto exceeded = arch::check_launch(device, kernel.needs(), needs)) return too_much(*exceeded);
  if (shape.cooperative) {
    const auto threads = static_cast<uint32_t>(shape.block.count());
    const uint64_t capacity = cooperative_capacity(kernel, threads, shape.dynamic_shared);
    if (shape.grid.count() > capacity)
      return error(ErrorCode::cooperative_limit, "cooperative grid of '" + entry.name + "' is " +
                                                     std::to_string(shape.grid.count()) + " blocks, " +
                                                     arch::describe(device) + " holds " +
                                                     std::to_string(capacity) + " at once");
  }
  return OperationRef(std::make_shared<LaunchOperation>(kernel, shape, request.params, request.environment));
}

Done launch(Stream& stream, const LaunchRequest& request) {
  Context& context = *stream.context();
  if (Done state = context.begin(Site::launch); !state) return state;
  if (request.kernel == nullptr || &request.kernel->module().context() != &context)
    return error(ErrorCode::invalid_handle, "the kernel belongs to another context than the stream");
  auto operation = make_launch(request);
  if (!operation) return operation.error();
  // "At the start of the launch" (CUDA C++ Programming Guide, formatted output).
  context.flush_output();
  auto task = stream.submit(*operation);
  if (!task) return task.error();
  return Unit{};
}

Outcome<std::vector<std::byte>> pack_parameters(const Kernel& kernel, const void* const* arguments) {
  const module::Function& entry = kernel.function();
  std::vector<std::byte> bytes(parameter_bytes(entry));
  if (!entry.signature.params.empty() && arguments == nullptr)
    return invalid("'" + entry.name + "' takes arguments, none were given");
  for (std::size_t i = 0; i < entry.signature.params.size(); ++i) {
    const module::Parameter& parameter = entry.signature.params[i];
    if (arguments[i] == nullptr)
      return invalid("argument " + std::to_string(i) + " of '" + entry.name + "' is null");
    std::memcpy(bytes.data() + parameter.offset, arguments[i], parameter.size);
  }
  return bytes;
}

}  // namespace heddle::runtime
