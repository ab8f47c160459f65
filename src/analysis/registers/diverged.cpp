// Blocks that perhaps not all lanes of a warp do together.
#include <algorithm>

#include "analysis/registers/code.h"

namespace heddle::analysis::registers {

namespace {

using module::none;

// Each block's nearest block that every way from it to the end goes through; the end itself is number
// blocks.size(). After Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm".
std::vector<uint32_t> meeting_places(const module::Function& function) {
  const auto end = static_cast<uint32_t>(function.blocks.size());
  std::vector<std::vector<uint32_t>> back(end + 1);  // by successor
  for (uint32_t b = 0; b < end; ++b) {
    for (const uint32_t to : function.blocks[b].successors) back[to].push_back(b);
    if (function.blocks[b].successors.empty()) back[end].push_back(b);
  }
  std::vector<uint32_t> order, place(end + 1, none);
  std::vector<bool> seen(end + 1);
  std::vector<std::pair<uint32_t, std::size_t>> open{{end, 0}};
  seen[end] = true;
  while (!open.empty()) {
    auto& [b, next] = open.back();
    if (next == back[b].size()) {
      place[b] = static_cast<uint32_t>(order.size());
      order.push_back(b);
      open.pop_back();
      continue;
    }
    const uint32_t from = back[b][next++];
    if (seen[from]) continue;
    seen[from] = true;
    open.emplace_back(from, 0);
  }
  std::vector<uint32_t> meets(end + 1, none);
  meets[end] = end;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = order.size() - 1; k-- > 0;) {
      const uint32_t b = order[k];
      uint32_t common = none;
      const auto join = [&](uint32_t to) {
        if (meets[to] == none) return;
        if (common == none) common = to;
        for (uint32_t other = to; common != other;) {
          while (place[common] < place[other]) common = meets[common];
          while (place[other] < place[common]) other = meets[other];
        }
      };
      for (const uint32_t to : function.blocks[b].successors) join(to);
      if (function.blocks[b].successors.empty()) join(end);
      changed |= meets[b] != common;
      meets[b] = common;
    }
  }
  return meets;
}

}  // namespace

std::vector<bool> diverged(const module::Function& function, const std::vector<bool>& parts) {
  const std::vector<uint32_t> meets = meeting_places(function);
  std::vector<bool> result(function.blocks.size());
  const auto is_end = [&](uint32_t b) {
    return function.blocks[b].successors.empty() && function.blocks[b].end - function.blocks[b].first <= 1;
  };
  std::vector<uint32_t> open, reached(function.blocks.size(), none);
  for (uint32_t b = 0; b < function.blocks.size(); ++b) {
    const auto& successors = function.blocks[b].successors;
    // Lanes that end leave the others together.
    if (!parts[b] || successors.size() < 2 || std::any_of(successors.begin(), successors.end(), is_end))
      continue;
    open.assign(successors.begin(), successors.end());
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      if (at == meets[b] || reached[at] == b) continue;
      reached[at] = b;
      result[at] = true;
      for (const uint32_t to : function.blocks[at].successors) open.push_back(to);
    }
  }
  return result;
}

}  // namespace heddle::analysis::registers
