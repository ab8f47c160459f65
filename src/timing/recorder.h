// Watches a launch for the virtual clock: the first blocks one by one, all of them by counts.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "exec/launch.h"
#include "timing/events.h"
#include "timing/machine.h"
#include "timing/trace.h"

namespace heddle::timing {

class Recorder final : public observe::Observer {
 public:
  // `resident`: blocks of the kernel that share a multiprocessor. Without `find` all memory is the device's.
  Recorder(const Machine& machine, const exec::LaunchShape& shape, uint32_t resident, FindPiece find = {});
  ~Recorder() override;

  observe::Needs needs() const override {
    return static_cast<observe::Needs>(observe::counts | observe::accesses | observe::visits);
  }
  observe::Sink& sink() override;

  // Once the launch has ended:
  const std::vector<BlockTrace>& blocks() const { return blocks_; }  // the first ones of the grid
  const std::map<observe::Place, observe::Count>& counts() const { return counts_; }

 private:
  class Blocks;
  const Machine& machine_;
  const exec::LaunchShape shape_;
  const FindPiece find_;
  std::size_t events_per_warp_;
  std::vector<BlockTrace> blocks_;
  std::map<observe::Place, observe::Count> counts_;
  std::vector<std::unique_ptr<Blocks>> sinks_;
  std::mutex mutex_;
};

}  // namespace heddle::timing
