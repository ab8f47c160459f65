// Which blocks every way to a block goes through, and which all rounds of a loop do. By edges alone: the slow
// paths that stand at the end of a text and jump back from there are no loops.
#include <algorithm>

#include "analysis/registers/code.h"

namespace heddle::analysis::registers {

namespace {

using module::none;

// Blocks that can be reached, each before its successors but for those that jump back.
std::vector<uint32_t> in_order(const module::Function& function) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(function.blocks.size());
  std::vector<std::pair<uint32_t, std::size_t>> open;
  if (!function.blocks.empty()) open.emplace_back(0, 0), seen[0] = true;
  while (!open.empty()) {
    const auto block = open.back().first;
    const auto& successors = function.blocks[block].successors;
    if (open.back().second == successors.size()) {
      order.push_back(block);
      open.pop_back();
      continue;
    }
    const uint32_t to = successors[open.back().second++];
    if (seen[to]) continue;
    seen[to] = true;
    open.emplace_back(to, 0);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

// After Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm".
Loops::Loops(const module::Function& function)
    : dominator_(function.blocks.size(), none), place_(function.blocks.size(), none), home_(place_) {
  const std::vector<uint32_t> order = in_order(function);
  for (uint32_t k = 0; k < order.size(); ++k) place_[order[k]] = k;
  if (!order.empty()) dominator_[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const uint32_t block : order) {
      if (block == 0) continue;
      uint32_t common = none;
      for (uint32_t from : function.blocks[block].predecessors) {
        if (dominator_[from] == none) continue;
        if (common == none) common = from;
        while (common != from) {
          uint32_t& later = place_[common] > place_[from] ? common : from;
          later = dominator_[later];
        }
      }
      changed |= dominator_[block] != common;
      dominator_[block] = common;
    }
  }
  for (uint32_t block = 0; block < home_.size(); ++block) home_[block] = block;
  // A loop's head comes before those of the loops in it: from the innermost ones outward.
  for (auto k = order.size(); k-- > 1;) leave(function, order[k]);
}

// What every round of the loop with this head does is done in front of it.
void Loops::leave(const module::Function& function, uint32_t head) {
  std::vector<uint32_t> ends, open;
  for (const uint32_t from : function.blocks[head].predecessors)
    if (comes_before(head, from)) ends.push_back(from);
  if (ends.empty()) return;
  std::vector<bool> inside(home_.size());
  inside[head] = true;
  open = ends;
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    if (inside[at] || place_[at] == none) continue;
    inside[at] = true;
    for (const uint32_t before : function.blocks[at].predecessors) open.push_back(before);
  }
  for (uint32_t& home : home_)
    if (inside[home] && std::ranges::all_of(ends, [&](uint32_t end) { return comes_before(home, end); }))
      home = dominator_[head];
}

bool Loops::comes_before(uint32_t first, uint32_t block) const {
  if (place_[first] == none || place_[block] == none) return false;
  while (place_[block] > place_[first]) block = dominator_[block];
  return block == first;
}

}  // namespace heddle::analysis::registers
