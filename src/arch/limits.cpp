#include "arch/limits.h"

#include <algorithm>
#include <utility>

#include "arch/allocation.h"

namespace heddle::arch {

namespace {

constexpr std::array<std::string_view, 3> axis{"x", "y", "z"};

std::string of(std::string_view what, const KernelNeeds& kernel) {
  return std::string(what) + " of '" + std::string(kernel.name) + "'";
}

// "<subject> <verb> <value><unit>, device 'gtx480' (sm_20) allows <allowed><tail>"
LimitExceeded exceeded(Limit limit, const Device& device, const std::string& subject, std::string_view verb,
                       uint64_t value, std::string_view unit, uint64_t allowed, std::string_view tail = {}) {
  std::string message = subject + ' ' + std::string(verb) + ' ' + std::to_string(value) + std::string(unit) +
                        ", " + describe(device) + " allows " + std::to_string(allowed) + std::string(tail);
  return {limit, value, allowed, std::move(message)};
}

// The words are made only for a refusal: every launch comes through here.
std::optional<LimitExceeded> check_dims(Limit limit, const Device& device, std::string_view what,
                                        const KernelNeeds& kernel, std::string_view unit,
                                        const std::array<uint32_t, 3>& dims,
                                        const std::array<uint32_t, 3>& allowed) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (dims[i] != 0 && dims[i] <= allowed[i]) continue;
    const std::string subject = of(what, kernel);
    std::string in_axis = " ";
    in_axis.append(unit).append(" in ").append(axis[i]);
    if (dims[i] == 0) {
      std::string message = subject;
      message.append(" has 0").append(in_axis).append(", a launch needs at least 1");
      return LimitExceeded{Limit::empty, 0, 1, std::move(message)};
    }
    return exceeded(limit, device, subject, "has", dims[i], in_axis, allowed[i]);
  }
  return std::nullopt;
}

uint64_t product(const std::array<uint32_t, 3>& dims) { return uint64_t{dims[0]} * dims[1] * dims[2]; }

std::optional<LimitExceeded> check_block(const Device& device, const KernelNeeds& kernel,
                                         const LaunchNeeds& launch) {
  const auto block = [&kernel] { return of("block", kernel); };
  const Launch& limits = device.arch.launch;
  if (auto bad =
          check_dims(Limit::block_dim, device, "block", kernel, "threads", launch.block, limits.max_block)) {
    return bad;
  }
  const uint64_t threads = product(launch.block);
  if (threads > limits.max_threads_per_block) {
    return exceeded(Limit::block_threads, device, block(), "is", threads, " threads",
                    limits.max_threads_per_block);
  }
  if (kernel.max_threads != 0 && threads > kernel.max_threads) {
    return LimitExceeded{Limit::launch_bounds, threads, kernel.max_threads,
                         block() + " is " + std::to_string(threads) +
                             " threads, the kernel is compiled for at most " +
                             std::to_string(kernel.max_threads)};
  }
  const uint32_t registers =
      registers_checked_per_block(device.arch, static_cast<uint32_t>(threads), kernel.registers);
  if (registers > device.arch.registers.per_block) {
    return exceeded(Limit::registers, device, "a " + block(), "takes", registers,
                    " registers (" + std::to_string(kernel.registers) + " for each of " +
                        std::to_string(threads) + " threads)",
                    device.arch.registers.per_block);
  }
  return std::nullopt;
}

