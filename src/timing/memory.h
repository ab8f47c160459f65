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

// Of a line of 128 bytes, a bit for each sector of 32.
using Sectors = uint8_t;

// Lines of 128 bytes whose sectors come one by one; the least recently used of a set goes first. What real
// caches do is not public: sizes, lines and sectors are, the policy is this one.
class Cache {
 public:
  explicit Cache(uint64_t bytes);
  struct Found {
    Sectors missing = 0;  // of those asked for
    Sectors evicted = 0;  // dirty ones of the line that had to go
    Sectors filled = 0;   // of those the ones whose other bytes come from the memory first
    uint64_t evicted_line = 0;
  };
  // Has the sectors and those that come along from now on. `hash`: hash_of(line). The first store to a part
  // of a sector leaves it partial, the next one is taken for the rest.
  Found load(uint64_t line, uint64_t hash, Sectors asked, Sectors with);
  Found store(uint64_t line, uint64_t hash, Sectors asked, Sectors partial);
  uint64_t dirty_bytes() const;
  static uint64_t hash_of(uint64_t line);

 private:
  static constexpr unsigned ways = 8;
  // A set lies in one line of the host's cache, the last used first: number of the line, partial, dirty and
  // valid sectors.
  struct alignas(64) Set {
    std::array<uint64_t, ways> lines;
  };
  static constexpr unsigned partial_at = 8, dirty_at = 4, line_at = 12;
  uint64_t& touch(uint64_t line, uint64_t hash, Found&);
  std::vector<Set> sets_;
};

class Memory {
 public:
  Memory(const Machine&, uint64_t l1_bytes);

  // An access of a warp to global memory, at `time` at the multiprocessor's door: when its last part is
  // there.
  Ticks access(uint32_t multiprocessor, Ticks time, const Event&, const Part* parts, bool past_l1 = false);

  // A look at a texture, likewise: sectors that the texture cache has not come past the L1 cache.
  Ticks look(uint32_t multiprocessor, Ticks time, const Event&, const Part* parts);

  struct Busy {  // sums over all parts of a kind
    Ticks channels = 0, slices = 0, ports = 0;
    Ticks atomics = 0;   // of the busiest slice
    Ticks bus = 0;       // to the host, of the busier direction
    uint64_t bytes = 0;  // to and from the memory
  };
  Busy busy() const;
  Ticks last_change() const {
    return last_change_;
  }  // when what nobody waits for is done: atomics, mapped memory
  uint64_t dirty_bytes() const { return l2_.dirty_bytes(); }  // that the L2 cache has still to write

 private:
  // Rows of the last requests, which a controller can put side by side.
  class OpenRows {
   public:
    // Whether it is one of them; it is from now on.
    bool find(uint64_t row);

   private:
    static constexpr unsigned buckets = 128;
    std::array<uint64_t, 48> rows_{};
    std::array<uint8_t, buckets> rows_of_{}, last_of_{};  // by bucket: how many rows, and where the last is
    unsigned next_ = 0;
  };
  struct Channel {
    Ticks free = 0, row_free = 0;
    bool writing = false;
    OpenRows rows;
  };
  Ticks uncached(uint32_t multiprocessor, Ticks time, const Event&, const Part&);
  Ticks load(uint32_t multiprocessor, Ticks time, uint64_t line, Sectors);
  Ticks load_past_l1(uint32_t multiprocessor, Ticks time, uint64_t line, uint64_t hash, Sectors);
  Ticks over_bus(uint32_t multiprocessor, Ticks time, Event::Kind, uint64_t line, Sectors, Sectors partial);
  Ticks store(Ticks time, uint64_t line, Sectors, Sectors partial);
  Ticks write_back(Ticks time, const Cache::Found&);
  Ticks change(Ticks time, const Part&, uint32_t times);
  Ticks reserve(Ticks& free, Ticks time, Ticks busy) const;
  Ticks slice(Ticks time, uint64_t hash, uint32_t sectors);
  std::size_t slice_of(uint64_t hash) const;
  // The bursts that the sectors lie in.
  Sectors bursts(Sectors) const;
  Ticks channel(Ticks time, uint64_t address, uint32_t bytes, bool write);

  const Machine& m_;
  std::vector<Cache> l1_;
  std::vector<Cache> textures_;
  Cache l2_;
  std::array<Ticks, 2> bus_{}, bus_busy_{};  // to the host: when it is free for loads, for stores; the sums
  std::vector<Ticks> ports_, slices_;
  std::vector<Channel> channels_;
  std::unordered_map<uint64_t, Ticks> words_;  // of atomic operations: when the sector is free
  std::vector<Ticks> atomics_;                 // by slice: for which it was busy with atomic operations
  Ticks port_sector_ = 0;                      // for which a port is busy with a sector
  std::array<Ticks, 5> transfer_{};            // for which a channel is busy, by sectors
  unsigned piece_shift_ = 0, row_shift_ = 0;   // of partition_bytes and row, powers of two
  bool pairs_ = false;                         // a burst has two sectors
  Ticks last_change_ = 0;
  Busy busy_;
};

}  // namespace heddle::timing
