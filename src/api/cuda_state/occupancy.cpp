#include "api/cuda_state/occupancy.h"

#include <algorithm>

#include "analysis/registers/low_end.h"
#include "api/cuda_state/function_facts.h"
#include "runtime/launch.h"

namespace heddle::cuda {
namespace {

const arch::Device& device_of(const Function& function) {
  return function.module().context().device().facts();
}

}  // namespace

Answer<model::BlockNeeds> block_needs(const Function& function, int threads, uint64_t dynamic_shared) {
  return block_needs(function.kernel(), threads, dynamic_shared);
}

Answer<model::BlockNeeds> block_needs(const runtime::Kernel& kernel, int threads, uint64_t dynamic_shared) {
  const arch::Device& device = kernel.module().context().device().facts;
  if (threads <= 0) return invalid_value("a block of " + std::to_string(threads) + " threads");
  if (dynamic_shared > UINT32_MAX)
    return invalid_value(std::to_string(dynamic_shared) + " bytes of dynamic shared memory");
  model::BlockNeeds needs =
      runtime::block_needs(kernel, static_cast<uint32_t>(threads), static_cast<uint32_t>(dynamic_shared));
  needs.registers =
      analysis::registers_in_block(kernel.registers(), static_cast<uint32_t>(threads), device.arch);
  // "0 blocks" is the answer for more than the kernel or the device takes.
  if (static_cast<uint32_t>(threads) > kernel.max_threads())
    needs.threads = device.arch.multiprocessor.max_threads + 1;
  return needs;
}

Answer<int> resident_blocks(const Function& function, int threads, uint64_t dynamic_shared) {
  auto needs = block_needs(function, threads, dynamic_shared);
  if (!needs) return needs.error();
  return static_cast<int>(model::occupancy(device_of(function).arch, *needs).blocks);
}

Answer<std::size_t> dynamic_shared_for(const Function& function, int blocks, int threads) {
  if (blocks <= 0) return invalid_value(std::to_string(blocks) + " blocks");
  auto needs = block_needs(function, threads, 0);
  if (!needs) return needs.error();
  const uint32_t resident = model::occupancy(device_of(function).arch, *needs).blocks;
  if (static_cast<uint32_t>(blocks) > resident)
    return invalid_value(std::to_string(blocks) + " blocks of " + std::to_string(threads) +
                         " threads on a multiprocessor, which holds " + std::to_string(resident) +
                         " even without dynamic shared memory");
  // More than the kernel may have cannot be launched.
  const std::size_t room =
      model::available_dynamic_shared(device_of(function).arch, *needs, static_cast<uint32_t>(blocks));
  return std::min(room, static_cast<std::size_t>(function_facts(function).max_dynamic_shared));
}

Answer<BestBlock> best_block(const Function& function, int limit,
                             const std::function<std::size_t(int threads)>& dynamic_shared) {
  const arch::Device& device = device_of(function);
  const auto most_of_kernel = static_cast<int>(function.kernel().max_threads());
  const int most = limit > 0 ? std::min(limit, most_of_kernel) : most_of_kernel;
  const auto warp = static_cast<int>(device.arch.launch.warp_size);
  BestBlock best;
  uint64_t resident = 0;
  // Whole warps, and the limit itself where it is none.
  for (int threads = (most + warp - 1) / warp * warp; threads > 0; threads -= warp) {
    const int size = std::min(threads, most);
    auto blocks = resident_blocks(function, size, dynamic_shared(size));
    if (!blocks) return blocks.error();
    if (static_cast<uint64_t>(*blocks) * static_cast<uint64_t>(size) <= resident) continue;
    resident = static_cast<uint64_t>(*blocks) * static_cast<uint64_t>(size);
    best = {size, static_cast<int>(static_cast<uint32_t>(*blocks) * device.board.multiprocessors)};
  }
  return best;
}

Status cluster_fits(const Function& function, const exec::Dim3& cluster) {
  const arch::Device& device = device_of(function);
  if (device.arch.launch.max_cluster_blocks == 0)
    return failure(Code::not_supported, arch::describe(device) + " has no clusters");
  const uint64_t blocks = cluster.count();
  const uint32_t most = function.kernel().large_cluster_allowed ? device.arch.launch.max_cluster_blocks_opt_in
                                                                : device.arch.launch.max_cluster_blocks;
  if (blocks == 0 || blocks > most)
    return failure(Code::invalid_cluster_size, "clusters of " + std::to_string(blocks) + " blocks, '" +
                                                   function.name() + "' can have " + std::to_string(most));
  return Unit{};
}

// Clusters share a part of the device whose size is its largest cluster.
Answer<int> resident_clusters(const Function& function, const ClusterLaunch& launch) {
  const arch::Device& device = device_of(function);
  if (Status fits = cluster_fits(function, launch.cluster); !fits) return fits.error();
  if (launch.threads == 0 || launch.threads > device.arch.launch.max_threads_per_block)
    return failure(Code::invalid_configuration, "blocks of " + std::to_string(launch.threads) + " threads");
  auto resident = resident_blocks(function, static_cast<int>(launch.threads), launch.dynamic_shared);
  if (!resident) return resident.error();
  return static_cast<int>(static_cast<uint64_t>(*resident) * device.board.multiprocessors /
                          launch.cluster.count());
}

Answer<int> largest_cluster(const Function& function, const ClusterLaunch& launch) {
  const arch::Device& device = device_of(function);
  uint32_t most = function.kernel().large_cluster_allowed ? device.arch.launch.max_cluster_blocks_opt_in
                                                          : device.arch.launch.max_cluster_blocks;
  if (most == 0) return failure(Code::not_supported, arch::describe(device) + " has no clusters");
  ClusterLaunch trial = launch;
  for (; most > 1; most /= 2) {
    trial.cluster = {most, 1, 1};
    auto clusters = resident_clusters(function, trial);
    if (!clusters) return clusters.error();
    if (*clusters > 0) break;
  }
  return static_cast<int>(most);
}

}  // namespace heddle::cuda