std::optional<LimitExceeded> check_clusters(const Device& device, const KernelNeeds& kernel,
                                            const LaunchNeeds& launch) {
  const uint64_t blocks = product(launch.cluster);
  if (blocks == 1) return std::nullopt;
  const Launch& limits = device.arch.launch;
  if (!device.has(Feature::clusters)) {
    return LimitExceeded{Limit::no_clusters, blocks, 0,
                         "'" + std::string(kernel.name) + "' is launched in clusters, " + describe(device) +
                             " has no clusters"};
  }
  const uint32_t most =
      launch.large_cluster_allowed ? limits.max_cluster_blocks_opt_in : limits.max_cluster_blocks;
  if (auto bad = check_dims(Limit::cluster_size, device, "cluster", kernel, "blocks", launch.cluster,
                            {most, most, most})) {
    return bad;
  }
  if (blocks > most) {
    return exceeded(Limit::cluster_size, device, of("cluster", kernel), "is", blocks, " blocks", most);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (launch.grid[i] % launch.cluster[i] != 0) {
      return LimitExceeded{Limit::cluster_shape, launch.grid[i], launch.cluster[i],
                           of("grid", kernel) + " has " + std::to_string(launch.grid[i]) + " blocks in " +
                               std::string(axis[i]) + ", its clusters have " +
                               std::to_string(launch.cluster[i]) + ": no whole number of clusters"};
    }
  }
  return std::nullopt;
}

}  // namespace

uint64_t shared_bytes(const Device& device, const KernelNeeds& kernel, uint32_t dynamic_shared) {
  const uint32_t arguments =
      device.has(Feature::parameters_in_shared) ? kernel.parameter_bytes : 0;  // OpenCL guide 3.2.3
  return uint64_t{kernel.static_shared} + dynamic_shared + arguments;
}

std::optional<LimitExceeded> check_kernel(const Device& device, const KernelNeeds& kernel) {
  const Architecture& arch = device.arch;
  if (kernel.registers > arch.registers.per_thread) {
    return exceeded(Limit::registers, device, "a thread" + of("", kernel), "takes", kernel.registers,
                    " registers", arch.registers.per_thread);
  }
  if (kernel.local_bytes > arch.memory.local_bytes_per_thread) {
    return exceeded(Limit::local, device, of("local memory", kernel), "is", kernel.local_bytes,
                    " bytes a thread", arch.memory.local_bytes_per_thread);
  }
  if (kernel.parameter_bytes > arch.launch.max_parameter_bytes) {
    return exceeded(Limit::parameters, device, "the arguments" + of("", kernel), "are",
                    kernel.parameter_bytes, " bytes", arch.launch.max_parameter_bytes);
  }
  const uint64_t shared = shared_bytes(device, kernel, 0);
  if (shared > arch.shared.per_block) {
    return exceeded(Limit::shared, device, of("shared memory", kernel), "is", shared, " bytes",
                    arch.shared.per_block);
  }
  return std::nullopt;
}

std::optional<LimitExceeded> check_launch(const Device& device, const KernelNeeds& kernel,
                                          const LaunchNeeds& launch) {
  if (auto bad = check_kernel(device, kernel)) return bad;
  if (auto bad = check_block(device, kernel, launch)) return bad;
  if (auto bad = check_dims(Limit::grid_dim, device, "grid", kernel, "blocks", launch.grid,
                            device.arch.launch.max_grid)) {
    return bad;
  }
  // More than per_block only where the program raised the kernel's limit, and never more than
  // per_block_opt_in.
  const Shared& shared = device.arch.shared;
  const uint64_t used = shared_bytes(device, kernel, launch.dynamic_shared);
  const uint64_t raised = uint64_t{kernel.static_shared} + launch.dynamic_shared_allowed;
  const uint64_t allowed =
      std::clamp<uint64_t>(raised, shared.per_block, std::max(shared.per_block, shared.per_block_opt_in));
  if (used > allowed) {
    return exceeded(Limit::shared, device, of("shared memory", kernel), "is", used, " bytes", allowed);
  }
  if (auto bad = check_clusters(device, kernel, launch)) return bad;
  if (launch.cooperative && !device.has(Feature::cooperative_launch)) {
    return LimitExceeded{Limit::no_cooperative, 1, 0,
                         "'" + std::string(kernel.name) + "' is launched cooperatively, " + describe(device) +
                             " has no cooperative launches"};
  }
  return std::nullopt;
}

}  // namespace heddle::arch
