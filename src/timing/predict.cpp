#include "timing/predict.h"

#include <algorithm>
#include <array>

namespace heddle::timing {

namespace {

struct Share {
  Bound bound;
  double busy;
};

Share busiest(const Machine& m, const Simulated& s) {
  const auto time = static_cast<double>(std::max<Ticks>(1, s.end));
  const double schedulers = m.multiprocessors * m.schedulers;
  const auto unit = [&](Unit u) {
    return static_cast<double>(s.units[static_cast<std::size_t>(u)]) / time / schedulers;
  };
  double arithmetic = 0;
  for (const Unit u :
       {Unit::f32, Unit::i32, Unit::imul, Unit::f64, Unit::half, Unit::special, Unit::convert, Unit::tensor})
    arithmetic = std::max(arithmetic, unit(u));
  const std::array<Share, 6> parts{
      {{Bound::issue, static_cast<double>(s.issue) / time / schedulers},
       {Bound::arithmetic, arithmetic},
       {Bound::shared, static_cast<double>(s.l1) / time / m.multiprocessors},
       {Bound::l2, static_cast<double>(s.memory.slices) / time / m.l2_slices},
       {Bound::memory, static_cast<double>(s.memory.channels) / time / m.channels},
       {Bound::bus, static_cast<double>(s.memory.bus) / time}}};
  const Share& most = *std::max_element(parts.begin(), parts.end(),
                                        [](const Share& a, const Share& b) { return a.busy < b.busy; });
  if (most.busy >= 0.6) return most;
  if (s.wait_barrier > s.wait_memory && s.wait_barrier > s.wait_result) return {Bound::barrier, most.busy};
  return {Bound::latency, most.busy};
}

}  // namespace

std::string_view name(Bound bound) {
  constexpr std::array<std::string_view, 10> names{"launch",  "issue",   "arithmetic", "shared memory and L1",
                                                   "L2",      "memory",  "latency",    "barriers",
                                                   "atomics", "host bus"};
  return names[static_cast<std::size_t>(bound)];
}

uint64_t l1_bytes(const arch::Architecture& arch, uint64_t shared_bytes_of_block, uint32_t resident) {
  if (arch.memory.l1_and_shared_bytes == 0) return arch.memory.l1_bytes;
  const uint64_t wanted = shared_bytes_of_block * resident;
  uint64_t configured = arch.shared.per_multiprocessor;
  for (const uint32_t size : arch.shared.configurations)
    if (size >= wanted) configured = std::min<uint64_t>(configured, size);
  return arch.memory.l1_and_shared_bytes -
         std::min<uint64_t>(configured, arch.memory.l1_and_shared_bytes - 16384);
}

Prediction predict(const Machine& machine, const IssuedProgram& program, const Recorder& recorder,
                   uint32_t resident, uint64_t l1, uint64_t grid_blocks) {
  const Simulated simulated =
      simulate(machine, program, recorder.blocks(), resident, l1, recorder.events_per_warp());
  Prediction p;
  p.blocks = grid_blocks;
  p.simulated_blocks = recorder.blocks().size();
  p.simulated_operations = simulated.operations;
  p.operations = std::max(simulated.operations, operations_of(program, recorder.counts()));
  p.whole = simulated.whole && p.simulated_blocks == grid_blocks;
  p.memory_bytes = simulated.memory.bytes;
  Ticks time = simulated.end;
  if (!p.whole && simulated.operations != 0) {
    const auto rest = static_cast<double>(p.operations - simulated.operations);
    const bool steady = !machine.left_out.stride && simulated.steady_operations * 8 > simulated.operations;
    const double rate =
        steady ? static_cast<double>(simulated.steady) / static_cast<double>(simulated.steady_operations)
               : static_cast<double>(simulated.end) / static_cast<double>(simulated.operations);
    // The recorded part may be so small that the L2 cache holds all that it writes; of what comes behind it,
    // it cannot, where the grid touches more than it has.
    const auto operations = static_cast<double>(simulated.operations);
    const auto touched = static_cast<double>(simulated.memory.bytes + simulated.dirty_bytes);
    double memory_rate = 0;
    if (touched * static_cast<double>(p.operations) / operations > machine.l2_bytes)
      memory_rate = touched / (machine.channel_bytes * machine.channels) / operations;
    // Warps do not wait for atomic operations whose results nobody wants; slices of the L2 cache do them all.
    const double atomic_rate = static_cast<double>(simulated.memory.atomics) / operations;
    const double bus_rate = static_cast<double>(simulated.memory.bus) / operations;
    time += static_cast<Ticks>(rest * std::max({rate, memory_rate, atomic_rate, bus_rate}));
  }
  const Share part = busiest(machine, simulated);
  p.bound = machine.launch > time ? Bound::launch : part.bound;
  p.busy = part.busy;
  p.nanoseconds = machine.nanoseconds(time + machine.launch);
  return p;
}

StallTable stalls_of(const Machine& machine, const IssuedProgram& program, const Recorder& recorder,
                     uint32_t resident, uint64_t l1) {
  StallTable stalls;
  const Simulated simulated =
      simulate(machine, program, recorder.blocks(), resident, l1, recorder.events_per_warp(), &stalls);
  const uint64_t all = operations_of(program, recorder.counts());
  if (simulated.operations != 0 && all > simulated.operations)
    stalls.scale(static_cast<double>(all) / static_cast<double>(simulated.operations));
  return stalls;
}

}  // namespace heddle::timing
