#include "timing/block_clock.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::timing {

namespace {

Ticks times(Ticks each, double count) {
  return static_cast<Ticks>(std::llround(static_cast<double>(each) * count));
}

// Of constants that were not measured: the working set of the guides' tables (OpenCL Programming Guide
// 3.3.2.4); measured: what an H100's loads show (tests/hw/h100/timing).
uint64_t constant_bytes(const Machine& m) {
  constexpr uint64_t measured = 2048;
  return m.constant_latency != 0 ? measured : m.device->arch.memory.constant_cache_bytes;
}

}  // namespace

Company company_of(const Machine& m, uint64_t blocks, uint64_t warps_of_block, uint32_t resident) {
  const uint64_t at_once = std::min(blocks, uint64_t{std::max(1U, resident)} * m.multiprocessors);
  Company company;
  company.warps_of_block = static_cast<double>(std::max<uint64_t>(1, warps_of_block));
  company.blocks = static_cast<double>(std::max<uint64_t>(1, at_once));
  company.blocks_of_multiprocessor =
      static_cast<double>((at_once + m.multiprocessors - 1) / m.multiprocessors);
  company.warps_of_scheduler =
      std::max(1.0, company.warps_of_block * company.blocks_of_multiprocessor / m.schedulers);
  return company;
}

BlockClock::Busy& BlockClock::Busy::operator+=(const Busy& other) {
  issue += other.issue, door += other.door, textures += other.textures, constants += other.constants;
  port += other.port, slices += other.slices;
  memory_bytes += other.memory_bytes, host_bytes += other.host_bytes;
  for (std::size_t unit = 0; unit < unit_count; ++unit) units[unit] += other.units[unit];
  return *this;
}

BlockClock::BlockClock(const Machine& machine, const Program& program, const Company& company,
                       SharedCaches& caches, uint64_t l1_bytes, uint32_t warps, Ticks start)
    : m_(machine),
      program_(program),
      company_(company),
      caches_(caches),
      l1_(machine.l1_latency != 0 ? l1_bytes : 0),
      textures_(machine.texture_bytes),
      constants_(constant_bytes(machine)),
      warps_(warps) {
  for (Warp& w : warps_) w.now = w.settled = w.began = start;
}

bool BlockClock::is_at(const Warp& w, observe::Place place) const {
  return w.body != nullptr && w.function == place.function && w.instruction <= place.instruction &&
         place.instruction < w.end;
}

void BlockClock::visit(uint32_t warp, observe::Place place, observe::Mask lanes) {
  if (warp >= warps_.size()) return;
  Warp& w = warps_[warp];
  walk(w, w.end);
  const Body& body = program_.bodies[place.function];
  if (place.instruction >= body.operations.size()) return;
  if (w.registers.size() < body.slots) w.registers.resize(body.slots);
  // Some of the lanes that came before: the others went another way.
  w.parted = w.parted || (lanes != w.lanes && (lanes & ~w.lanes) == 0);
  w.lanes = lanes;
  w.body = &body;
  w.function = place.function;
  w.instruction = place.instruction;
  w.end = body.run_end[place.instruction];
  w.has_read = false;
}

void BlockClock::event(uint32_t warp, const Event& event, const Part* parts) {
  if (warp >= warps_.size() || warps_[warp].body == nullptr) return;
  Warp& w = warps_[warp];
  const observe::Place place{event.function, event.instruction};
  if (is_at(w, place)) {
    walk(w, event.instruction);
    return step(w, &event, parts);
  }
  // More of the access before: it accesses several places, or spaces.
  if (w.function != event.function || w.instruction != event.instruction + 1) return;
  const Operation& o = w.body->operations[event.instruction];
  const Ticks there = done(w.busy, o, event, parts, w.now);
  for (const uint32_t slot : w.body->writes(o)) w.registers[slot] = std::max(w.registers[slot], there);
}

void BlockClock::ended(uint32_t warp) {
  if (warp >= warps_.size()) return;
  Warp& w = warps_[warp];
  walk(w, w.end);
  settle(w);
  w.has_ended = true;
}

Ticks BlockClock::time(uint32_t warp, observe::Place place) {
  if (warp >= warps_.size() || warps_[warp].body == nullptr) return 0;
  Warp& w = warps_[warp];
  if (w.has_read && w.function == place.function && w.instruction == place.instruction + 1) return w.read;
  if (!is_at(w, place)) return w.now;
  walk(w, place.instruction);
  const Operation& o = w.body->operations[place.instruction];
  for (const uint32_t slot : w.body->reads(o)) w.now = std::max(w.now, w.registers[slot]);
  settle(w);
  w.read = w.now;
  step(w, nullptr, nullptr);
  w.has_read = true;
  return w.read;
}

Ticks BlockClock::end() {
  Ticks end = 0;
  for (const Warp& w : warps_) end = std::max(end, w.now);
  return end;
}

void BlockClock::walk(Warp& w, uint32_t until) {
  while (w.instruction < until) step(w, nullptr, nullptr);
}

