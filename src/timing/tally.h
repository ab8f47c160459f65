// Counts what a launch asks of a machine, for an estimate at once (instant.h): how often each run of
// instructions came, and what its accesses need of each part. Of a large grid the accesses of some blocks are
// counted, evenly over the grid, and of warps that make many the first ones: they stand for all.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "exec/launch.h"
#include "timing/events.h"
#include "timing/issued.h"
#include "timing/memory.h"

namespace heddle::timing {

struct Tallied {
  std::map<observe::Place, observe::Count> counts;
  uint64_t shared_passes = 0, lines = 0;  // of the banks; of the L1 cache's requests
  uint64_t constants = 0;                 // words
  uint64_t loaded = 0, hits = 0;          // sectors; those that a block's own loads had brought to L1
  uint64_t stored = 0, partial = 0;       // sectors, and those not stored to whole
  uint64_t changes = 0;                   // atomic operations, one for each lane of a word
  uint64_t hottest = 0;                   // of one sector
  uint64_t host_bytes = 0, looks = 0;     // texels' sectors
  // Different sectors that were read, written: of one in `share` lines, which stand for all.
  uint64_t read = 0, written = 0;

  Tallied& operator+=(const Tallied&);
  void scale(double by);  // all but the counts, and what was read and written
};

class Tally final : public observe::Observer {
 public:
  static constexpr uint64_t share = 16;

  // All stay. `l1_bytes`: of a block.
  Tally(const Machine& machine, const IssuedProgram& program, const exec::LaunchShape& shape,
        uint64_t l1_bytes, FindPiece find = {});
  ~Tally() override;

  observe::Needs needs() const override {
    return static_cast<observe::Needs>(observe::counts | observe::accesses | observe::visits);
  }
  observe::Sink& sink() override;

  Tallied tallied() const;  // once the launch has ended

 private:
  class Thread;
  const Machine& machine_;
  const IssuedProgram& program_;
  const uint64_t l1_bytes_;
  const FindPiece find_;
  const exec::Dim3 grid_;
  const uint64_t stride_;            // of the blocks whose accesses are counted
  const uint64_t accesses_of_warp_;  // that are counted
  std::vector<std::unique_ptr<Thread>> threads_;
  std::mutex mutex_;
};

}  // namespace heddle::timing
