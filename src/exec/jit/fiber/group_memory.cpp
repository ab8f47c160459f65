#include "exec/jit/fiber/group_memory.h"

#include <cstring>
#include <new>

namespace heddle::exec::jit {

namespace {

// Memory of several blocks lies side by side in whole lines of the host's cache, to which vectors are
// aligned.
constexpr uint64_t cache_line = 64;
uint64_t whole_lines(uint64_t bytes) { return (bytes + cache_line - 1) / cache_line * cache_line; }

}  // namespace

bool GroupMemory::reserve(const Context& context, uint64_t blocks, uint64_t local_bytes,
                          uint64_t slot_bytes) {
  shared_ = whole_lines(context.shared_bytes);
  reserved_ = whole_lines(context.reserved_shared_bytes);
  local_ = whole_lines(local_bytes);
  slots_ = whole_lines(slot_bytes);
  return reserve(blocks);
}

bool GroupMemory::reserve_local(uint64_t bytes) {
  shared_ = reserved_ = slots_ = 0;
  local_ = whole_lines(bytes);
  return reserve(1);
}

bool GroupMemory::reserve(uint64_t blocks) {
  const uint64_t bytes = (shared_ + reserved_ + local_ + slots_) * blocks + cache_line;
  if (bytes > capacity_) {
    capacity_ = 0;
    bytes_.reset();
    bytes_.reset(new (std::nothrow) std::byte[bytes]);
    if (bytes_ == nullptr) return false;
    capacity_ = bytes;
  }
  const auto start = reinterpret_cast<uintptr_t>(bytes_.get());
  first_ = bytes_.get() + (cache_line - start % cache_line) % cache_line;
  for (uint64_t i = 0; i < blocks && reserved_ != 0; ++i) std::memset(of(i).reserved, 0, reserved_);
  return true;
}

GroupMemory::Place GroupMemory::of(uint64_t block) const {
  Place place;
  place.shared = first_ + block * (shared_ + reserved_ + local_ + slots_);
  place.reserved = place.shared + shared_;
  place.local = place.reserved + reserved_;
  place.slots = place.local + local_;
  return place;
}

void find_block(const Context& context, uint64_t block, uint32_t (&index)[3]) {
  uint64_t cluster = block / context.cluster_blocks, rank = block % context.cluster_blocks;
  for (unsigned d = 0; d < 3; ++d) {
    const uint32_t size = context.cluster[d], clusters = context.grid[d] / size;
    index[d] = static_cast<uint32_t>(cluster % clusters * size + rank % size);
    cluster /= clusters;
    rank /= size;
  }
}

}  // namespace heddle::exec::jit