bool BlockClock::walk_to_barrier(Warp& w) {
  while (w.instruction < w.end) {
    if (w.body->operations[w.instruction].unit == Unit::barrier) return true;
    step(w, nullptr, nullptr);
  }
  return false;
}

// The instruction that the warp is at, and what it accesses.
void BlockClock::step(Warp& w, const Event* event, const Part* parts) {
  const Operation& o = w.body->operations[w.instruction++];
  w.has_read = false;
  Ticks start = w.now;
  if (o.unit != Unit::none && w.parted) {
    w.parted = false;
    start += m_.parting;
  }
  const std::span<const uint32_t> reads = w.body->reads(o);
  for (uint32_t i = 0; i < reads.size(); ++i) start = std::max(start, w.registers[reads[i]] + o.late_for(i));
  if (o.unit == Unit::none) {  // a name for what it reads
    for (const uint32_t slot : w.body->writes(o)) w.registers[slot] = start;
    return;
  }
  if (o.unit == Unit::barrier) {
    w.now = start;
    return pass_barrier(w);
  }
  w.busy.issue += o.issue;
  w.busy.units[static_cast<std::size_t>(o.unit)] += o.busy;
  Ticks ready = start + o.latency;
  if (o.accesses) ready = event != nullptr ? done(w.busy, o, *event, parts, start) : start + m_.l1_wavefront;
  for (const uint32_t slot : w.body->writes(o)) w.registers[slot] = ready;
  w.now = o.is_operand    ? start + o.issue
          : o.fixed_order ? start + m_.branch + (o.meets ? m_.meeting : 0)
                          : start + std::max({m_.issue, o.issue, o.holds});
}

// All warps of the block that have not ended came to it before one goes on: what they did up to there is
// known, though not looked at yet.
void BlockClock::pass_barrier(Warp& w) {
  if (w.barriers >= releases_.size()) {
    Busy all;
    Ticks last = 0, began = w.began;
    std::vector<Ticks> came;
    for (Warp& other : warps_) {
      const bool here =
          &other == &w || (!other.has_ended && other.barriers == w.barriers && walk_to_barrier(other));
      if (!here) continue;
      came.push_back(other.now);
      began = std::min(began, other.began);
      all += other.before;
      all += other.busy;
    }
    // One after the other, as they come.
    std::ranges::sort(came);
    for (const Ticks time : came) last = std::max(last, time) + m_.barrier_step;
    const double blocks = company_.blocks_of_multiprocessor;
    last = std::max(last, began + needed(all, blocks / m_.schedulers, blocks, company_.blocks));
    releases_.push_back(last + m_.barrier);
  }
  w.now = w.settled = w.began = std::max(w.now, releases_[w.barriers]);
  w.busy = w.before = {};
  ++w.barriers;
}

// What the warp did since the last time takes as long as all warps need that do the same.
void BlockClock::settle(Warp& w) {
  const double warps = company_.warps_of_block;
  w.now =
      std::max(w.now, w.settled + needed(w.busy, company_.warps_of_scheduler,
                                         warps * company_.blocks_of_multiprocessor, warps * company_.blocks));
  w.settled = w.now;
  w.before += w.busy;
  w.busy = {};
}

Ticks BlockClock::needed(const Busy& b, double scheduler, double multiprocessor, double device) const {
  Ticks longest = times(b.issue, scheduler);
  for (const Ticks of_unit : b.units) longest = std::max(longest, times(of_unit, scheduler));
  for (const Ticks of_all : {b.door, b.textures, b.constants, b.port})
    longest = std::max(longest, times(of_all, multiprocessor));
  const double memory = b.memory_bytes / (m_.channel_bytes * m_.channels),
               host = b.host_bytes / m_.host_bytes;
  return std::max({longest, times(b.slices, device / m_.l2_slices), static_cast<Ticks>(memory * device),
                   static_cast<Ticks>(host * device)});
}

