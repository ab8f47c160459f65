#include "analysis/liveness.h"

#include <algorithm>

#include "analysis/accesses.h"

namespace heddle::analysis {

using module::none;

Liveness::Liveness(const module::Image& image, const module::Function& function)
    : image_(image), function_(function), live_in_(function.blocks.size()) {
  std::vector<Uses> uses(function.blocks.size());
  collect(uses);
  solve(uses);
}

void Liveness::collect(std::vector<Uses>& uses) const {
  // By slot: the block (plus one) in which it was last seen read first, surely written, maybe written.
  std::vector<uint32_t> exposed(function_.register_slots), killed(exposed), written(exposed);
  for (uint32_t block = 0; block < function_.blocks.size(); ++block) {
    const uint32_t here = block + 1;
    const auto mark = [&](std::vector<uint32_t>& seen, std::vector<uint32_t>& list, uint32_t slot) {
      if (seen[slot] != here) seen[slot] = here, list.push_back(slot);
    };
    for (uint32_t i = function_.blocks[block].first; i < function_.blocks[block].end; ++i) {
      const module::Instruction& instruction = function_.code[i];
      each_register(image_, function_, instruction, [&](RegisterAccess access) {
        if (access.read && killed[access.slot] != here) mark(exposed, uses[block].exposed, access.slot);
      });
      each_register(image_, function_, instruction, [&](RegisterAccess access) {
        if (!access.write) return;
        mark(written, uses[block].written, access.slot);
        if (instruction.guard == none) mark(killed, uses[block].killed, access.slot);
      });
    }
  }
}

// Slot by slot: backward from the reads to the writes that end the search, then forward from all writes
// through what was found (F. Brandner et al., Computing Liveness Sets for SSA-Form Programs, the path
// exploration, for registers with several writes). Time and memory follow the size of the answer.
void Liveness::solve(const std::vector<Uses>& uses) {
  const auto count = static_cast<uint32_t>(uses.size());
  struct Place {
    uint32_t slot, block;
  };
  const auto by_slot = [&](std::vector<uint32_t> Uses::* list) {
    std::vector<std::vector<uint32_t>> result(function_.register_slots);
    for (uint32_t block = 0; block < count; ++block)
      for (uint32_t slot : uses[block].*list) result[slot].push_back(block);
    return result;
  };
  const auto exposed = by_slot(&Uses::exposed), killed = by_slot(&Uses::killed);
  auto written = by_slot(&Uses::written);
  std::vector<bool> at_entry(function_.register_slots);
  for (const auto* list : {&function_.signature.params, &function_.signature.results})
    for (const module::Parameter& p : *list)
      if (p.in_register && p.reg != none) at_entry[p.reg] = true;

  std::vector<uint32_t> is_live(count, none), is_killed(count, none),
      is_reached(count, none);  // slot last seen
  std::vector<uint32_t> open, found;
  for (uint32_t slot = 0; slot < function_.register_slots; ++slot) {
    for (uint32_t block : killed[slot]) is_killed[block] = slot;
    found.clear();
    const auto reach = [&](uint32_t block) {
      if (is_live[block] == slot) return;
      is_live[block] = slot;
      found.push_back(block);
      open.push_back(block);
    };
    for (uint32_t block : exposed[slot]) reach(block);
    while (!open.empty()) {
      const uint32_t block = open.back();
      open.pop_back();
      for (uint32_t from : function_.blocks[block].predecessors)
        if (is_killed[from] != slot) reach(from);
    }
    if (found.empty()) continue;
    const auto carry = [&](uint32_t block) {
      if (is_live[block] != slot || is_reached[block] == slot) return;
      is_reached[block] = slot;
      open.push_back(block);
    };
    if (at_entry[slot]) carry(0);
    for (uint32_t block : written[slot])
      for (uint32_t to : function_.blocks[block].successors) carry(to);
    while (!open.empty()) {
      const uint32_t block = open.back();
      open.pop_back();
      for (uint32_t to : function_.blocks[block].successors) carry(to);
    }
    for (uint32_t block : found)
      if (is_reached[block] == slot) live_in_[block].push_back(slot);
  }
}

std::vector<uint32_t> Liveness::live_out(uint32_t block) const {
  std::vector<uint32_t> result;
  for (uint32_t to : function_.blocks[block].successors)
    result.insert(result.end(), live_in_[to].begin(), live_in_[to].end());
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void Liveness::step(const module::Instruction& instruction, std::vector<uint32_t>& live,
                    std::vector<uint32_t>& place) const {
  if (instruction.guard == none)
    each_register(image_, function_, instruction, [&](RegisterAccess access) {
      if (!access.write || place[access.slot] == none) return;
      const uint32_t at = place[access.slot];
      live[at] = live.back();
      place[live[at]] = at;
      live.pop_back();
      place[access.slot] = none;
    });
  each_register(image_, function_, instruction, [&](RegisterAccess access) {
    if (!access.read || place[access.slot] != none) return;
    place[access.slot] = static_cast<uint32_t>(live.size());
    live.push_back(access.slot);
  });
}

}  // namespace heddle::analysis
