// List scheduling, forward and by clocks: of what can be issued the operation with the longest way to the
// block's end, as long as registers last; then what frees most.
#include <algorithm>
#include <queue>

#include "analysis/registers/code.h"

namespace heddle::analysis::registers {

namespace {

// Blocks are scheduled in pieces of so many operations, which bounds time and memory.
constexpr uint32_t piece_limit = 1024;

class Scheduler {
 public:
  Scheduler(Code& code, const std::vector<std::vector<uint32_t>>& live, const Machine& machine, bool thrifty)
      : code_(code),
        live_(live),
        machine_(machine),
        thrifty_(thrifty),
        last_definition_(code.width.size(), none),
        readers_(code.width.size()),
        left_(code.width.size()),
        stays_(code.width.size()),
        is_live_(code.width.size()) {}

  void run() {
    for (uint32_t block = 0; block < code_.blocks.size(); ++block) {
      const Range range = code_.blocks[block];
      for (uint32_t first = range.first; first < range.end;) {
        uint32_t end = first;
        while (end < range.end && end - first < piece_limit)
          if (code_.operations[end++].splits) break;
        piece(block, first, end);
        first = end;
      }
    }
  }

 private:
  static constexpr uint32_t none = module::none;
  struct Node {
    std::vector<std::pair<uint32_t, uint32_t>> successors;  // and the clocks between
    uint32_t waits = 0;                                     // predecessors that are not issued
    uint32_t height = 0;                                    // clocks to the end
    uint32_t ready = 0;                                     // clock
    uint32_t version = none;                                // definition of its address
  };

  void edge(uint32_t from, uint32_t to, uint32_t clocks) {
    if (from == to) return;
    nodes_[from].successors.emplace_back(to, clocks);
    ++nodes_[to].waits;
  }

  const Operation& operation(uint32_t node) const { return code_.operations[first_ + node]; }

  void dependences(uint32_t count) {
    std::vector<uint32_t> touched;
    std::vector<std::vector<uint32_t>> loads(8), stores(8);
    std::vector<uint32_t> all_since, effects;
    uint32_t barrier = none, last_effect = none;
    for (uint32_t n = 0; n < count; ++n) {
      const Operation& o = operation(n);
      for (const uint32_t value : code_.uses(o)) {
        if (last_definition_[value] != none) {
          const uint32_t d = last_definition_[value];
          edge(d, n, operation(d).latency);
        }
        readers_[value].push_back(n);
        touched.push_back(value);
      }
      for (const uint32_t value : code_.definitions(o)) {
        if (last_definition_[value] != none) edge(last_definition_[value], n, 1);
        for (const uint32_t reader : readers_[value]) edge(reader, n, 0);
        readers_[value].clear();
        last_definition_[value] = n;
        touched.push_back(value);
      }
      // Memory: nothing passes a barrier, loads pass loads, spaces do not touch.
      const bool last = n + 1 == count && ends_block(o);
      if (o.memory == Memory::barrier || last) {
        for (uint32_t before = barrier == none ? 0 : barrier; before < n; ++before)
          if (last || operation(before).memory != Memory::none || operation(before).stays) edge(before, n, 1);
        barrier = n;
        for (auto& list : loads) list.clear();
        for (auto& list : stores) list.clear();
      } else if (o.memory != Memory::none) {
        if (barrier != none) edge(barrier, n, 1);
        nodes_[n].version = o.base == none ? none : last_definition_[o.base];
        for (uint32_t space = 0; space < loads.size(); ++space) {
          if (space != o.space && space != generic && o.space != generic) continue;
          for (const uint32_t before : stores[space])
            if (may_touch(before, n)) edge(before, n, 1);
          if (o.memory == Memory::store)
            for (const uint32_t before : loads[space])
              if (may_touch(before, n)) edge(before, n, 1);
        }
        (o.memory == Memory::store ? stores : loads)[o.space & 7].push_back(n);
      } else if (o.stays && barrier != none) {
        edge(barrier, n, 1);
      }
      if (o.stays && o.memory == Memory::none) {
        if (last_effect != none) edge(last_effect, n, 1);
        last_effect = n;
      }
    }
    for (const uint32_t value : touched) last_definition_[value] = none, readers_[value].clear();
  }