// When the result of an access is there.
Ticks BlockClock::done(Busy& busy, const Operation& o, const Event& event, const Part* parts, Ticks start) {
  const auto take = [&](Ticks each) {
    const Ticks passes = std::max<Ticks>(1, event.wavefronts) * each;
    busy.door += passes;
    return passes;
  };
  if (event.kind == Event::Kind::look) {
    busy.textures += m_.texture_busy;
    Ticks there = start + m_.texture_latency;
    for (uint16_t i = 0; i < event.parts; ++i) {
      const Part& part = parts[i];
      const uint64_t line = part.address / 4;
      const auto sector = static_cast<Sectors>(1U << part.address % 4);
      if (textures_.load(line, Cache::hash_of(line), sector, 0).missing != 0)
        there = std::max(there, part.of_host != 0 || m_.l2_latency == 0
                                    ? start + from_memory(busy, 1, part.of_host != 0)
                                    : past_l1(busy, start, line, sector));
    }
    return there;
  }
  switch (event.space) {
    case observe::Space::shared:
      return start + take(m_.shared_wavefront) - m_.shared_wavefront + (o.is_operand ? 0 : m_.shared_latency);
    case observe::Space::constant: {
      const Ticks words = m_.constant_step * std::max<Ticks>(1, event.wavefronts);
      if (m_.constant_latency != 0) busy.constants += words;
      Ticks there =
          start + words +
          (m_.constant_latency != 0 ? m_.constant_latency : m_.latency[static_cast<std::size_t>(Unit::i32)]);
      for (uint16_t i = 0; i < event.parts; ++i) {
        const uint64_t line = parts[i].address / 4;
        const auto half = static_cast<Sectors>(0b11U << parts[i].address % 4);
        if (constants_.load(line, Cache::hash_of(line), half, 0).missing != 0)
          there += m_.constant_latency != 0 ? m_.constant_miss : m_.memory_latency;
      }
      return there;
    }
    case observe::Space::local:
      return start + take(m_.l1_wavefront) + (m_.l1_latency != 0 ? m_.l1_latency : m_.shared_latency);
    case observe::Space::global: {
      const bool changes = event.kind == Event::Kind::change;
      if (changes && o.together && event.parts == 1) return done_in_memory(busy, o, event, parts, 1, start);
      const Ticks at = start + take(m_.l1_wavefront) - m_.l1_wavefront;
      const Ticks there = done_in_memory(busy, o, event, parts, std::max<uint32_t>(1, event.wavefronts), at);
      return event.kind == Event::Kind::store ? at : there;
    }
  }
  return start;
}

Ticks BlockClock::done_in_memory(Busy& busy, const Operation& o, const Event& event, const Part* parts,
                                 uint32_t times, Ticks start) {
  Ticks there = start;
  for (uint16_t i = 0; i < event.parts;) {
    const Part& part = parts[i];
    const uint64_t line = part.address / 4, hash = Cache::hash_of(line);
    if (part.of_host != 0 || (m_.l2_latency == 0 && event.kind != Event::Kind::change)) {
      there =
          std::max(there, start + from_memory(busy, static_cast<uint32_t>(part.sectors), part.of_host != 0));
      ++i;
      continue;
    }
    if (event.kind == Event::Kind::change) {
      ++i;
      const Ticks takes = m_.atomic * times;
      const auto sector = static_cast<Sectors>(1U << part.address % 4);
      busy.slices += std::min(m_.l2_sector, m_.atomic) * times;
      const bool hit = m_.l2_latency != 0 && caches_.l2.store(line, hash, sector, 0).missing == 0;
      there = std::max(there, start + takes + (hit ? m_.l2_latency : from_memory(busy, 1, false)));
      continue;
    }
    Sectors sectors = 0;
    for (; i < event.parts && parts[i].address / 4 == line && parts[i].of_host == 0; ++i)
      sectors |= static_cast<Sectors>(((1U << parts[i].sectors) - 1) << parts[i].address % 4);
    if (event.kind == Event::Kind::store) {
      busy.slices += m_.l2_sector * static_cast<Ticks>(std::popcount(sectors));
      const Cache::Found found = caches_.l2.store(line, hash, sectors, 0);
      busy.memory_bytes += 32.0 * std::popcount(found.evicted);
      continue;
    }
    if (m_.l1_latency != 0 && !o.past_l1) {
      const Sectors missing = l1_.load(line, hash, sectors, 0).missing;
      if (missing != sectors) there = std::max(there, start + m_.l1_latency);
      if (missing == 0) continue;
      sectors = missing;
    }
    there = std::max(there, past_l1(busy, start, line, sectors));
  }
  return there;
}

Ticks BlockClock::past_l1(Busy& busy, Ticks start, uint64_t line, Sectors asked) {
  const auto count = static_cast<uint32_t>(std::popcount(asked));
  const auto port = static_cast<Ticks>(32.0 * count / m_.port_bytes);
  busy.port += port;
  busy.slices += m_.l2_sector * count;
  const Cache::Found found = caches_.l2.load(line, Cache::hash_of(line), asked, 0);
  busy.memory_bytes += 32.0 * std::popcount(found.evicted);
  const auto missing = static_cast<uint32_t>(std::popcount(found.missing));
  return start + port + (missing == 0 ? m_.l2_latency : from_memory(busy, missing, false));
}

// The latency of so many sectors that no cache has.
Ticks BlockClock::from_memory(Busy& busy, uint32_t sectors, bool of_host) const {
  const double bytes = 32.0 * sectors;
  if (of_host) {
    busy.host_bytes += bytes;
    return m_.host_latency + static_cast<Ticks>(bytes / m_.host_bytes);
  }
  busy.memory_bytes += bytes;
  if (m_.l2_latency != 0) return m_.memory_latency;
  const auto port = static_cast<Ticks>(bytes / m_.port_bytes);
  busy.port += port;
  return m_.memory_latency + port;
}

}  // namespace heddle::timing
