#include "analysis/barrier_joins.h"

#include <algorithm>
#include <cstddef>

#include "isa/isa.h"

namespace heddle::analysis {

namespace {

using isa::Opcode;

// Of several branches or places the one that says most.
Absent both(Absent a, Absent b) { return std::max(a, b); }

bool only_ends(const module::Function& function, const module::Block& block) {
  const auto ends = [](const module::Instruction& i) {
    return i.opcode == Opcode::ret || i.opcode == Opcode::exit;
  };
  return block.first < block.end && ends(function.code[block.first]) &&
         function.code[block.first].guard == module::none;
}

}  // namespace

BarrierJoins::Flow BarrierJoins::flow_of(const module::Function& function, bool entry) {
  const std::size_t count = function.blocks.size();
  Flow flow;
  flow.behind.assign(count, std::vector<bool>(count, true));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = count; b-- > 0;) {
      const module::Block& block = function.blocks[b];
      std::vector<bool> common(count, !block.successors.empty());
      for (const uint32_t next : block.successors)
        for (std::size_t i = 0; i < count; ++i) common[i] = common[i] && flow.behind[next][i];
      common[b] = true;
      if (common == flow.behind[b]) continue;
      flow.behind[b] = std::move(common);
      changed = true;
    }
  }
  // The first block that all ways from a branch come to; `count`: there is none.
  const auto meeting = [&](std::size_t branch) {
    std::size_t first = count, most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i == branch || !flow.behind[branch][i]) continue;
      const auto behind = static_cast<std::size_t>(std::ranges::count(flow.behind[i], true));
      if (behind > most) first = i, most = behind;
    }
    return first;
  };
  // Blocks that a block comes back to by some way.
  std::vector<std::vector<bool>> reached(count, std::vector<bool>(count));
  for (std::size_t b = 0; b < count; ++b) {
    std::vector<uint32_t> open(function.blocks[b].successors);
    while (!open.empty()) {
      const uint32_t next = open.back();
      open.pop_back();
      if (reached[b][next]) continue;
      reached[b][next] = true;
      open.insert(open.end(), function.blocks[next].successors.begin(),
                  function.blocks[next].successors.end());
    }
  }
  struct Branch {
    std::size_t block;
    Absent others;  // those who go the other way
  };
  std::vector<std::vector<Branch>> branches(count);
  for (std::size_t x = 0; x < count; ++x) {
    if (function.blocks[x].successors.size() < 2) continue;
    const std::size_t join = meeting(x);
    const bool ends = entry && (join == count || only_ends(function, function.blocks[join]));
    for (std::size_t b = 0; b < count; ++b) {
      const bool always = b != x && flow.behind[x][b];
      const bool on_a_way = std::ranges::any_of(function.blocks[x].successors,
                                                [&](uint32_t next) { return flow.behind[next][b]; });
      // Who leaves a loop around it has come to it before, and others still do.
      if (on_a_way && !always)
        branches[b].push_back({x, ends && !reached[b][x] ? Absent::may_end : Absent::waits});
    }
  }
  flow.absent.assign(count, Absent::comes);
  // Branches in branches.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < count; ++b) {
      Absent all = flow.absent[b];
      for (const Branch& branch : branches[b])
        all = both(all, both(branch.others, flow.absent[branch.block]));
      changed |= all != flow.absent[b];
      flow.absent[b] = all;
    }
  }
  return flow;
}

BarrierJoins::BarrierJoins(const module::Image& image, uint32_t entry)
    : image_(image),
      entry_(entry),
      flows_(image.functions.size()),
      called_(image.functions.size(), Absent::comes) {
  constexpr std::size_t most_blocks = 1024;
  std::vector<uint32_t> open{entry};
  while (!open.empty()) {
    const uint32_t number = open.back();
    open.pop_back();
    const module::Function& function = image.functions[number];
    if (!flows_[number].absent.empty() || function.blocks.empty() || function.blocks.size() > most_blocks)
      continue;
    flows_[number] = flow_of(function, number == entry);
    open.insert(open.end(), function.callees.begin(), function.callees.end());
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t number = 0; number < flows_.size(); ++number) {
      if (flows_[number].absent.empty()) continue;
      const module::Function& function = image.functions[number];
      for (uint32_t i = 0; i < function.code.size(); ++i) {
        if (function.code[i].opcode != Opcode::call) continue;
        const Absent here = absent(number, i);
        // Which of them it calls is not looked at.
        for (const uint32_t callee : function.callees) {
          changed |= both(called_[callee], here) != called_[callee];
          called_[callee] = both(called_[callee], here);
        }
      }
    }
  }
}

Absent BarrierJoins::absent(uint32_t function, uint32_t instruction) const {
  const Flow& flow = flows_[function];
  if (flow.absent.empty()) return Absent::comes;
  return both(called_[function], flow.absent[image_.functions[function].block_of[instruction]]);
}

bool BarrierJoins::passed_join(uint32_t function, uint32_t end, uint32_t barrier) const {
  const Flow& flow = flows_[function];
  if (function != entry_ || flow.absent.empty()) return false;
  const module::Function& code = image_.functions[function];
  const uint32_t from = code.block_of[barrier], to = code.block_of[end];
  return from != to && flow.behind[from][to] && !only_ends(code, code.blocks[to]);
}

}  // namespace heddle::analysis
