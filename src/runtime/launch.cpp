#include "runtime/launch.h"

#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "arch/allocation.h"
#include "arch/limits.h"
#include "exec/readable_name.h"
#include "runtime/device_runtime.h"
#include "runtime/kernel_registers.h"
#include "runtime/rehearsal.h"
#include "runtime/system.h"
#include "support/recycled.h"

namespace heddle::runtime {

namespace {

std::string triple(const exec::Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

Error too_much(const arch::LimitExceeded& exceeded) {
  Error result = error(ErrorCode::launch_limit, exceeded.message);
  result.limit = exceeded.limit;
  return result;
}

// Programs that look at no error code would go on as if all were well. Each kernel once.
void tell_refusal(const Kernel& kernel, const std::string& message) {
  const SystemOptions& options = kernel.module().context().system().options();
  if (options.quiet || !options.print_error) return;
  static std::mutex mutex;
  static std::set<std::string> told;
  {
    const std::lock_guard lock(mutex);
    if (!told.insert(kernel.function().name).second) return;
  }
  std::string line = "heddle: " + message + "\n";
  const std::string quoted = "'" + kernel.function().name + "'";
  if (const std::size_t at = line.find(quoted); at != line.npos)
    line.replace(at + 1, quoted.size() - 2, exec::readable_name(kernel.function().name));
  options.print_error(line);
}

// Which numbers are no more than an estimate, and what would let the kernel run.
Error too_many_registers(const Kernel& kernel, const arch::LimitExceeded& exceeded, uint32_t threads) {
  const arch::Architecture& a = kernel.module().context().device().facts.arch;
  const std::string most = std::to_string(kernel.max_threads()),
                    fit = std::to_string(arch::most_registers(a, threads));
  Error result = too_much(exceeded);
  result.message += "; " + std::to_string(least_registers(kernel)) + " is the low end of an estimate of " +
                    std::to_string(kernel.registers()) + ": blocks of " + most +
                    " threads fit, and with __launch_bounds__(" + std::to_string(threads) +
                    ") or -maxrregcount=" + fit + " larger ones";
  tell_refusal(kernel, result.message);
  return result;
}

exec::Dim3 dim(const uint32_t (&d)[3]) { return {d[0], d[1], d[2]}; }

}  // namespace

class LaunchOperation final : public Operation, public Rehearsal {
 public:
  LaunchOperation(const LaunchRequest& request, const exec::LaunchShape& shape)
      : grid_(*request.kernel, shape, request.params, request.environment) {}
  bool is_launch() const override { return true; }

  Done run(Context& context, Task& task) const override {
    Deadline deadline;
    if (const auto& timeout = context.system().options().kernel_timeout)
      deadline = std::chrono::steady_clock::now() + *timeout;
    if (grid_.module().uses_device_runtime())
      return GridFamily(context, deadline).run(grid_, task.submission());
    Origin origin{.submission = task.submission()};
    return grid_.run(context, context.services(), deadline, origin);
  }
  bool is_kernel() const override { return true; }
  std::optional<exec::Launch> launch(Context& context) const override {
    if (grid_.module().uses_device_runtime()) return std::nullopt;
    return grid_.rehearsal(context);
  }

 private:
  const Grid grid_;
};

uint64_t parameter_bytes(const module::Function& entry) { return entry.signature.param_bytes; }

model::BlockNeeds block_needs(const Kernel& kernel, uint32_t threads, uint32_t dynamic_shared) {
  model::BlockNeeds needs;
  needs.threads = threads;
  needs.shared_bytes =
      arch::shared_bytes(kernel.module().context().device().facts, kernel.needs(), dynamic_shared);
  needs.registers = kernel.needs().registers;
  const Context& context = kernel.module().context();
  model::SharedPreference preference{kernel.cache_preference, kernel.shared_carveout};
  if (preference.cache == model::CachePreference::none) preference.cache = context.cache_preference;
  needs.shared_configuration = model::shared_configuration(context.device().facts.arch, preference);
  return needs;
}

uint64_t cooperative_capacity(const Kernel& kernel, uint32_t threads, uint32_t dynamic_shared) {
  const arch::Device& device = kernel.module().context().device().facts;
  model::BlockNeeds needs = block_needs(kernel, threads, dynamic_shared);
  needs.registers = least_registers(kernel);
  const model::Occupancy occupancy = model::occupancy(device.arch, needs);
  return uint64_t{occupancy.blocks} * device.board.multiprocessors;
}

namespace {

Outcome<exec::LaunchShape> checked_shape(const LaunchRequest& request) {
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
  arch::KernelNeeds taken = kernel.needs();
  const uint64_t threads = shape.block.count();
  if (!always_fits(kernel, threads) && threads <= device.arch.launch.max_threads_per_block)
    taken.registers = least_registers(kernel);
  if (const auto exceeded = arch::check_launch(device, taken, needs))
    return exceeded->limit == arch::Limit::registers
               ? too_many_registers(kernel, *exceeded, static_cast<uint32_t>(threads))
               : too_much(*exceeded);
  if (shape.cooperative) {
    const uint64_t capacity =
        cooperative_capacity(kernel, static_cast<uint32_t>(threads), shape.dynamic_shared);
    if (shape.grid.count() > capacity)
      return error(ErrorCode::cooperative_limit, "cooperative grid of '" + entry.name + "' is " +
                                                     std::to_string(shape.grid.count()) + " blocks, " +
                                                     arch::describe(device) + " holds " +
                                                     std::to_string(capacity) + " at once");
  }
  return shape;
}

}  // namespace

Outcome<std::shared_ptr<const Grid>> make_grid(const LaunchRequest& request) {
  const auto shape = checked_shape(request);
  if (!shape) return shape.error();
  return std::shared_ptr<const Grid>(
      std::make_shared<Grid>(*request.kernel, *shape, request.params, request.environment));
}

Outcome<OperationRef> make_launch(const LaunchRequest& request) {
  const auto shape = checked_shape(request);
  if (!shape) return shape.error();
  return OperationRef(make_recycled<LaunchOperation>(request, *shape));
}

Done launch(Stream& stream, const LaunchRequest& request) {
  Context& context = *stream.context();
  if (Done state = context.begin(Site::launch); !state) return state;
  if (request.kernel == nullptr || &request.kernel->module().context() != &context)
    return error(ErrorCode::invalid_handle, "the kernel belongs to another context than the stream");
  auto operation = make_launch(request);
  if (!operation) return operation.error();
  if (!request.kernel->prepared(request.block)) {
    const auto* const launched = static_cast<const LaunchOperation*>(operation->get());
    if (const auto planned = launched->launch(context)) context.system().executor().prepare(*planned);
  }
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
