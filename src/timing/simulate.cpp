#include "timing/simulate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

namespace heddle::timing {

namespace {

// When a register can be read, and whether a load makes it: a time of a load is odd.
class Ready {
 public:
  Ready() = default;
  Ready(Ticks time, bool of_memory) : bits_(time << 1 | (of_memory ? 1 : 0)) {}
  Ticks time() const { return bits_ >> 1; }
  bool of_memory() const { return (bits_ & 1) != 0; }

 private:
  uint64_t bits_ = 0;
};

// The warps of a multiprocessor that have a turn to come, the earliest first, of equal ones the lowest
// number.
class Turns {
 public:
  bool empty() const { return heap_.empty(); }
  Ticks time() const { return heap_.front() >> warp_bits; }
  uint32_t warp() const { return static_cast<uint32_t>(heap_.front() & ((1U << warp_bits) - 1)); }
  void push(Ticks time, uint32_t warp) {
    heap_.push_back(time << warp_bits | warp);
    std::push_heap(heap_.begin(), heap_.end(), std::greater{});
  }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater{});
    heap_.pop_back();
  }
  // The first one's turn comes later.
  void postpone(Ticks time) {
    const uint64_t turn = time << warp_bits | warp();
    std::size_t at = 0;
    for (;;) {
      std::size_t next = 2 * at + 1;
      if (next >= heap_.size()) break;
      if (next + 1 < heap_.size() && heap_[next + 1] < heap_[next]) ++next;
      if (turn <= heap_[next]) break;
      heap_[at] = heap_[next];
      at = next;
    }
    heap_[at] = turn;
  }

 private:
  static constexpr unsigned warp_bits = 16;  // of the multiprocessor
  std::vector<uint64_t> heap_;
};

struct Running {  // a block
  const BlockTrace* trace = nullptr;
  uint32_t warps = 0;  // that have not ended
  Ticks last_arrival = 0;
  std::vector<uint32_t> held;  // warps at the barrier
  bool cut = false;            // what one of its warps did further on is not known: nobody passes the next
};

struct Warp {
  uint32_t block = 0, scheduler = 0;                      // of the multiprocessor
  const Event *next = nullptr, *end_of_events = nullptr;  // behind the run that it is in
  const IssuedBody* body = nullptr;
  uint32_t operation = 0, end = 0;  // of the run
  uint32_t first = 0, counts = 0;   // where that begins, and as how many operations of the program it counts
  std::vector<std::span<const Event>> visits;  // of the run, with what happened until the next one
  std::vector<Ready> registers;                // of the function it is in
  observe::Mask lanes = 0;                     // that came to the last visit
  bool parted = false;
  Ticks arrival = 0;  // at a barrier
  // Where stalls are counted: who makes each register, what those wait for who read it, and for how long it
  // stood in a queue.
  struct Maker {
    uint32_t function = 0, instruction = 0;
    Stall throttle = Stall::wait, result = Stall::wait;
    Ticks queued = 0;
  };
  std::vector<Maker> makers;
  uint32_t barrier = 0;  // the instruction
  bool cut = false;      // it went on behind its last event
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
  // Where it was not measured: lines as they were used, the last one first, of all that the record tells.
  std::vector<uint64_t> used;
};

struct Scheduler {
  Ticks free = 0;
  std::array<Ticks, unit_count> units{};    // when each is free
  std::array<uint32_t, unit_count> last{};  // the warp that took it, where stalls are counted
};

struct Multiprocessor {
  Turns turns;
  std::vector<Scheduler> schedulers;
  Ticks door = 0;      // of shared memory and L1 cache: when it is free
  Ticks textures = 0;  // the texture units likewise
  Ticks barriers = 0;  // what counts warps at barriers
  ConstantCache constants;
  uint32_t next_scheduler = 0;
  std::vector<Warp> warps;
  std::vector<uint32_t> free_warps;
  std::vector<Running> blocks;
  std::vector<uint32_t> free_blocks;
};

class Simulation {
 public:
  Simulation(const Machine& machine, const IssuedProgram& program, std::span<const BlockTrace> blocks,
             uint32_t resident, uint64_t l1_bytes, std::size_t most_events, StallTable* stalls)
      : m_(machine),
        stalls_(stalls),
        program_(program),
        blocks_(blocks),
        most_events_(most_events),
        memory_(machine, l1_bytes),
        multiprocessors_(machine.multiprocessors) {
    for (Multiprocessor& sm : multiprocessors_) sm.schedulers.resize(machine.schedulers);
    for (uint32_t place = 0; place < resident; ++place)
      for (uint32_t sm = 0; sm < machine.multiprocessors; ++sm) start(sm, m_.block_start);
  }

