#include "module/flow.h"

#include <algorithm>
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
    post_dominators();
    meetings();
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

  bool leaves(uint32_t block) const { return flow(last(block)) == Flow::leave; }
  bool only_leaves(uint32_t block) const { return leaves(block) && last(block).guard == none; }

  // Immediate post-dominators of a graph of blocks whose edges to `exit` (node count()) are in it. A part
  // that never ends, such as a loop without a way out, gets an exit edge from the last block of its inmost
  // component, so that every block has a place in the tree.
  std::vector<uint32_t> solve(std::vector<Edge> edges) const {
    const uint32_t exit = count();
    Graph forward(exit + 1, edges);
    Graph backward = forward.reversed();
    const std::vector<bool> ends = reaching(backward, exit);
    if (std::find(ends.begin(), ends.end(), false) != ends.end()) {
      const Components components = strongly_connected(forward);
      std::vector<uint32_t> closed(components.count, none);  // last block of an endless component, else none
      for (uint32_t block = 0; block < exit; ++block)
        if (!ends[block]) closed[components.of[block]] = block;
      for (uint32_t block = 0; block < exit; ++block)
        for (uint32_t to : forward.of(block))
          if (components.of[to] != components.of[block]) closed[components.of[block]] = none;
      for (uint32_t block : closed)
        if (block != none) edges.emplace_back(block, exit);
      forward = Graph(exit + 1, edges);
      backward = forward.reversed();
    }
    std::vector<uint32_t> result = immediate_dominators(backward, exit);
    result.pop_back();
    for (uint32_t& block : result)
      if (block == exit) block = none;
    return result;
  }

  static std::vector<bool> reaching(const Graph& backward, uint32_t goal) {
    std::vector<bool> seen(backward.size());
    std::vector<uint32_t> open{goal};
    seen[goal] = true;
    while (!open.empty()) {
      const uint32_t node = open.back();
      open.pop_back();
      for (uint32_t from : backward.of(node))
        if (!seen[from]) seen[from] = true, open.push_back(from);
    }
    return seen;
  }

  void post_dominators() {
    std::vector<Edge> edges;
    for (uint32_t block = 0; block < count(); ++block) {
      for (uint32_t to : function_.blocks[block].successors) edges.emplace_back(block, to);
      if (leaves(block)) edges.emplace_back(block, count());
    }
    const auto solved = solve(std::move(edges));
    for (uint32_t block = 0; block < count(); ++block) function_.blocks[block].post_dominator = solved[block];
  }

  // Lanes that leave the function need no meeting point, so paths that only leave do not count, as on a
  // device, where an exit is taken out of the warp's mask and the others go on together. A branch to a block
  // that is nothing but `ret` is a `ret`. What remains is post-dominance over the ways to the main end.
  void meetings() {
    const auto is_bare_exit = [&](uint32_t block) {
      const Block& b = function_.blocks[block];
      return only_leaves(block) && b.end - b.first == 1;
    };
    const uint32_t exit = count();
    std::vector<Edge> staying;
    std::vector<uint32_t> ends;  // blocks where the ways to stay end
    for (uint32_t block = 0; block < exit; ++block) {
      bool stays = false;
      for (uint32_t to : function_.blocks[block].successors)
        if (!is_bare_exit(to)) staying.emplace_back(block, to), stays = true;
      if (!stays && !is_bare_exit(block)) ends.push_back(block);
    }
    const std::vector<bool> joins = ways_to_main_end(Graph(exit + 1, staying).reversed(), ends);
    std::erase_if(staying, [&](const Edge& edge) { return joins[edge.first] && !joins[edge.second]; });
    std::vector<bool> stays(exit);
    for (const auto& [from, to] : staying) stays[from] = true;
    for (uint32_t block = 0; block < exit; ++block)
      if (!stays[block]) staying.emplace_back(block, exit);
    const auto solved = solve(std::move(staying));
    for (uint32_t block = 0; block < count(); ++block) function_.blocks[block].meeting = solved[block];
  }

  // The main end is the one that most blocks lead to, of equals the last in the text: a trap on the side is
  // none.
  static std::vector<bool> ways_to_main_end(const Graph& backward, std::span<const uint32_t> ends) {
    constexpr std::size_t most = 16;  // candidates: the search stays linear
    if (ends.size() > most) ends = ends.subspan(ends.size() - most);
    std::vector<bool> best(backward.size());
    std::ptrdiff_t best_count = 0;
    for (uint32_t end : ends) {
      std::vector<bool> ways = reaching(backward, end);
      const auto ways_count = std::count(ways.begin(), ways.end(), true);
      if (ways_count >= best_count) best = std::move(ways), best_count = ways_count;
    }
    return best;
  }

  Function& function_;
  const std::vector<Instruction>& code_;
  std::span<const Flow> flows_;
};

}  // namespace

void build_blocks(Function& function, std::span<const Flow> flows) { Builder(function, flows).run(); }

}  // namespace heddle::module
