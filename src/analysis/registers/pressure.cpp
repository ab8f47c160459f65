#include <algorithm>

#include "analysis/registers/code.h"

namespace heddle::analysis::registers {

// Backward from each value's reads to its definitions, as analysis::Liveness does it.
std::vector<std::vector<uint32_t>> live_in(const Code& code) {
  const auto count = static_cast<uint32_t>(code.blocks.size());
  std::vector<std::vector<uint32_t>> exposed(code.width.size()), killed(code.width.size());
  std::vector<uint32_t> seen(code.width.size()), ended(code.width.size());
  for (uint32_t block = 0; block < count; ++block) {
    const uint32_t here = block + 1;
    for (uint32_t i = code.blocks[block].first; i < code.blocks[block].end; ++i) {
      const Operation& o = code.operations[i];
      for (const uint32_t value : code.uses(o))
        if (ended[value] != here && seen[value] != here) seen[value] = here, exposed[value].push_back(block);
      if (o.guarded) continue;
      for (const uint32_t value : code.definitions(o))
        if (ended[value] != here) ended[value] = here, killed[value].push_back(block);
    }
  }
  std::vector<std::vector<uint32_t>> live(count);
  std::vector<uint32_t> reached(count, module::none), stops(count, module::none), open;
  for (uint32_t value = 0; value < code.width.size(); ++value) {
    if (code.width[value] == 0) continue;
    for (const uint32_t block : killed[value]) stops[block] = value;
    const auto reach = [&](uint32_t block) {
      if (reached[block] == value) return;
      reached[block] = value;
      live[block].push_back(value);
      open.push_back(block);
    };
    for (const uint32_t block : exposed[value]) reach(block);
    while (!open.empty()) {
      const uint32_t block = open.back();
      open.pop_back();
      for (const uint32_t from : code.predecessors[block])
        if (stops[from] != value) reach(from);
    }
  }
  return live;
}

Pressure pressure(const Code& code, const std::vector<std::vector<uint32_t>>& live) {
  Pressure result;
  std::vector<bool> is_live(code.width.size());
  std::vector<uint32_t> set;
  for (uint32_t block = 0; block < code.blocks.size(); ++block) {
    uint32_t used = 0;
    const auto add = [&](uint32_t value) {
      if (is_live[value] || code.width[value] == 0) return;
      is_live[value] = true;
      set.push_back(value);
      used += code.width[value];
    };
    const auto remove = [&](uint32_t value) {
      if (!is_live[value]) return;
      is_live[value] = false;
      used -= code.width[value];
    };
    for (const uint32_t to : code.successors[block])
      for (const uint32_t value : live[to]) add(value);
    const auto look = [&](const Operation& o) {
      if (used + o.temporaries > result.registers)
        result.registers = used + o.temporaries, result.busiest = o.instruction;
    };
    for (uint32_t i = code.blocks[block].end; i-- > code.blocks[block].first;) {
      const Operation& o = code.operations[i];
      for (const uint32_t value : code.definitions(o)) add(value);
      look(o);
      if (!o.guarded)
        for (const uint32_t value : code.definitions(o)) remove(value);
      for (const uint32_t value : code.uses(o)) add(value);
      look(o);
    }
    for (const uint32_t value : set) is_live[value] = false;
    set.clear();
  }
  return result;
}

}  // namespace heddle::analysis::registers
