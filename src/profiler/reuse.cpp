#include "profiler/reuse.h"

#include <bit>

namespace heddle::profiler {

Reuse::OfBlock* Reuse::block_of(const std::array<uint32_t, 3>& block) {
  if (block == last_) return of_last_;
  const uint64_t number = sample_.number(block);
  last_ = block;
  of_last_ = sample_.has(number) ? &blocks_[number] : nullptr;
  return of_last_;
}

void Reuse::load(const observe::Access& access) {
  constexpr uint64_t sector = 32;
  OfBlock* const found = block_of(access.block);
  if (found == nullptr || found->left_out || access.bytes == 0) return;
  OfBlock& block = *found;
  // Lanes that follow one another mostly load the same sector, or the next.
  std::array<uint64_t, 2 * observe::warp_lanes> seen;
  std::size_t count = 0;
  for (observe::Mask left = access.lanes; left != 0; left &= left - 1) {
    const uint64_t address = access.addresses[std::countr_zero(left)];
    const uint64_t end = (address + access.bytes - 1) / sector;
    for (uint64_t one = address / sector; one <= end; ++one) {
      bool is_new = true;
      for (std::size_t i = count; i-- > 0 && is_new;) is_new = seen[i] != one;
      if (!is_new) continue;
      if (count < seen.size()) seen[count++] = one;
      ++block.loaded;
      block.sectors.insert(one);
    }
  }
  if (block.sectors.size() <= most_sectors) return;
  block.left_out = true;
  block.sectors = {};
}

ReuseCounts Reuse::counts() const {
  ReuseCounts sum;
  for (const auto& [number, block] : blocks_)
    if (!block.left_out) sum += {block.loaded, block.sectors.size()};
  return sum;
}

}  // namespace heddle::profiler
