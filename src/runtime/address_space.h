// Host addresses reserved once for everything that guests may touch. A piece in use has inaccessible pages on
// both sides, so that a stray access of native code meets no other piece.
//
// Where the process may have few addresses (ulimit -v), nothing is reserved: pieces are mapped one by one
// into a range that the system fills last, and nobody else is kept out of it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/error.h"
#include "runtime/free_extents.h"
#include "support/address_limit.h"

namespace heddle::runtime {

// Where addresses must lie: anywhere, or below 4 GiB for programs whose addresses have 32 bits.
enum class Region : uint8_t { high, low };

struct Mapping {
  uint64_t begin = 0, bytes = 0;  // whole pages
  uint64_t end() const { return begin + bytes; }
};

class AddressSpace {
 public:
  static constexpr uint64_t page_bytes = 4096;
  static constexpr uint64_t huge_page_bytes = uint64_t{2} << 20;

  // Reserves up to `bytes` of high addresses, as many as the system gives, and what is free below 4 GiB;
  // nothing where addresses are `scarce`.
  // `apart`: pieces lie far from one another, and the addresses of one that is gone stay so for long.
  static Outcome<std::unique_ptr<AddressSpace>> reserve(uint64_t bytes = uint64_t{16} << 40,
                                                        bool apart = false,
                                                        bool scarce = addresses_are_limited());
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  // Readable and writable zeros; large ones on huge pages where the system has them.
  Outcome<Mapping> map(uint64_t bytes, uint64_t alignment, Region region);
  // Inaccessible addresses, at `wish` if they are free.
  Outcome<Mapping> take(uint64_t bytes, uint64_t alignment, Region region, uint64_t wish = 0);
  void unmap(const Mapping& mapping);
  // Gives the memory back but keeps the addresses: it reads as zeros again.
  static void discard(uint64_t begin, uint64_t bytes);

  // Whether it is nobody else's.
  bool contains(uint64_t address) const { return owns(high_, address) || owns(low_, address); }
  bool has_low() const { return low_.bytes != 0; }
  // How many pieces the system lets a process have besides what it has already: each piece in use costs two.
  static uint64_t piece_budget();

 private:
  struct Range {
    uint64_t begin = 0, bytes = 0;
    uint64_t guard = 0;  // between two pieces
    FreeExtents free;
    bool reserved = true;                 // else only what is in use is mapped:
    std::map<uint64_t, uint64_t> mapped;  // by begin: end
  };
  AddressSpace() = default;
  static bool in(const Range& range, uint64_t address) { return address - range.begin < range.bytes; }
  void adopt(Range& range, uint64_t begin, uint64_t bytes, uint64_t guard, bool reserved);
  Range& range_of(Region region) { return region == Region::low ? low_ : high_; }
  void free(const Mapping& mapping);  // under the lock
  bool owns(const Range& range, uint64_t address) const;
  mutable std::mutex mutex_;
  Range high_, low_;
  std::size_t most_gone_ = 0;
  std::deque<Mapping> gone_;  // not free yet
};

}  // namespace heddle::runtime