  bool may_touch(uint32_t a, uint32_t b) const {
    const Operation& x = operation(a);
    const Operation& y = operation(b);
    if (keeps_order(x) || keeps_order(y)) return true;
    if (x.base == none || x.base != y.base || nodes_[a].version != nodes_[b].version) return true;
    return x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
  }

  // Volatile loads and atomic operations: they are made in the order in which they are written.
  static bool keeps_order(const Operation& o) { return o.memory == Memory::store && o.definitions != 0; }

  static bool ends_block(const Operation& o) {
    return o.stays && o.definitions == 0 && o.memory == Memory::none;
  }

  void piece(uint32_t block, uint32_t first, uint32_t end) {
    const uint32_t count = end - first;
    if (count < 3) return;
    first_ = first;
    nodes_.assign(count, {});
    dependences(count);
    for (uint32_t n = count; n-- > 0;) {
      nodes_[n].height = operation(n).issue;
      for (const auto& [to, clocks] : nodes_[n].successors)
        nodes_[n].height = std::max(nodes_[n].height, nodes_[to].height + std::max<uint32_t>(clocks, 1));
    }
    start_registers(block, first, end);
    if (!thrifty_ && machine_.timed) delay(block, first, end);
    choose(count);
    finish_registers(first, end);
  }

  // Nothing is issued long before it is needed: not until as much time is left as it takes twice.
  void delay(uint32_t block, uint32_t first, uint32_t end) {
    const std::vector<Node> nodes = nodes_;
    const std::vector<Operation> operations(code_.operations.begin() + first, code_.operations.begin() + end);
    const uint32_t clocks = choose(end - first);
    finish_registers(first, end);
    nodes_ = nodes;
    std::copy(operations.begin(), operations.end(), code_.operations.begin() + first);
    for (uint32_t n = 0; n < end - first; ++n) {
      const uint32_t needs = nodes_[n].height + operation(n).latency;
      if (operation(n).definitions != 0 && clocks > needs) nodes_[n].ready = clocks - needs;
    }
    start_registers(block, first, end);
  }

  // What is live before the piece, and how often each value is still read in it.
  void start_registers(uint32_t block, uint32_t first, uint32_t end) {
    used_ = 0;
    for (uint32_t i = first; i < end; ++i)
      for (const uint32_t value : code_.uses(code_.operations[i])) ++left_[value];
    for (const uint32_t to : code_.successors[block])
      for (const uint32_t value : live_[to]) stays_[value] = true;
    for (uint32_t i = end; i < code_.blocks[block].end; ++i)
      for (const uint32_t value : code_.uses(code_.operations[i])) stays_[value] = true;
    const auto enter = [this](uint32_t value) {
      if (code_.width[value] == 0 || is_live_[value]) return;
      is_live_[value] = true;
      used_ += code_.width[value];
    };
    for (const uint32_t value : live_[block])
      if (stays_[value] || left_[value] != 0) enter(value);
    if (first != code_.blocks[block].first)
      for (uint32_t i = code_.blocks[block].first; i < first; ++i)
        for (const uint32_t value : code_.definitions(code_.operations[i]))
          if (stays_[value] || left_[value] != 0) enter(value);
  }
  void finish_registers(uint32_t first, uint32_t end) {
    std::fill(stays_.begin(), stays_.end(), false);
    std::fill(is_live_.begin(), is_live_.end(), false);
    for (uint32_t i = first; i < end; ++i)
      for (const uint32_t value : code_.uses(code_.operations[i])) left_[value] = 0;
  }

  // Registers that are more in use after the operation than before.
  int growth(uint32_t n) const {
    const Operation& o = operation(n);
    int change = 0;
    for (const uint32_t value : code_.definitions(o))
      if (!is_live_[value] && (left_[value] != 0 || stays_[value])) change += code_.width[value];
    for (const uint32_t value : code_.uses(o))
      if (is_live_[value] && left_[value] == 1 && !stays_[value]) change -= code_.width[value];
    return change;
  }

  void issue(uint32_t n) {
    const Operation& o = operation(n);
    for (const uint32_t value : code_.uses(o))
      if (--left_[value] == 0 && !stays_[value] && is_live_[value])
        is_live_[value] = false, used_ -= code_.width[value];
    for (const uint32_t value : code_.definitions(o))
      if (!is_live_[value] && (left_[value] != 0 || stays_[value]) && code_.width[value] != 0)
        is_live_[value] = true, used_ += code_.width[value];
  }

