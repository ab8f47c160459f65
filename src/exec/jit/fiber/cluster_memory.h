// Shared memory of the blocks of one cluster, as each of them sees it. Everywhere an address of the window
// (memory_map.h) is added to where address 0 lies: a 32-bit number, behind which nothing else may be touched
// within 4 GiB, so that code needs no check (launch/regions.h).
//
// There are views of the same memory: one of all blocks, for .shared::cluster and generic addresses, and one
// a block in which the others' memory is missing, for .shared::cta, by which a device reaches the block's own
// alone.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::exec::jit {

class ClusterMemory {
 public:
  ClusterMemory() = default;
  ~ClusterMemory();
  ClusterMemory(const ClusterMemory&) = delete;
  ClusterMemory& operator=(const ClusterMemory&) = delete;

  // `bytes` of each block, and `reserved` for the system at the end of its part of the window, which are
  // zero. What is in the others is anything. False: the host has none.
  bool reserve(uint32_t blocks, uint64_t bytes, uint64_t reserved);
  // Where address 0 of the window lies.
  std::byte* of_all() const { return views_.front().zero; }
  std::byte* of_block(uint32_t rank) const { return views_[rank + 1 < views_.size() ? rank + 1 : 0].zero; }
  // Of a place in the host's memory, what it is for the program, touched or not.
  std::optional<uint64_t> address_of(uintptr_t host) const;

 private:
  struct View {
    std::byte *base = nullptr, *zero = nullptr;
    uint64_t bytes = 0;
  };
  struct Piece {  // of a block's part of the window that is there, in whole pages
    uint64_t begin = 0, bytes = 0;
  };
  bool add_view();
  bool show(const View& view, uint32_t rank);
  void release();

  std::vector<View> views_;  // of all blocks; by rank, where the system lets memory be seen twice
  std::vector<Piece> pieces_;
  int file_ = -1;
  pid_t process_ = 0;  // one that was copied from it (fork) has the same memory: it makes its own
  uint32_t blocks_ = 0;
  uint64_t bytes_ = 0, reserved_ = 0, of_block_ = 0;
};

}  // namespace heddle::exec::jit
