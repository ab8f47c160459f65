#include "timing/instant.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace heddle::timing {

namespace {

// How long loads take on the average.
struct Loads {
  double global = 0, constant = 0, texture = 0;
};

Loads loads_of(const Machine& m, const Tallied& t) {
  const auto part = [](double of, double all) { return all > 0 ? std::min(1.0, of / all) : 0; };
  const auto loaded = static_cast<double>(t.loaded);
  const double past = loaded - static_cast<double>(t.hits);
  const double of_memory = m.l2_latency == 0 ? 1 : part(static_cast<double>(t.read), past);
  const double beyond =
      static_cast<double>(m.l2_latency) * (1 - of_memory) + static_cast<double>(m.memory_latency) * of_memory;
  const double hits = part(static_cast<double>(t.hits), loaded);
  Loads l;
  l.global = static_cast<double>(m.l1_latency) * hits + beyond * (1 - hits);
  l.constant = static_cast<double>(m.constant_latency != 0 ? m.constant_latency
                                                           : m.latency[static_cast<std::size_t>(Unit::i32)]);
  l.texture = static_cast<double>(m.texture_latency);
  return l;
}

// From the first of its instructions to the last result, of a warp that has the machine to itself.
class Way {
 public:
  Way(const Machine& m, const IssuedBody& body, const Run& run, const Loads& loads)
      : m_(m), loads_(loads), ready_(body.slots) {
    double now = 0;
    for (uint32_t i = run.first; i < run.end; ++i) {
      const Operation& o = body.operations[i];
      double start = now;
      for (const uint32_t slot : body.reads(o))
        start = std::max(start, ready_[slot] + static_cast<double>(o.late));
      const double done = start + (o.accesses ? access(o) : static_cast<double>(o.latency));
      for (const uint32_t slot : body.writes(o)) ready_[slot] = o.unit == Unit::none ? start : done;
      if (o.unit == Unit::none) continue;
      end = std::max(end, body.writes(o).empty() ? start : done);
      now = start + (o.unit == Unit::barrier ? static_cast<double>(m.barrier)
                     : o.fixed_order         ? static_cast<double>(m.branch + (o.meets ? m.meeting : 0))
                                             : static_cast<double>(std::max({m.issue, o.holds, o.issue})));
    }
    end = std::max(end, now);
  }
  double end = 0;

 private:
  double access(const Operation& o) const {
    switch (o.asked) {
      case Asked::global: return loads_.global;
      case Asked::constants: return loads_.constant;
      case Asked::textures: return loads_.texture;
      case Asked::shared: break;
    }
    return static_cast<double>(m_.shared_latency);
  }
  const Machine& m_;
  const Loads& loads_;
  std::vector<double> ready_;
};

struct Sums {
  double operations = 0, issue = 0, way = 0;  // of all warps
  std::array<double, unit_count> units{};
};

Sums sums_of(const Machine& m, const IssuedProgram& program, const Tallied& t) {
  const Loads loads = loads_of(m, t);
  Sums sums;
  for (const auto& [place, count] : t.counts) {
    const IssuedBody& body = program.bodies[place.function];
    const Run* once = body.run_from(place.instruction);
    if (once == nullptr) continue;
    // A loop whose rounds an assembler puts together is taken to be long.
    const Run& run = once->repeated != IssuedBody::none ? body.runs[once->repeated] : *once;
    const double times = static_cast<double>(count.warps) / run.copies;
    for (uint32_t i = run.first; i < run.end; ++i) {
      const Operation& o = body.operations[i];
      sums.issue += times * static_cast<double>(o.issue);
      sums.units[static_cast<std::size_t>(o.unit)] += times * static_cast<double>(o.busy);
    }
    sums.operations += times * run.operations;
    sums.way += times * Way(m, body, run, loads).end;
  }
  return sums;
}

}  // namespace

Prediction estimate(const Machine& m, const IssuedProgram& program, const Tallied& t, uint32_t resident,
                    uint64_t grid_blocks, uint64_t warps_of_block) {
  const Sums sums = sums_of(m, program, t);
  const auto blocks = static_cast<double>(std::max<uint64_t>(1, grid_blocks));
  const double multiprocessors = m.multiprocessors;
  // The one that has most blocks.
  const double most = std::ceil(blocks / multiprocessors) / blocks;
  const double schedulers = most / std::min<double>(m.schedulers, static_cast<double>(warps_of_block) *
                                                                      std::ceil(blocks / multiprocessors));
  double arithmetic = 0;
  for (std::size_t u = 0; u < unit_count; ++u)
    if (static_cast<Unit>(u) != Unit::none) arithmetic = std::max(arithmetic, sums.units[u] * schedulers);
  const auto of = [](uint64_t count, Ticks each) {
    return static_cast<double>(count) * static_cast<double>(each);
  };
  const auto past_l1 = static_cast<double>(t.loaded - t.hits + t.looks);
  const double door = of(t.shared_passes, m.shared_wavefront) + of(t.lines, m.l1_wavefront);
  const double port = past_l1 * 32 / m.port_bytes;
  const double slices = (past_l1 + static_cast<double>(t.stored)) * static_cast<double>(m.l2_sector) +
                        of(t.changes, std::min(m.l2_sector, m.atomic));
  // What is written stays in the L2 cache as long as that has room for it. Without one nothing stays, and
  // each access goes to the memory.
  const bool cached = m.l2_latency != 0;
  const double read = cached ? static_cast<double>(t.read) : static_cast<double>(t.loaded);
  double written = cached ? static_cast<double>(t.written) : static_cast<double>(t.stored + t.changes);
  if (cached && 32 * (read + written) <= static_cast<double>(m.l2_bytes)) written = 0;
  const double memory = 32 * (read + written) / m.channel_bytes / m.channels +
                        (cached ? 0 : of(t.partial, m.partial_write) / m.channels);
  const double waves = std::ceil(blocks / (multiprocessors * std::max(1U, resident)));
  const double warps = blocks * static_cast<double>(std::max<uint64_t>(1, warps_of_block));
  const double way = (sums.way / warps + static_cast<double>(m.block_start)) * waves;

  struct Share {
    Bound bound;
    double ticks;
  };
  const std::array<Share, 8> parts{{{Bound::latency, way},
                                    {Bound::issue, sums.issue * schedulers},
                                    {Bound::arithmetic, arithmetic},
                                    {Bound::shared, std::max(door, port) * most},
                                    {Bound::l2, m.l2_slices == 0 ? 0 : slices / m.l2_slices},
                                    {Bound::memory, memory},
                                    {Bound::atomics, of(t.hottest, m.atomic)},
                                    {Bound::bus, static_cast<double>(t.host_bytes) / m.host_bytes}}};
  const Share& longest = *std::ranges::max_element(parts, {}, [](const Share& share) { return share.ticks; });
  const auto begin = static_cast<double>(m.launch);
  Prediction p;
  p.blocks = grid_blocks;
  p.operations = static_cast<uint64_t>(sums.operations);
  p.bound = begin > longest.ticks ? Bound::launch : longest.bound;
  p.busy =
      longest.bound == Bound::latency
          ? std::ranges::max_element(parts.begin() + 1, parts.end(), {}, &Share::ticks)->ticks / longest.ticks
          : 1;
  const double dispatched = blocks * static_cast<double>(m.block_interval);
  p.nanoseconds = m.nanoseconds(static_cast<Ticks>(begin + std::max(longest.ticks, dispatched)));
  return p;
}

}  // namespace heddle::timing
