#include "module/flow.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "module/graph.h"

namespace heddle::module {

Flow flow_of(const isa::FormInfo& form) {
  if (form.leaves) return Flow::leave;
  for (const isa::OperandRule& rule : form.operands) {
    using isa::OperandShape;
    if (rule.shape == OperandShape::label || rule.shape == OperandShape::targets) return Flow::jump;
    if (rule.shape == OperandShape::function || rule.shape == OperandShape::prototype) return Flow::call;
  }
  return Flow::next;
}

namespace {

using Edge = std::pair<uint32_t, uint32_t>;

// Calls `visit(instruction index)` for each place an instruction may jump to.
template <class Visit>
void each_target(const Function& function, const Instruction& instruction, Visit&& visit) {
  for (uint32_t i = 0; i < instruction.operand_count; ++i) {
    const Operand& operand = function.operands[instruction.first_operand + i];
    if (operand.kind == OperandKind::label) visit(static_cast<uint32_t>(operand.value));
    if (operand.kind == OperandKind::table)
      for (uint32_t target : function.tables[operand.index]) visit(target);
  }
}

class Builder {
 public:
  Builder(Function& function, std::span<const Flow> flows)
      : function_(function), code_(function.code), flows_(flows) {}

  void run() {
    function_.blocks.clear();
    function_.block_of.assign(code_.size(), 0);
    if (code_.empty()) return;
    split();
    connect();
    order();
  }

 private:
  Flow flow(const Instruction& instruction) const { return flows_[instruction.mnemonic]; }
  const Instruction& last(uint32_t block) const { return code_[function_.blocks[block].end - 1]; }
  uint32_t count() const { return static_cast<uint32_t>(function_.blocks.size()); }

  void split() {
    std::vector<bool> leader(code_.size() + 1);
    leader[0] = true;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      const Flow kind = flow(code_[i]);
      if (!ends_block(kind)) continue;
      leader[i + 1] = true;
      if (kind == Flow::jump)
        each_target(function_, code_[i], [&](uint32_t target) { leader[target] = true; });
    }
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (leader[i]) function_.blocks.push_back({.first = i, .end = i, .successors = {}, .predecessors = {}});
      function_.block_of[i] = count() - 1;
      function_.blocks.back().end = i + 1;
    }
  }

  void connect() {
    for (uint32_t block = 0; block < count(); ++block) {
      const Instruction& end = last(block);
      std::vector<uint32_t>& successors = function_.blocks[block].successors;
      const auto add = [&](uint32_t to) {
        if (std::find(successors.begin(), successors.end(), to) == successors.end()) successors.push_back(to);
      };
      const Flow kind = flow(end);
      if ((!ends_block(kind) || end.guard != none) && block + 1 < count()) add(block + 1);
      if (kind == Flow::jump)
        each_target(function_, end, [&](uint32_t target) { add(function_.block_of[target]); });
    }
    for (uint32_t block = 0; block < count(); ++block)
      for (uint32_t to : function_.blocks[block].successors)
        function_.blocks[to].predecessors.push_back(block);
  }

