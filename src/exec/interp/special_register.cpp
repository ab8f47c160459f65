// Special registers (PTX ISA 10).
#include "exec/interp/special_register.h"

#include <chrono>
#include <optional>

#include "exec/interp/cluster.h"
#include "exec/interp/run.h"

namespace heddle::exec::interp {

namespace {

uint64_t pick(const Dim3& d, isa::Word component, uint64_t fourth) {
  switch (component) {
    case isa::Word::y: return d.y;
    case isa::Word::z: return d.z;
    case isa::Word::w: return fourth;
    default: return d.x;
  }
}

// Where in the reserved shared memory the part of cooperative groups begins; what comes before it is the
// system's own, which here has none.
constexpr uint64_t reserved_for_groups = 64;

uint64_t workspace(const Run& run) { return run.workspace ? run.workspace->address() : 0; }

Dim3 divide(const Dim3& a, const Dim3& b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
Dim3 remainder(const Dim3& a, const Dim3& b) { return {a.x % b.x, a.y % b.y, a.z % b.z}; }

uint64_t linear(const Dim3& at, const Dim3& in) {
  return at.x + uint64_t{in.x} * (at.y + uint64_t{in.y} * at.z);
}

// What the run's observer says, if it tells the time.
std::optional<observe::Time> told_time(Warp& warp) {
  const Run& run = warp.run();
  observe::TimeSink* teller = run.watch.time_teller();
  if (teller == nullptr) return std::nullopt;
  const Group& group = warp.current();
  const auto function = static_cast<uint32_t>(group.activation->function - run.image.functions.data());
  const Dim3& block = warp.block().index();
  return teller->time(
      {.place = {function, group.pc - 1}, .block = {block.x, block.y, block.z}, .warp = warp.index()});
}

// Cycles of the launch at the device's clock, in real time: programs wait for clocks, and compare them with
// times that the host measured.
uint64_t clock_of(Warp& warp) {
  warp.polled();
  if (const auto told = told_time(warp)) return told->cycles;
  const auto passed = std::chrono::steady_clock::now() - warp.run().start;
  const auto ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  return ns * warp.run().launch.device->clock.core_khz / 1'000'000;
}

uint64_t global_timer(Warp& warp) {
  warp.polled();
  if (const auto told = told_time(warp)) return told->nanoseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

uint64_t read_special(Warp& warp, isa::SpecialRegister which, isa::Word component, int lane) {
  using enum isa::SpecialRegister;
  const Run& run = warp.run();
  const LaunchShape& shape = run.launch.shape;
  const Dim3 block = warp.block().index();
  const arch::Device& device = *run.launch.device;
  const uint32_t bit = uint32_t{1} << lane;
  if (const std::span environment = run.launch.environment; !environment.empty()) {
    const std::size_t index = static_cast<std::size_t>(which) - static_cast<std::size_t>(envreg0);
    if (which >= envreg0 && index < 32) return index < environment.size() ? environment[index] : 0;
  }
  switch (which) {
    case tid: return pick(warp.block().thread(warp.thread_of(lane)), component, 0);
    case ntid: return pick(shape.block, component, 1);
    case ctaid: return pick(block, component, 0);
    case nctaid: return pick(shape.grid, component, 1);
    case laneid: return static_cast<uint64_t>(lane);
    case warpid: return run.places.warp(linear(block, shape.grid), static_cast<uint32_t>(warp.index()));
    case nwarpid: return device.arch.multiprocessor.max_warps;
    case smid: return run.places.multiprocessor(linear(block, shape.grid));
    case nsmid: return device.board.multiprocessors;
    case gridid: return run.launch.grid_id;
    case is_explicit_cluster: return shape.cluster.count() > 1 ? 1 : 0;
    case clusterid: return pick(divide(block, shape.cluster), component, 0);
    case nclusterid: return pick(divide(shape.grid, shape.cluster), component, 1);
    case cluster_ctaid: return pick(remainder(block, shape.cluster), component, 0);
    case cluster_nctaid: return pick(shape.cluster, component, 1);
    case cluster_ctarank: return warp.block().rank();
    case cluster_nctarank: return shape.cluster.count();
    case lanemask_eq: return bit;
    case lanemask_le: return bit | (bit - 1);
    case lanemask_lt: return bit - 1;
    case lanemask_ge: return static_cast<uint32_t>(~(bit - 1));
    case lanemask_gt: return static_cast<uint32_t>(~(bit | (bit - 1)));
    case clock: return clock_of(warp) & 0xffff'ffff;
    case clock_hi: return clock_of(warp) >> 32;
    case clock64: return clock_of(warp);
    case globaltimer: return global_timer(warp);
    case globaltimer_lo: return global_timer(warp) & 0xffff'ffff;
    case globaltimer_hi: return global_timer(warp) >> 32;
    case total_smem_size: return run.shared_bytes;
    case aggr_smem_size: return run.shared_bytes + run.reserved_bytes;
    case reserved_smem_offset_begin:
    case reserved_smem_offset_0: return shared_address(warp.block().rank(), run.reserved_begin());
    case reserved_smem_offset_1:
      return shared_address(warp.block().rank(), run.reserved_begin() + reserved_for_groups);
    case reserved_smem_offset_end: return shared_address(warp.block().rank(), reserved_shared_end);
    case reserved_smem_offset_cap: return run.reserved_bytes;
    case envreg1: return workspace(run) >> 32;
    case envreg2: return workspace(run) & 0xffff'ffff;
    case dynamic_smem_size: return shape.dynamic_shared;
    default: return 0;
  }
}

}  // namespace heddle::exec::interp
