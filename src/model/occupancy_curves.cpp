#include "model/occupancy_curves.h"

#include <algorithm>

namespace heddle::model {

namespace {

// Which resources admit no more blocks than there are.
unsigned scarce(const Occupancy& o) {
  unsigned set = 0;
  for (const uint32_t blocks : {o.by_blocks, o.by_warps, o.by_registers, o.by_shared, o.by_barriers})
    set = set << 1 | (blocks == o.blocks ? 1u : 0u);
  return set;
}

bool same(const Occupancy& a, const Occupancy& b) {
  return a.blocks == b.blocks && a.warps == b.warps && scarce(a) == scarce(b);
}

// `change` writes a value into the needs.
template <class Change>
Curve curve(const arch::Architecture& a, const BlockNeeds& needs, uint64_t first, uint64_t limit,
            uint64_t step, Change&& change) {
  Curve result;
  result.step = step;
  result.limit = limit;
  for (uint64_t value = first; value <= limit; value += step) {
    BlockNeeds changed = needs;
    change(changed, value);
    const Occupancy here = occupancy(a, changed);
    if (!result.stretches.empty() && same(result.stretches.back().occupancy, here))
      result.stretches.back().last = value;
    else
      result.stretches.push_back({value, value, here});
  }
  return result;
}

}  // namespace

const Stretch& Curve::at(uint64_t value) const {
  const auto found = std::lower_bound(stretches.begin(), stretches.end(), value,
                                      [](const Stretch& s, uint64_t wanted) { return s.last < wanted; });
  return found == stretches.end() ? stretches.back() : *found;
}

Curves curves(const arch::Architecture& a, const BlockNeeds& needs) {
  Curves result;
  const uint32_t warp = a.launch.warp_size;
  result.threads = curve(a, needs, warp, a.launch.max_threads_per_block, warp,
                         [](BlockNeeds& n, uint64_t value) { n.threads = static_cast<uint32_t>(value); });
  result.registers = curve(a, needs, 1, a.registers.per_thread, 1,
                           [](BlockNeeds& n, uint64_t value) { n.registers = static_cast<uint32_t>(value); });
  result.shared = curve(a, needs, 0, a.shared.per_block_opt_in, a.shared.allocation_unit,
                        [](BlockNeeds& n, uint64_t value) { n.shared_bytes = value; });
  return result;
}

}  // namespace heddle::model
