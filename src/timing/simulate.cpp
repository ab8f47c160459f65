#include "timing/simulate.h"

#include <algorithm>
#include <array>
#include <queue>

namespace heddle::timing {

namespace {

struct Running {  // a block
  const BlockTrace* trace = nullptr;
  uint32_t multiprocessor = 0;
  uint32_t warps = 0;  // that have not ended
  uint32_t waiting = 0;
  Ticks last_arrival = 0;
  std::vector<uint32_t> held;  // warps at the barrier
};

struct Warp {
  uint32_t block = 0, scheduler = 0;
  const WarpTrace* trace = nullptr;
  std::size_t next = 0;  // event
  uint32_t function = 0, instruction = 0, end = 0;
  std::vector<Ticks> registers;  // when each can be read, of the function it is in
  std::vector<bool> of_memory;   // and whether a load makes it
  observe::Mask lanes = 0;       // that came to the last visit
  bool parted = false;
};

// The cache of constants next to a multiprocessor: 2 KB in 8 sets of 4 lines of 64 bytes, as loads 512 bytes
// apart show, of which 4 are had at once and 8 are not (tests/hw/h100/timing).
struct ConstantCache {
  struct Set {
    std::array<uint64_t, 4> lines{~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};
    Ticks free = 0;
  };
  std::array<Set, 8> sets{};
  Ticks free = 0;
};

class Simulation {
 public:
  Simulation(const Machine& machine, const Program& program, std::span<const BlockTrace> blocks,
             uint32_t resident, uint64_t l1_bytes)
      : m_(machine),
        program_(program),
        blocks_(blocks),
        memory_(machine, l1_bytes),
        issue_(std::size_t{machine.multiprocessors} * machine.schedulers),
        units_(issue_.size() * unit_count),
        doors_(machine.multiprocessors),
        constants_(machine.multiprocessors),
        next_warp_(machine.multiprocessors) {
    for (uint32_t place = 0; place < resident; ++place)
      for (uint32_t sm = 0; sm < machine.multiprocessors; ++sm) start(sm, m_.block_start);
  }

  Simulated run() {
    uint64_t measured_from = 0;
    Ticks time_from = 0;
    while (!ready_.empty()) {
      const auto [time, index] = ready_.top();
      ready_.pop();
      go(index, time);
      if (time_from == 0 && finished_ >= blocks_.size() / 4 && finished_ > 0)
        time_from = now_, measured_from = result_.operations;
      if (next_block_ == blocks_.size() && result_.steady == 0 && time_from != 0 && now_ > time_from) {
        result_.steady = now_ - time_from;
        result_.steady_operations = result_.operations - measured_from;
      }
    }
    result_.end = std::max(result_.end, memory_.last_change());
    result_.memory = memory_.busy();
    result_.dirty_bytes = memory_.dirty_bytes();
    return result_;
  }

 private:
  void start(uint32_t sm, Ticks time) {
    if (next_block_ == blocks_.size()) return;
    const BlockTrace& trace = blocks_[next_block_++];
    dispatched_ = std::max(dispatched_ + m_.block_interval, time);
    running_.push_back({&trace, sm, static_cast<uint32_t>(trace.warps.size()), 0, 0, {}});
    const auto block = static_cast<uint32_t>(running_.size() - 1);
    for (const WarpTrace& warp : trace.warps) {
      result_.whole = result_.whole && !warp.cut;
      uint32_t index = 0;
      if (free_warps_.empty()) {
        index = static_cast<uint32_t>(warps_.size());
        warps_.emplace_back();
      } else {
        index = free_warps_.back();
        free_warps_.pop_back();
      }
      Warp& w = warps_[index];
      w.block = block;
      w.scheduler = sm * m_.schedulers + next_warp_[sm]++ % m_.schedulers;
      w.trace = &warp;
      w.next = 0;
      w.function = w.instruction = w.end = 0;
      w.lanes = 0;
      w.parted = false;
      w.registers.clear();
      ready_.push({dispatched_, index});
    }
  }