  // The parts of a set of blocks that are left when the edges back to their loops' heads are gone, one after
  // another; a loop is a part of its own, gone through in the same way without its head.
  void order() {
    constexpr uint32_t deepest = 64;  // loops in loops: each level looks at all its blocks again
    struct Task {
      std::vector<uint32_t> blocks;
      uint32_t depth = 0;
      uint32_t head = none;
      bool closes = false;
    };
    std::vector<uint32_t> all(count());
    std::iota(all.begin(), all.end(), 0);
    std::vector<Task> open;
    open.push_back({std::move(all)});
    uint32_t place = 0;
    while (!open.empty()) {
      const Task task = std::move(open.back());
      open.pop_back();
      if (task.closes) {
        function_.blocks[task.head].latch = place++;
      } else if (task.head != none) {
        function_.blocks[task.head].order = place++;
      } else if (task.depth == deepest) {
        order_as_written(task.blocks, place);
      } else {
        auto parts = in_order(task.blocks);
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
          const auto head = is_loop(*part) ? head_of(*part) : part->begin();
          const uint32_t first = *head;
          if (is_loop(*part)) open.push_back({{}, task.depth, first, true});
          part->erase(head);
          if (!part->empty()) open.push_back({std::move(*part), task.depth + 1});
          open.push_back({{}, task.depth, first});
        }
      }
    }
  }

  // The blocks as they stand in the text; loops that begin in them all end behind the last.
  void order_as_written(const std::vector<uint32_t>& blocks, uint32_t& place) {
    for (const uint32_t block : blocks) function_.blocks[block].order = place++;
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      const std::vector<uint32_t>& from = function_.blocks[*block].predecessors;
      const auto is_later = [&](uint32_t before) {
        return before >= *block && std::binary_search(blocks.begin(), blocks.end(), before);
      };
      if (std::any_of(from.begin(), from.end(), is_later)) function_.blocks[*block].latch = place++;
    }
  }

  bool is_loop(const std::vector<uint32_t>& part) const {
    if (part.size() > 1) return true;
    const std::vector<uint32_t>& next = function_.blocks[part.front()].successors;
    return std::find(next.begin(), next.end(), part.front()) != next.end();
  }

  // Where the loop is entered; of several places, as irreducible code has, the first.
  std::vector<uint32_t>::iterator head_of(std::vector<uint32_t>& loop) const {
    const auto is_entered = [&](uint32_t block) {
      if (block == 0) return true;
      const std::vector<uint32_t>& from = function_.blocks[block].predecessors;
      return std::any_of(from.begin(), from.end(), [&](uint32_t before) {
        return !std::binary_search(loop.begin(), loop.end(), before);
      });
    };
    const auto head = std::find_if(loop.begin(), loop.end(), is_entered);
    return head == loop.end() ? loop.begin() : head;  // code that nothing leads to
  }

  // Strongly connected parts of the blocks in a topological order; of those that could come next, the one
  // that begins first in the text. `blocks` and each part ascend.
  std::vector<std::vector<uint32_t>> in_order(const std::vector<uint32_t>& blocks) const {
    const auto size = static_cast<uint32_t>(blocks.size());
    std::vector<Edge> edges;
    for (uint32_t i = 0; i < size; ++i)
      for (uint32_t to : function_.blocks[blocks[i]].successors) {
        const auto found = std::lower_bound(blocks.begin(), blocks.end(), to);
        if (found != blocks.end() && *found == to)
          edges.emplace_back(i, static_cast<uint32_t>(found - blocks.begin()));
      }
    const Components components = strongly_connected(Graph(size, edges));
    std::vector<std::vector<uint32_t>> parts(components.count);
    for (uint32_t i = 0; i < size; ++i) parts[components.of[i]].push_back(blocks[i]);
    std::vector<uint32_t> before(components.count);
    std::vector<Edge> between;
    for (const auto& [from, to] : edges)
      if (components.of[from] != components.of[to]) {
        between.emplace_back(components.of[from], components.of[to]);
        ++before[components.of[to]];
      }
    const Graph next(components.count, between);
    using Ready = std::pair<uint32_t, uint32_t>;  // first block, part
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    for (uint32_t part = 0; part < components.count; ++part)
      if (before[part] == 0) ready.emplace(parts[part].front(), part);
    std::vector<std::vector<uint32_t>> result;
    while (!ready.empty()) {
      const uint32_t part = ready.top().second;
      ready.pop();
      result.push_back(std::move(parts[part]));
      for (uint32_t to : next.of(part))
        if (--before[to] == 0) ready.emplace(parts[to].front(), to);
    }
    return result;
  }

  Function& function_;
  const std::vector<Instruction>& code_;
  std::span<const Flow> flows_;
};

}  // namespace

void build_blocks(Function& function, std::span<const Flow> flows) { Builder(function, flows).run(); }

}  // namespace heddle::module
