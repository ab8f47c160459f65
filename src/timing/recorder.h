// Watches a launch for the virtual clock: the first blocks one by one, all of them by counts.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "exec/launch.h"
#include "timing/events.h"
#include "timing/issued.h"
#include "timing/machine.h"
#include "timing/trace.h"

namespace heddle::timing {

class Recorder final : public observe::Observer {
 public:
  // `resident`: blocks of the kernel that share a multiprocessor. Without `find` all memory is the device's.
  // `program`: of the kernel, which tells what a visit costs the model.
  Recorder(const Machine& machine, const IssuedProgram& program, const exec::LaunchShape& shape,
           uint32_t resident, FindPiece find = {});
  ~Recorder() override;

  observe::Needs needs() const override {
    return static_cast<observe::Needs>(observe::counts | observe::accesses | observe::visits);
  }
  observe::Sink& sink() override;

  // Once the launch has ended:
  // The first blocks of the grid that count, and of each of their warps so many events. More are recorded:
  // how many depends on the host's threads.
  std::span<const BlockTrace> blocks() const { return {blocks_.data(), extent().blocks}; }
  std::size_t events_per_warp() const { return extent().events_per_warp; }
  const std::map<observe::Place, observe::Count>& counts() const { return counts_; }

 private:
  class Blocks;
  struct Extent {
    std::size_t blocks = 0, events_per_warp = 0;
  };
  Extent extent() const;
  void record(const Extent&);

  const Machine& machine_;
  const IssuedProgram& program_;
  const exec::LaunchShape shape_;
  const FindPiece find_;
  // Of the grid's first block, which stands for all where it matters how long a launch is.
  std::atomic<uint64_t> events_of_first_{0}, work_of_first_{0};
  std::atomic<std::size_t> most_blocks_{0}, room_{0};  // that are recorded; of a warp, for events
  std::vector<BlockTrace> blocks_;
  std::size_t least_blocks_ = 0;  // that count
  std::map<observe::Place, observe::Count> counts_;
  std::vector<std::unique_ptr<Blocks>> sinks_;
  std::mutex mutex_;
};

}  // namespace heddle::timing