  // Instructions of one warp, until it has to wait for its next turn.
  void go(uint32_t index, Ticks time) {
    now_ = std::max(now_, time);
    for (;;) {
      Warp& w = warps_[index];
      if (!at_instruction(w)) return end(index, time);
      const Body& body = program_.bodies[w.function];
      const Operation& o = body.operations[w.instruction];
      if (w.parted) {
        w.parted = false;
        time += m_.parting;
        now_ = std::max(now_, time);
      }
      Ticks wanted = time;
      bool memory = false;
      for (const uint32_t slot : body.reads(o))
        if (w.registers[slot] > wanted) wanted = w.registers[slot], memory = w.of_memory[slot];
      if (o.unit == Unit::none) {  // a name for what it reads
        for (const uint32_t slot : body.writes(o)) w.registers[slot] = wanted, w.of_memory[slot] = memory;
        ++w.instruction;
        continue;
      }
      if (wanted > time) {  // others go first
        (memory ? result_.wait_memory : result_.wait_result) += wanted - time;
        ready_.push({wanted, index});
        return;
      }
      if (o.unit == Unit::barrier) return wait(index, time);
      time = issue(w, o, body, time);
      ++w.instruction;
      ready_.push({time, index});
      return;
    }
  }

  // Goes on to the next visit when a run of instructions is over.
  bool at_instruction(Warp& w) {
    while (w.instruction == w.end) {
      while (w.next < w.trace->events.size() && w.trace->events[w.next].kind != Event::Kind::visit) ++w.next;
      if (w.next == w.trace->events.size()) return false;
      const Event& visit = w.trace->events[w.next++];
      const Body& body = program_.bodies[visit.function];
      if (body.operations.empty() || visit.instruction >= body.operations.size()) continue;
      if (w.registers.size() < body.slots) w.registers.resize(body.slots), w.of_memory.resize(body.slots);
      // Some of the lanes that came before: the others went another way.
      w.parted = w.parted || (visit.lanes != w.lanes && (visit.lanes & ~w.lanes) == 0);
      w.lanes = visit.lanes;
      w.function = visit.function;
      w.instruction = visit.instruction;
      w.end = body.run_end[visit.instruction];
    }
    return true;
  }

  Ticks issue(Warp& w, const Operation& o, const Body& body, Ticks time) {
    Ticks& scheduler = issue_[w.scheduler];
    const auto unit = static_cast<std::size_t>(o.unit);
    Ticks& free = units_[w.scheduler * unit_count + unit];
    const Ticks start = std::max({time, scheduler, free});
    result_.wait_unit += start - time;
    const Ticks issues = std::max<Ticks>(1, o.busy / std::max<Ticks>(1, m_.busy[unit]));
    scheduler = start + m_.issue * issues;
    free = start + o.busy;
    result_.issue += m_.issue * issues;
    result_.units[unit] += o.busy;
    ++result_.operations;
    Ticks done = start + o.latency;
    bool from_memory = false;
    if (o.accesses) {
      done = start + m_.l1_wavefront;
      while (w.next < w.trace->events.size()) {
        const Event& event = w.trace->events[w.next];
        if (event.kind == Event::Kind::visit || event.instruction != w.instruction ||
            event.function != w.function)
          break;
        done = std::max(done, access(w, o, event, start));
        from_memory = event.space == observe::Space::global;
        ++w.next;
      }
    }
    for (const uint32_t slot : body.writes(o)) w.registers[slot] = done, w.of_memory[slot] = from_memory;
    now_ = std::max(now_, start);
    return o.fixed_order ? start + m_.branch : start + m_.issue;
  }

  // A word after the other, of all warps of the multiprocessor; lines that its cache has not come to one set
  // one after another.
  Ticks constant(const Running& block, const Event& event, Ticks time) {
    const Ticks words = m_.constant_step * std::max<Ticks>(1, event.wavefronts);
    if (m_.constant_latency == 0) return time + words + m_.latency[static_cast<std::size_t>(Unit::i32)];
    ConstantCache& c = constants_[block.multiprocessor];
    const Ticks start = std::max(c.free, time);
    c.free = start + words;
    Ticks done = c.free + m_.constant_latency;
    for (uint16_t i = 0; m_.constant_miss != 0 && i < event.parts; ++i) {
      const uint64_t line = block.trace->parts[event.first_part + i].address / 2;
      ConstantCache::Set& set = c.sets[line % c.sets.size()];
      const auto way = std::find(set.lines.begin(), set.lines.end(), line);
      if (way == set.lines.end()) {
        set.free = std::max(set.free, start) + m_.constant_refill;
        c.free = std::max(c.free, set.free);
        done = std::max(done, set.free + m_.constant_latency + m_.constant_miss);
        set.lines.back() = line;
        std::rotate(set.lines.begin(), set.lines.end() - 1, set.lines.end());
      } else {
        std::rotate(set.lines.begin(), way, way + 1);
      }
    }
    return done;
  }

