// How far the warps of a block have come on the machine, while the program runs: what a clock shows that the
// program reads. A warp takes its own instructions one behind another, by the rules of simulate.h. What else
// there is at that time is not known yet, so others are taken to do the same: other blocks what this one does
// between two barriers, other warps what this one does between two looks at a clock. Of each such stretch the
// longest counts, the latencies of a warp or the time that a part of the machine needs for all of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "timing/memory.h"
#include "timing/program.h"
#include "timing/trace.h"

namespace heddle::timing {

// Who is there at once. Warps that share a scheduler: at least one.
struct Company {
  double warps_of_block = 1, warps_of_scheduler = 1, blocks_of_multiprocessor = 1, blocks = 1;
};
Company company_of(const Machine&, uint64_t blocks, uint64_t warps_of_block, uint32_t resident);

// What all blocks of a launch find: the caches that are not a multiprocessor's own.
struct SharedCaches {
  explicit SharedCaches(const Machine& machine) : l2(machine.l2_bytes) {}
  Cache l2;
};

class BlockClock {
 public:
  // All of what it is given stays. `start`: when its first warp can begin.
  BlockClock(const Machine&, const Program&, const Company&, SharedCaches&, uint64_t l1_bytes, uint32_t warps,
             Ticks start);

  // As an observer is told of it.
  void visit(uint32_t warp, observe::Place, observe::Mask lanes);
  void event(uint32_t warp, const Event&, const Part* parts);
  // A warp whose lanes have all ended is waited for at no barrier.
  void ended(uint32_t warp);

  // When the warp issues the instruction, which reads a clock. Asked again at the same time of the program,
  // it is the same.
  Ticks time(uint32_t warp, observe::Place);
  // When the last warp ended.
  Ticks end();

 private:
  // For which parts of the machine were busy with one warp.
  struct Busy {
    Ticks issue = 0, door = 0, textures = 0, constants = 0, port = 0, slices = 0;
    double memory_bytes = 0, host_bytes = 0;
    std::array<Ticks, unit_count> units{};
    Busy& operator+=(const Busy&);
  };
  struct Warp {
    const Body* body = nullptr;
    uint32_t function = 0, instruction = 0, end = 0;
    std::vector<Ticks> registers;  // when each can be read, of the function it is in
    observe::Mask lanes = 0;       // that came to the last visit
    bool parted = false, has_ended = false, has_read = false;
    Ticks now = 0;      // when it can issue
    Ticks settled = 0;  // the last look at the clock, or barrier
    Ticks read = 0;     // what that look showed
    Busy busy;          // since then
    Busy before;        // from the last barrier up to then
    Ticks began = 0;    // when it went on behind that barrier
    std::size_t barriers = 0;
  };
  void walk(Warp&, uint32_t until);
  // A barrier is in front of the warp, within what it has been told of.
  bool walk_to_barrier(Warp&);
  void step(Warp&, const Event*, const Part*);
  void pass_barrier(Warp&);
  void settle(Warp&);
  // The time that the busiest part of the machine needs, whose parts for schedulers, a multiprocessor and the
  // device have so many that are as busy.
  Ticks needed(const Busy&, double scheduler, double multiprocessor, double device) const;
  bool is_at(const Warp&, observe::Place) const;
  Ticks done(Busy&, const Operation&, const Event&, const Part* parts, Ticks start);
  Ticks done_in_memory(Busy&, const Operation&, const Event&, const Part* parts, uint32_t times, Ticks start);
  Ticks past_l1(Busy&, Ticks start, uint64_t line, Sectors asked);
  Ticks from_memory(Busy&, uint32_t sectors, bool of_host) const;

  const Machine& m_;
  const Program& program_;
  const Company company_;
  SharedCaches& caches_;
  Cache l1_, textures_, constants_;
  std::vector<Warp> warps_;
  std::vector<Ticks> releases_;  // of the block's barriers, one behind another
};

}  // namespace heddle::timing
