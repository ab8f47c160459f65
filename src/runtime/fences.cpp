#include "runtime/fences.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "exec/guest_memory.h"
#include "runtime/memory.h"

namespace heddle::runtime {

namespace {

// No two neighbours are alike, and nothing is 0 or small: what programs write, most of all. By the address,
// so that fences of neighbours differ only in where they begin.
constexpr uint64_t period = 256;
constexpr auto pattern = [] {
  std::array<std::byte, 2 * period> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(0xa5 ^ ((i % period) * 0x6d + 0x3b));
  return bytes;
}();

template <class Visit>
void each_piece(uint64_t begin, uint64_t bytes, Visit visit) {
  while (bytes != 0) {
    const uint64_t piece = std::min(bytes, period);
    visit(reinterpret_cast<std::byte*>(begin), pattern.data() + begin % period, piece);
    begin += piece;
    bytes -= piece;
  }
}

void put_up(uint64_t begin, uint64_t bytes) {
  each_piece(begin, bytes, [](std::byte* at, const std::byte* expected, uint64_t count) {
    std::memcpy(at, expected, count);
  });
}

std::optional<StrayWrite> changed(uint64_t begin, uint64_t bytes) {
  std::optional<StrayWrite> found;
  each_piece(begin, bytes, [&](const std::byte* at, const std::byte* expected, uint64_t count) {
    if (std::memcmp(at, expected, count) == 0) return;
    for (uint64_t i = 0; i < count; ++i) {
      if (at[i] == expected[i]) continue;
      const uint64_t place = reinterpret_cast<uint64_t>(at) + i;
      if (!found) found = StrayWrite{place, 0};
      found->bytes = place - found->address + 1;
    }
  });
  return found;
}

}  // namespace

void put_up_fences(const Allocation& allocation) {
  put_up(allocation.address - allocation.fence_before, allocation.fence_before);
  put_up(allocation.end(), allocation.fence_behind);
}

std::optional<StrayWrite> FenceWatch::look(const Memory& memory, const exec::GuestMemory& guest,
                                           std::span<const analysis::PointerParameter> pointers,
                                           std::span<const std::byte> params) {
  if (pointers.empty()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const uint64_t generation = memory.generation();
  bool same = generation == generation_ && values_.size() == pointers.size();
  values_.resize(pointers.size());
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    uint64_t value = 0;
    if (pointers[i].offset + sizeof value <= params.size())
      std::memcpy(&value, params.data() + pointers[i].offset, sizeof value);
    same &= value == values_[i];
    values_[i] = value;
  }
  if (!same) {
    fences_.clear();
    for (const uint64_t value : values_) {
      const AllocationRef there = memory.find(value);
      if (there == nullptr || !guest.accessible(there->address, 1, true)) continue;
      if (there->fence_before != 0)
        fences_.push_back({there->address - there->fence_before, there->fence_before});
      if (there->fence_behind != 0) fences_.push_back({there->end(), there->fence_behind});
    }
    generation_ = generation;
  }
  for (const Fence& fence : fences_)
    if (const auto stray = changed(fence.begin, fence.bytes)) {
      put_up(fence.begin, fence.bytes);
      return stray;
    }
  return std::nullopt;
}

}  // namespace heddle::runtime