  Ticks access(const Warp& w, const Operation& o, const Event& event, Ticks time) {
    const Running& block = running_[w.block];
    Ticks& door = doors_[block.multiprocessor];
    const auto take = [&](Ticks each) {
      const Ticks passes = std::max<Ticks>(1, event.wavefronts) * each;
      const Ticks start = std::max(door, time);
      door = start + passes;
      result_.l1 += passes;
      return door;
    };
    switch (event.space) {
      case observe::Space::shared:
        return take(m_.shared_wavefront + m_.shared_operand) - m_.shared_wavefront + m_.shared_latency;
      case observe::Space::constant: return constant(block, event, time);
      case observe::Space::local:
        return take(m_.l1_wavefront) + (m_.l1_latency != 0 ? m_.l1_latency : m_.shared_latency);
      case observe::Space::global: {
        if (o.together && event.parts == 1) {
          Event one = event;
          one.wavefronts = 1;
          return memory_.access(block.multiprocessor, time, one,
                                block.trace->parts.data() + event.first_part);
        }
        const Ticks start = take(m_.l1_wavefront) - m_.l1_wavefront;
        const Ticks done =
            memory_.access(block.multiprocessor, start, event, block.trace->parts.data() + event.first_part);
        return event.kind == Event::Kind::store ? start : done;
      }
    }
    return time;
  }

  void wait(uint32_t index, Ticks time) {
    Warp& w = warps_[index];
    Running& block = running_[w.block];
    ++result_.operations;
    ++w.instruction;
    block.last_arrival = std::max(block.last_arrival, time);
    block.held.push_back(index);
    arrivals_.resize(std::max<std::size_t>(arrivals_.size(), warps_.size()));
    arrivals_[index] = time;
    release(block);
  }

  void release(Running& block) {
    if (block.held.empty() || block.held.size() < block.warps) return;
    const Ticks go_on = block.last_arrival + m_.barrier;
    for (const uint32_t held : block.held) {
      result_.wait_barrier += go_on - arrivals_[held];
      ready_.push({go_on, held});
    }
    block.held.clear();
    block.last_arrival = 0;
  }

  void end(uint32_t index, Ticks time) {
    Running& block = running_[warps_[index].block];
    result_.end = std::max(result_.end, time);
    free_warps_.push_back(index);
    if (--block.warps != 0) return release(block);
    ++finished_;
    start(block.multiprocessor, time + m_.block_start);
  }

  struct Turn {
    Ticks time;
    uint32_t warp;
    bool operator<(const Turn& other) const {  // the earliest first, of equal ones the lowest number
      return time != other.time ? time > other.time : warp > other.warp;
    }
  };

  const Machine& m_;
  const Program& program_;
  const std::span<const BlockTrace> blocks_;
  Memory memory_;
  std::vector<Ticks> issue_;              // by scheduler: when it is free
  std::vector<Ticks> units_;              // by scheduler and unit
  std::vector<Ticks> doors_;              // by multiprocessor: shared memory and L1 cache
  std::vector<ConstantCache> constants_;  // by multiprocessor
  std::vector<uint32_t> next_warp_;
  std::vector<Running> running_;
  std::vector<Warp> warps_;
  std::vector<uint32_t> free_warps_;
  std::vector<Ticks> arrivals_;
  std::priority_queue<Turn> ready_;
  std::size_t next_block_ = 0, finished_ = 0;
  Ticks dispatched_ = 0, now_ = 0;
  Simulated result_;
};

}  // namespace

Simulated simulate(const Machine& machine, const Program& program, std::span<const BlockTrace> blocks,
                   uint32_t resident, uint64_t l1_bytes) {
  return Simulation(machine, program, blocks, std::max(1U, resident), l1_bytes).run();
}

}  // namespace heddle::timing
