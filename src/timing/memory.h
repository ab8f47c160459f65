// Caches and memory of the machine, by reservation: a request takes the next free time of each part that it
// goes through.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timing/machine.h"
#include "timing/trace.h"

namespace heddle::timing {

// Lines of 128 bytes with a bit for each sector of 32; the least recently used of a set goes first. What real
// caches do is not public: sizes, lines and sectors are, the policy is this one.
class Cache {
 public:
  explicit Cache(uint64_t bytes);
  // Whether it has the sector; has it from now on. `evicted` gets the dirty sectors that had to go.
  bool access(uint64_t sector, bool write, uint32_t& evicted);
  uint64_t dirty_bytes() const;

 private:
  static constexpr unsigned ways = 8;
  struct Line {
    uint64_t tag = ~uint64_t{0};
    uint32_t used = 0;
    uint8_t valid = 0, dirty = 0;
  };
  std::size_t set_of(uint64_t line) const;
  std::vector<Line> lines_;
  std::size_t sets_;
  uint32_t now_ = 0;
};

class Memory {
 public:
  Memory(const Machine&, uint64_t l1_bytes);

  // An access of a warp to global memory, at `time` at the multiprocessor's door: when its last part is
  // there.
  Ticks access(uint32_t multiprocessor, Ticks time, const Event&, const Part* parts);

  struct Busy {  // sums over all parts of a kind
    Ticks channels = 0, slices = 0, ports = 0;
    Ticks atomics = 0;   // of the busiest slice
    uint64_t bytes = 0;  // to and from the memory
  };
  Busy busy() const;
  Ticks last_change() const { return last_change_; }          // when the last atomic operation is done
  uint64_t dirty_bytes() const { return l2_.dirty_bytes(); }  // that the L2 cache has still to write

 private:
  struct Channel {
    Ticks free = 0, row_free = 0;
    bool writing = false;
    std::array<uint64_t, 48> rows{};  // of the last requests, which a controller can put side by side
    unsigned next = 0;
  };
  Ticks load(uint32_t multiprocessor, Ticks time, const Part&);
  Ticks store(Ticks time, const Part&);
  Ticks change(Ticks time, const Part&, uint32_t times);
  Ticks reserve(Ticks& free, Ticks time, Ticks busy) const;
  Ticks slice(Ticks time, uint64_t sector, uint32_t sectors);
  std::size_t slice_of(uint64_t sector) const;
  Ticks channel(Ticks time, uint64_t address, uint32_t bytes, bool write);

  const Machine& m_;
  std::vector<Cache> l1_;
  Cache l2_;
  std::vector<Ticks> ports_, slices_;
  std::vector<Channel> channels_;
  std::unordered_map<uint64_t, Ticks> words_;  // of atomic operations: when the sector is free
  std::vector<Ticks> atomics_;                 // by slice: for which it was busy with atomic operations
  Ticks last_change_ = 0;
  Busy busy_;
};

}  // namespace heddle::timing
