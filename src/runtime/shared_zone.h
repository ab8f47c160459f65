// Many allocations on few mappings: pieces of large chunks, without inaccessible pages between. For processes
// with so many allocations that the system's limit of mappings is near.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "runtime/address_space.h"
#include "runtime/free_extents.h"

namespace heddle::runtime {

class SharedZone {
 public:
  static constexpr uint64_t chunk_bytes = uint64_t{64} << 20;
  static constexpr uint64_t largest_piece = chunk_bytes / 4;

  SharedZone(AddressSpace& space, Region region) : space_(space), region_(region) {}
  ~SharedZone();
  struct Piece {
    uint64_t address = 0;
    std::optional<Mapping> new_chunk;  // was mapped for this piece
  };
  Outcome<Piece> take(uint64_t bytes, uint64_t alignment);
  // The chunk that held it when nothing is left in it: the caller calls drop() once nobody touches it.
  std::optional<Mapping> give(uint64_t address, uint64_t bytes);
  bool empty() const;
  void drop(const Mapping& chunk) { space_.unmap(chunk); }

 private:
  struct Chunk {
    Mapping mapping;
    FreeExtents free;
    uint64_t used = 0;
  };
  AddressSpace& space_;
  const Region region_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Chunk> chunks_;  // by begin
};

}  // namespace heddle::runtime
