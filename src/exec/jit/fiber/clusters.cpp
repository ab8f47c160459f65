#include "exec/jit/fiber/clusters.h"

#include <bit>

#include "exec/memory_map.h"
#include "support/thread_object.h"

namespace heddle::exec::jit {

void ClusterBarrier::reset(uint32_t blocks, uint32_t threads_of_block) {
  warps_of_block_ = (threads_of_block + 31) / 32;
  warps_.assign(std::size_t{blocks} * warps_of_block_, {.alive = ~0U});
  if (threads_of_block % 32 != 0)
    for (uint32_t rank = 0; rank < blocks; ++rank)
      warp_of(rank, warps_of_block_ - 1).alive = (1U << threads_of_block % 32) - 1;
  missing_ = uint64_t{blocks} * threads_of_block;
  anyone_ = false;
  waits_.clear();
}

const char* ClusterBarrier::arrive(uint32_t rank, uint32_t warp, uint32_t lanes) {
  Warp& w = warp_of(rank, warp);
  if ((lanes & (w.arrived | w.may_pass)) != 0)
    return "the thread arrives at the cluster's barrier twice without waiting for it";
  w.arrived |= lanes;
  missing_ -= static_cast<uint64_t>(std::popcount(lanes & w.alive));
  anyone_ = true;
  return nullptr;
}

const char* ClusterBarrier::wait(uint32_t rank, uint32_t warp, uint32_t lanes, uint32_t thread, bool& waits) {
  Warp& w = warp_of(rank, warp);
  if ((lanes & ~(w.arrived | w.may_pass)) != 0)
    return "the thread waits for the cluster's barrier without having arrived";
  w.may_pass &= ~lanes;
  waits = (lanes & w.arrived) != 0;
  if (waits) waits_.push_back({{rank, thread}, warp, lanes & w.arrived});
  return nullptr;
}

void ClusterBarrier::exit(uint32_t rank, uint32_t warp, uint32_t lanes) {
  Warp& w = warp_of(rank, warp);
  missing_ -= static_cast<uint64_t>(std::popcount(lanes & w.alive & ~w.arrived));
  w.alive &= ~lanes;
}

const std::vector<ClusterBarrier::Waiter>& ClusterBarrier::open() {
  opened_.clear();
  if (missing_ != 0 || !anyone_) return opened_;
  anyone_ = false;
  for (Warp& w : warps_) {
    w.may_pass |= w.arrived;
    w.arrived = 0;
    missing_ += static_cast<uint64_t>(std::popcount(w.alive));
  }
  for (const Wait& wait : waits_) {
    warp_of(wait.who.rank, wait.warp).may_pass &= ~wait.lanes;
    opened_.push_back(wait.who);
  }
  waits_.clear();
  return opened_;
}

Cluster* Clusters::make_room(const Context& context, std::size_t number, uint32_t rank) {
  if (rank != 0) return all_[number].get();
  while (number >= all_.size()) all_.push_back(std::make_unique<Cluster>());
  Cluster& cluster = *all_[number];
  if (context.cluster_blocks == 1 ||
      cluster.memory.reserve(context.cluster_blocks, context.shared_bytes, context.reserved_shared_bytes))
    return &cluster;
  return nullptr;
}

std::optional<uint64_t> Clusters::address_of(uintptr_t host) const {
  for (const auto& cluster : all_)
    if (const auto address = cluster->memory.address_of(host)) return address;
  return std::nullopt;
}

void enter_cluster(Context& context, const ClusterMemory& memory, uint32_t rank) {
  context.cluster_rank = rank;
  context.shared = memory.of_block(rank);
  context.shared_of_cluster = memory.of_all();
  context.shared_begin = static_cast<uint32_t>(shared_address(rank, 0));
  context.reserved_shared =
      memory.of_all() + shared_address(rank, reserved_shared_end - context.reserved_shared_bytes);
}

Clusters& worker_clusters() { return thread_object<Clusters>(); }

}  // namespace heddle::exec::jit