  // Returns the clocks that it takes.
  uint32_t choose(uint32_t count) {
    const uint32_t room =
        machine_.comfortable > machine_.overhead + 2 ? machine_.comfortable - machine_.overhead - 2 : 0;
    std::vector<uint32_t> ready, order;
    for (uint32_t n = 0; n < count; ++n)
      if (nodes_[n].waits == 0) ready.push_back(n);
    uint32_t clock = 0;
    while (!ready.empty()) {
      // Of what can be issued now the most urgent, and where no registers are left what frees most, even if
      // it has to be waited for. The thrifty do what nothing waits for yet only when there is nothing else.
      std::size_t best = ready.size(), early = ready.size(), saver = 0;
      int least = growth(ready[0]);
      uint32_t soonest = ~0u;
      for (std::size_t k = 0; k < ready.size(); ++k) {
        const uint32_t n = ready[k];
        const int change = growth(n);
        if (change < least || (change == least && saves_before(n, ready[saver]))) least = change, saver = k;
        if (change > 0 && used_ + static_cast<uint32_t>(change) > room) continue;
        if (thrifty_ && change > 0 && operation(n).latency < far && !wanted(n)) {
          if (early == ready.size() || before(n, ready[early])) early = k;
          continue;
        }
        soonest = std::min(soonest, nodes_[n].ready);
        if (nodes_[n].ready <= clock + patience() && (best == ready.size() || before(n, ready[best])))
          best = k;
      }
      if (best == ready.size() && soonest != ~0u) {
        clock = soonest;
        continue;
      }
      if (best == ready.size()) {
        best = early != ready.size() ? early : saver;
        clock = std::max(clock, nodes_[ready[best]].ready);
      }
      const uint32_t n = ready[best];
      clock = std::max(clock, nodes_[n].ready);
      ready[best] = ready.back();
      ready.pop_back();
      issue(n);
      order.push_back(n);
      for (const auto& [to, clocks] : nodes_[n].successors) {
        nodes_[to].ready = std::max(nodes_[to].ready, clock + clocks);
        if (--nodes_[to].waits == 0) ready.push_back(to);
      }
      clock += operation(n).issue;
    }
    std::vector<Operation> moved;
    moved.reserve(count);
    for (const uint32_t n : order) moved.push_back(operation(n));
    std::copy(moved.begin(), moved.end(), code_.operations.begin() + first_);
    return clock;
  }
  // Whether something waits for nothing else than this operation.
  bool wanted(uint32_t n) const {
    const auto& list = nodes_[n].successors;
    return list.empty() ||
           std::any_of(list.begin(), list.end(), [&](const auto& s) { return nodes_[s.first].waits == 1; });
  }
  // What lets something else be done that uses up values, rather than what only makes one more.
  bool saves_before(uint32_t a, uint32_t b) const {
    const bool first = wanted(a), second = wanted(b);
    return first != second ? first : a < b;
  }
  bool before(uint32_t a, uint32_t b) const {
    return nodes_[a].height != nodes_[b].height ? nodes_[a].height > nodes_[b].height : a < b;
  }

  // Clocks that an assembler lets pass for what is more urgent, rather than issue something else: as long as
  // a load of shared memory takes, but not as long as one of global memory.
  uint32_t patience() const { return machine_.timed ? 0 : 30; }
  static constexpr uint32_t far = 100;  // clocks
  static constexpr uint8_t generic = static_cast<uint8_t>(module::Space::generic);
  Code& code_;
  const std::vector<std::vector<uint32_t>>& live_;
  const Machine& machine_;
  bool thrifty_;
  uint32_t first_ = 0;
  uint32_t used_ = 0;
  std::vector<Node> nodes_;
  std::vector<uint32_t> last_definition_;
  std::vector<std::vector<uint32_t>> readers_;
  std::vector<uint32_t> left_;
  std::vector<bool> stays_, is_live_;
};

}  // namespace

void schedule(Code& code, const std::vector<std::vector<uint32_t>>& live, const Machine& machine,
              bool thrifty) {
  Scheduler(code, live, machine, thrifty).run();
}

}  // namespace heddle::analysis::registers
