#include "runtime/shared_zone.h"

namespace heddle::runtime {

SharedZone::~SharedZone() {
  for (const auto& [begin, chunk] : chunks_) space_.unmap(chunk.mapping);
}

Outcome<SharedZone::Piece> SharedZone::take(uint64_t bytes, uint64_t alignment) {
  const std::lock_guard lock(mutex_);
  for (auto& [begin, chunk] : chunks_) {
    if (chunk.free.largest() < bytes) continue;
    if (const auto address = chunk.free.take(bytes, alignment)) {
      chunk.used += bytes;
      return Piece{*address, std::nullopt};
    }
  }
  const Outcome<Mapping> mapping = space_.map(chunk_bytes, AddressSpace::huge_page_bytes, region_);
  if (!mapping) return mapping.error();
  Chunk& chunk = chunks_[mapping->begin];
  chunk.mapping = *mapping;
  chunk.free.add(mapping->begin, mapping->bytes);
  chunk.used = bytes;
  return Piece{*chunk.free.take(bytes, alignment), *mapping};
}

std::optional<Mapping> SharedZone::give(uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  auto found = chunks_.upper_bound(address);
  if (found == chunks_.begin()) return std::nullopt;
  Chunk& chunk = (--found)->second;
  // Whole pages inside go back at once, so that the next owner finds zeros there and nobody pays for them.
  const uint64_t page = AddressSpace::page_bytes;
  const uint64_t first = (address + page - 1) / page * page, last = (address + bytes) / page * page;
  if (last > first && last - first >= 16 * page) AddressSpace::discard(first, last - first);
  chunk.free.add(address, bytes);
  chunk.used -= bytes;
  if (chunk.used != 0) return std::nullopt;
  const Mapping mapping = chunk.mapping;
  chunks_.erase(found);
  return mapping;
}

bool SharedZone::empty() const {
  const std::lock_guard lock(mutex_);
  return chunks_.empty();
}

}  // namespace heddle::runtime