  Simulated run() {
    uint64_t measured_from = 0;
    Ticks time_from = 0;
    for (Ticks begin = first_turn(); begin != never; begin = first_turn()) {
      for (uint32_t sm = 0; sm < multiprocessors_.size(); ++sm) {
        bring_for_next(sm);
        run_until(sm, begin + window);
      }
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
  static constexpr Ticks never = ~Ticks{0};
  // Multiprocessors have their turn one after another, each for so long: what one does in that time others
  // see behind it. They meet in caches and memory alone, which take requests that come somewhat late.
  static constexpr Ticks window = 64 * ticks_per_clock;

  Ticks first_turn() const {
    Ticks first = never;
    for (const Multiprocessor& sm : multiprocessors_)
      if (!sm.turns.empty()) first = std::min(first, sm.turns.time());
    return first;
  }

  // The warps of all multiprocessors are more than a host's near caches have. Those that have their turn next
  // are brought there meanwhile.
  void bring_for_next(uint32_t sm) const {
    if (sm + 3 < multiprocessors_.size())
      for (const Warp& w : multiprocessors_[sm + 3].warps) bring(&w, sizeof w);
    if (sm + 2 < multiprocessors_.size())
      for (const Warp& w : multiprocessors_[sm + 2].warps) {
        bring(w.registers.data(), w.registers.size() * sizeof(Ready));
        bring(w.visits.data(), w.visits.size() * sizeof(w.visits.front()));
      }
    if (sm + 1 < multiprocessors_.size())
      for (const Warp& w : multiprocessors_[sm + 1].warps)
        if (w.operation < w.end) {
          const std::span<const Event> events = w.visits[w.body->operations[w.operation].copy];
          bring(events.data(), std::min<std::size_t>(events.size_bytes(), 256));
        }
  }
  static void bring(const void* begin, std::size_t bytes) {
    constexpr std::size_t line = 64;
    for (std::size_t at = 0; at < bytes; at += line)
      __builtin_prefetch(static_cast<const std::byte*>(begin) + at);
  }

  void run_until(uint32_t number, Ticks end) {
    Multiprocessor& sm = multiprocessors_[number];
    while (!sm.turns.empty() && sm.turns.time() < end) go(number, sm);
  }

  static uint32_t place(std::vector<uint32_t>& free, std::size_t used) {
    if (free.empty()) return static_cast<uint32_t>(used);
    const uint32_t index = free.back();
    free.pop_back();
    return index;
  }

  void start(uint32_t number, Ticks time) {
    if (next_block_ == blocks_.size()) return;
    Multiprocessor& sm = multiprocessors_[number];
    const BlockTrace& trace = blocks_[next_block_++];
    dispatched_ = std::max(dispatched_ + m_.block_interval, time);
    const uint32_t block = place(sm.free_blocks, sm.blocks.size());
    if (block == sm.blocks.size()) sm.blocks.emplace_back();
    sm.blocks[block] = {&trace, static_cast<uint32_t>(trace.warps.size()), 0, {}, false};
    for (const WarpTrace& warp : trace.warps) {
      const bool cut = warp.cut || warp.events.size() > most_events_;
      result_.whole = result_.whole && !cut;
      const uint32_t index = place(sm.free_warps, sm.warps.size());
      if (index == sm.warps.size()) sm.warps.emplace_back();
      Warp& w = sm.warps[index];
      w.block = block;
      w.scheduler = sm.next_scheduler++ % m_.schedulers;
      w.next = warp.events.data();
      w.end_of_events = w.next + std::min(warp.events.size(), most_events_);
      w.first = w.operation = w.end = 0;
      w.lanes = 0;
      w.parted = false;
      w.cut = cut;
      w.registers.clear();
      w.makers.clear();
      sm.turns.push(ready(w, dispatched_), index);
    }
  }

  // An instruction of the warp whose turn it is, and when its next turn will be.
  void go(uint32_t number, Multiprocessor& sm) {
    const Ticks time = sm.turns.time();
    const uint32_t index = sm.turns.warp();
    now_ = std::max(now_, time);
    Warp& w = sm.warps[index];
    const Operation* o = operation_of(w);
    if (o == nullptr) {
      sm.turns.pop();
      return end(number, sm, index, time);
    }
    if (o->unit == Unit::barrier) {
      sm.turns.pop();
      w.barrier = o->instruction;
      return wait(number, sm, index, time);
    }
    Ticks next = issue(sm, w, *o, time);
    advance(w);
    next = ready(w, next);
    sm.turns.postpone(next);
  }

  void advance(Warp& w) {
    const uint64_t done = w.operation - w.first, all = w.end - w.first;
    result_.operations += w.counts * (done + 1) / all - w.counts * done / all;
    ++w.operation;
  }

  // What it is at, nothing at its end.
  const Operation* operation_of(Warp& w) {
    return at_operation(w) ? &w.body->operations[w.operation] : nullptr;
  }

  // When the warp can have its next turn: what it reads has to be there.
  Ticks ready(Warp& w, Ticks time) {
    for (;;) {
      const Operation* o = operation_of(w);
      if (o == nullptr) return time;
      if (w.parted) {
        w.parted = false;
        note(w, *o, Stall::branch_resolving, m_.parting);
        time += m_.parting;
      }
      Ready last(time, false);
      uint32_t of_slot = IssuedBody::none;
      const std::span<const uint32_t> reads = w.body->reads(*o);
      for (uint32_t i = 0; i < reads.size(); ++i) {
        const Ready& read = w.registers[reads[i]];
        const Ticks there = read.time() + o->late_for(i);
        if (there > last.time()) last = Ready(there, read.of_memory()), of_slot = reads[i];
      }
      if (o->unit == Unit::none) {  // a name for what it reads
        for (const uint32_t slot : w.body->writes(*o)) {
          w.registers[slot] = last;
          if (stalls_ != nullptr) copy_maker(w, slot, of_slot);
        }
        advance(w);
        continue;
      }
      (last.of_memory() ? result_.wait_memory : result_.wait_result) += last.time() - time;
      if (of_slot != IssuedBody::none) note_wait(w, *o, of_slot, last.time() - time);
      return last.time();
    }
  }

  // Goes on to the next run when one is over.
  bool at_operation(Warp& w) {
    while (w.operation == w.end) {
      while (w.next != w.end_of_events && w.next->kind != Event::Kind::visit) ++w.next;
      if (w.next == w.end_of_events) return false;
      const Event& visit = *w.next;
      const IssuedBody& body = program_.bodies[visit.function];
      const Run* found = body.run_from(visit.instruction);
      if (found == nullptr) {
        ++w.next;
        continue;
      }
      if (w.registers.size() < body.slots) w.registers.resize(body.slots);
      // Some of the lanes that came before: the others went another way.
      w.parted = w.parted || (visit.lanes != w.lanes && (visit.lanes & ~w.lanes) == 0);
      w.lanes = visit.lanes;
      w.body = &body;
      const Run& run = *found;
      const Run& taken =
          run.repeated != IssuedBody::none && comes_again(w, body, run) ? body.runs[run.repeated] : run;
      if (&taken == &run) come(w, body, 1);
      w.first = w.operation = taken.first;
      w.end = taken.end;
      w.counts = run.operations * taken.copies;
    }
    return true;
  }

  // Whether its next visits are as many of one run as a repeated loop takes, all with the same lanes.
  bool comes_again(Warp& w, const IssuedBody& body, const Run& run) {
    return come(w, body, body.runs[run.repeated].copies);
  }

  // Takes the visit that is next, and as many of the same place behind it. False, and nothing taken: there
  // are fewer.
  bool come(Warp& w, const IssuedBody& body, uint32_t times) {
    const Event& visit = *w.next;
    const Event* at = w.next;
    w.visits.clear();
    for (uint32_t n = 0; n < times; ++n) {
      if (at == w.end_of_events || at->kind != Event::Kind::visit || at->function != visit.function ||
          at->instruction != visit.instruction || at->lanes != visit.lanes)
        return false;
      const Event* begin = at++;
      // Of a call in the middle of a run a visit is told too.
      while (at != w.end_of_events &&
             (at->kind != Event::Kind::visit ||
              (at->function == visit.function && body.run_at[at->instruction] == IssuedBody::none)))
        ++at;
      w.visits.emplace_back(begin, at);
    }
    w.next = at;
    bring(at, 4 * sizeof(Event));  // in time for its next run
    return true;
  }

  Ticks issue(Multiprocessor& sm, Warp& w, const Operation& o, Ticks time) {
    Scheduler& scheduler = sm.schedulers[w.scheduler];
    const auto unit = static_cast<std::size_t>(o.unit);
    const Ticks start = std::max({time, scheduler.free, scheduler.units[unit]});
    result_.wait_unit += start - time;
    if (stalls_ != nullptr) {
      const auto number = static_cast<uint32_t>(&w - sm.warps.data());
      note_turn(w, o, start - time, start == scheduler.units[unit] && start != scheduler.free,
                scheduler.last[unit] == number);
      scheduler.last[unit] = number;
      queued_ = 0;
      stall_ = is_beside(o.unit) ? Stall::short_scoreboard : Stall::wait;
    }
    scheduler.free = start + o.issue;
    scheduler.units[unit] = start + o.busy;
    result_.issue += o.issue;
    result_.units[unit] += o.busy;
    Ticks done = start + o.latency;
    bool from_memory = false;
    if (o.accesses) {
      done = start + m_.l1_wavefront;
      const std::span<const Event> all = w.visits[o.copy];
      auto event = std::ranges::lower_bound(all, o.instruction, {}, &Event::instruction);
      for (; event != all.end() && event->instruction == o.instruction; ++event) {
        if (event->kind == Event::Kind::visit) continue;
        done = std::max(done, access(sm, w, o, *event, start));
        from_memory = event->space == observe::Space::global;  // textures, too
      }
    }
    for (const uint32_t slot : w.body->writes(o)) w.registers[slot] = Ready(done, from_memory);
    now_ = std::max(now_, start);
    if (stalls_ != nullptr) note_issue(w, o);
    if (o.is_operand) return start + o.issue;
    return start + (o.fixed_order ? m_.branch + (o.meets ? m_.meeting : 0) : std::max(m_.issue, o.holds));
  }

  // ---- what is waited for

  void note(const Warp& w, const Operation& o, Stall stall, Ticks time) {
    if (stalls_ != nullptr && time != 0) stalls_->add(function_of(w), o.instruction, stall, time);
  }
  uint32_t function_of(const Warp& w) const { return static_cast<uint32_t>(w.body - program_.bodies.data()); }
  // Behind a queue of the multiprocessor, with shared memory, and not a part of a scheduler.
  static bool is_beside(Unit unit) {
    return unit == Unit::special || unit == Unit::convert || unit == Unit::memory;
  }
  // For its turn: of the clocks in which a unit is busy one is another warp's. Behind an instruction of its
  // own a warp waits as for any that takes several clocks to issue.
  void note_turn(const Warp& w, const Operation& o, Ticks waited, bool of_unit, bool of_itself) {
    if (waited == 0) return;
    if (of_unit && of_itself) return note(w, o, Stall::wait, waited);
    Stall throttle = is_beside(o.unit) ? Stall::mio_throttle : Stall::math_pipe_throttle;
    if (o.accesses) {
      const std::span<const Event> all = w.visits[o.copy];
      const auto event = std::ranges::lower_bound(all, o.instruction, {}, &Event::instruction);
      if (event != all.end() && event->instruction == o.instruction && is_beyond(*event))
        throttle = event->kind == Event::Kind::look ? Stall::tex_throttle : Stall::lg_throttle;
    }
    Ticks others = of_unit ? waited * std::min(m_.issue, o.busy) / std::max<Ticks>(1, o.busy) : waited;
    if (of_unit && o.accesses) others = 0;
    note(w, o, Stall::not_selected, others);
    note(w, o, throttle, waited - others);
  }
  static bool is_beyond(const Event& event) {
    return event.kind == Event::Kind::look || event.space == observe::Space::global ||
           event.space == observe::Space::local;
  }
  // It has issued.
  void note_issue(Warp& w, const Operation& o) {
    note(w, o, Stall::selected, m_.issue);
    if (o.fixed_order) {
      const Ticks all = m_.branch + (o.meets ? m_.meeting : 0);
      note(w, o, Stall::branch_resolving, all - std::min(all, m_.issue));
    } else if (o.holds > m_.issue) {
      note(w, o, o.unit == Unit::control ? Stall::sleeping : Stall::wait, o.holds - m_.issue);
    }
    for (const uint32_t slot : w.body->writes(o)) {
      if (w.makers.size() <= slot) w.makers.resize(slot + 1);
      w.makers[slot] = {function_of(w), o.instruction,
                        stall_ == Stall::long_scoreboard ? Stall::lg_throttle : Stall::mio_throttle, stall_,
                        queued_};
    }
  }
  // What stood in a queue kept those behind it from coming there: at the instruction that stood in it.
  void note_wait(const Warp& w, const Operation& o, uint32_t slot, Ticks waited) {
    if (stalls_ == nullptr) return;
    if (slot >= w.makers.size()) return note(w, o, Stall::wait, waited);
    const Warp::Maker& maker = w.makers[slot];
    const Ticks queued = std::min(waited, maker.queued);
    if (queued != 0) stalls_->add(maker.function, maker.instruction, maker.throttle, queued);
    note(w, o, maker.result, waited - queued);
  }
  // Of the time before the door that part for which the queue in front of it is full: so many instructions of
  // each scheduler wait there without keeping others off.
  Ticks in_queue(Ticks waited, Ticks passes, const Event& event) const {
    const Ticks room = (is_beyond(event) ? m_.queue_memory : m_.queue_shared) * m_.schedulers * passes;
    return waited - std::min(waited, room);
  }
  static void copy_maker(Warp& w, uint32_t to, uint32_t from) {
    if (w.makers.size() <= to) w.makers.resize(to + 1);
    w.makers[to] = from < w.makers.size() ? w.makers[from] : Warp::Maker{};
  }

  // A word after the other, of all warps of the multiprocessor; lines that its cache has not come to one set
  // one after another.
  Ticks constant(Multiprocessor& sm, const BlockTrace& trace, const Event& event, Ticks time) {
    const Ticks words = m_.constant_step * std::max<Ticks>(1, event.wavefronts);
    if (m_.constant_latency == 0) return unmeasured_constant(sm, trace, event, time, words);
    ConstantCache& c = sm.constants;
    const Ticks start = std::max(c.free, time);
    c.free = start + words;
    Ticks done = c.free + m_.constant_latency;
    for (uint16_t i = 0; m_.constant_miss != 0 && i < event.parts; ++i) {
      const uint64_t line = trace.parts[event.first_part + i].address / 2;
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

  // The working set of 8 KB of the guides' tables (OpenCL Programming Guide 3.3.2.4); what it has not comes
  // from the memory.
  Ticks unmeasured_constant(Multiprocessor& sm, const BlockTrace& trace, const Event& event, Ticks time,
                            Ticks words) {
    ConstantCache& c = sm.constants;
    const Ticks start = std::max(c.free, time);
    c.free = start + words;
    Ticks done = c.free + m_.latency[static_cast<std::size_t>(Unit::i32)];
    const auto number = static_cast<uint32_t>(&sm - multiprocessors_.data());
    for (uint16_t i = 0; i < event.parts; ++i) {
      const Part& part = trace.parts[event.first_part + i];
      const auto found = std::find(c.used.begin(), c.used.end(), part.address);
      if (found != c.used.end()) {
        std::rotate(c.used.begin(), found, found + 1);
        continue;
      }
      Event miss = event;
      miss.parts = 1;
      done = std::max(done, memory_.access(number, c.free, miss, &part));
      c.used.insert(c.used.begin(), part.address);
      if (c.used.size() * 64 > m_.device->arch.memory.constant_cache_bytes) c.used.pop_back();
    }
    return done;
  }

  Ticks look(Multiprocessor& sm, const BlockTrace& trace, const Event& event, Ticks time) {
    const Ticks start = std::max(sm.textures, time);
    queued_ = start - time;
    stall_ = Stall::long_scoreboard;
    sm.textures = start + m_.texture_busy;
    return memory_.look(static_cast<uint32_t>(&sm - multiprocessors_.data()), start, event,
                        trace.parts.data() + event.first_part);
  }

  Ticks access(Multiprocessor& sm, const Warp& w, const Operation& o, const Event& event, Ticks time) {
    const BlockTrace& trace = *sm.blocks[w.block].trace;
    if (event.kind == Event::Kind::look) return look(sm, trace, event, time);
    stall_ = is_beyond(event) ? Stall::long_scoreboard : Stall::short_scoreboard;
    const auto take = [&](Ticks each) {
      const Ticks passes = (m_.left_out.banks ? 1 : std::max<Ticks>(1, event.wavefronts)) * each;
      queued_ = in_queue(std::max(sm.door, time) - time, passes, event);
      sm.door = std::max(sm.door, time) + passes;
      result_.l1 += passes;
      return sm.door;
    };
    switch (event.space) {
      case observe::Space::shared:
        return take(m_.shared_wavefront) - m_.shared_wavefront + (o.is_operand ? 0 : m_.shared_latency);
      case observe::Space::constant: return constant(sm, trace, event, time);
      case observe::Space::local:
        return take(m_.l1_wavefront) + (m_.l1_latency != 0 ? m_.l1_latency : m_.shared_latency);
      case observe::Space::global: {
        const auto number = static_cast<uint32_t>(&sm - multiprocessors_.data());
        const Part* parts = trace.parts.data() + event.first_part;
        if (o.together && event.parts == 1) {
          Event one = event;
          one.wavefronts = 1;
          return memory_.access(number, time, one, parts);
        }
        const Ticks start = take(m_.l1_wavefront) - m_.l1_wavefront;
        const Ticks done = memory_.access(number, start, event, parts, o.past_l1);
        return event.kind == Event::Kind::store ? start : done;
      }
    }
    return time;
  }

  void wait(uint32_t number, Multiprocessor& sm, uint32_t index, Ticks time) {
    Warp& w = sm.warps[index];
    Running& block = sm.blocks[w.block];
    advance(w);
    w.arrival = time;
    sm.barriers = std::max(sm.barriers, time) + m_.barrier_step;
    block.last_arrival = std::max(block.last_arrival, sm.barriers);
    block.held.push_back(index);
    if (block.cut) return end_held(number, sm, w.block, time);
    release(sm, block);
  }

  // Those at a barrier that a warp which was cut would have come to: the block is simulated up to there.
  void end_held(uint32_t number, Multiprocessor& sm, uint32_t block, Ticks time) {
    const std::vector<uint32_t> held = std::exchange(sm.blocks[block].held, {});
    for (const uint32_t index : held) end(number, sm, index, time);
  }

  void release(Multiprocessor& sm, Running& block) {
    if (block.held.empty() || block.held.size() < block.warps) return;
    const Ticks go_on = block.last_arrival + m_.barrier;
    for (const uint32_t held : block.held) {
      Warp& w = sm.warps[held];
      result_.wait_barrier += go_on - w.arrival;
      if (stalls_ != nullptr) stalls_->add(function_of(w), w.barrier, Stall::barrier, go_on - w.arrival);
      sm.turns.push(ready(w, go_on), held);
    }
    block.held.clear();
    block.last_arrival = 0;
  }

  void end(uint32_t number, Multiprocessor& sm, uint32_t index, Ticks time) {
    const uint32_t block = sm.warps[index].block;
    result_.end = std::max(result_.end, time);
    sm.free_warps.push_back(index);
    const bool is_last = --sm.blocks[block].warps == 0;
    if (sm.warps[index].cut && !sm.blocks[block].held.empty() && !sm.blocks[block].cut) {
      sm.blocks[block].cut = true;
      return end_held(number, sm, block, time);
    }
    sm.blocks[block].cut = sm.blocks[block].cut || sm.warps[index].cut;
    if (!is_last) return release(sm, sm.blocks[block]);
    sm.free_blocks.push_back(block);
    ++finished_;
    start(number, time + m_.block_start);
  }

  const Machine& m_;
  StallTable* const stalls_;
  // Of what is issued: for how long it stands in a queue, and what those wait for who read it.
  Ticks queued_ = 0;
  Stall stall_ = Stall::wait;
  const IssuedProgram& program_;
  const std::span<const BlockTrace> blocks_;
  const std::size_t most_events_;
  Memory memory_;
  std::vector<Multiprocessor> multiprocessors_;
  std::size_t next_block_ = 0, finished_ = 0;
  Ticks dispatched_ = 0, now_ = 0;
  Simulated result_;
};

}  // namespace

Simulated simulate(const Machine& machine, const IssuedProgram& program, std::span<const BlockTrace> blocks,
                   uint32_t resident, uint64_t l1_bytes, std::size_t most_events, StallTable* stalls) {
  return Simulation(machine, program, blocks, std::max(1U, resident), l1_bytes, most_events, stalls).run();
}

}  // namespace heddle::timing
