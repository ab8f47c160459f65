// The clocks that the kernel of a launch reads, by the device's time (timing/block_clock.h). One thread runs
// such a launch, its blocks in order, so that they read the same in every run.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "exec/launch.h"
#include "observe/texels.h"
#include "observe/time.h"
#include "timing/block_clock.h"
#include "timing/events.h"

namespace heddle::clock {

class LaunchClock final : public observe::TimeObserver,
                          public observe::Sink,
                          public observe::TexelSink,
                          public observe::TimeSink {
 public:
  // `machine`, and the image of the launch, stay. The launch begins `began` nanoseconds of the device's time
  // after its start, when %globaltimer showed `epoch`.
  LaunchClock(const timing::Machine& machine, const exec::Launch& launch, uint32_t resident,
              uint64_t l1_bytes, timing::FindPiece find, int64_t began, uint64_t epoch);

  observe::Needs needs() const override {
    return static_cast<observe::Needs>(observe::accesses | observe::visits | observe::syncs |
                                       observe::in_order);
  }
  observe::Sink& sink() override { return *this; }

  void visit(const observe::Visit&) override;
  void access(const observe::Access&) override;
  void look(const observe::Look&) override;
  void sync(const observe::Sync&) override;
  observe::Time time(const observe::TimeAsked&) override;

 private:
  struct Block {
    uint64_t number = 0;
    timing::BlockClock clock;
    std::vector<observe::Mask> alive;  // lanes of each warp
    uint32_t warps = 0;                // that have not ended
  };
  Block& block_at(const std::array<uint32_t, 3>& index);
  timing::Ticks start_of(uint64_t block) const;

  const timing::Machine& machine_;
  const exec::LaunchShape shape_;
  const timing::Program program_;
  const timing::Company company_;
  const uint64_t l1_bytes_, at_once_;  // blocks on the device
  const timing::FindPiece find_;
  const int64_t began_;
  const uint64_t epoch_;
  timing::EventMaker maker_;
  timing::SharedCaches caches_;
  std::vector<timing::Part> parts_;
  std::unordered_map<uint64_t, std::unique_ptr<Block>> blocks_;  // that run: by their number
  Block* last_ = nullptr;                                        // that was told of
  std::array<uint32_t, 3> last_index_{};
  std::unordered_map<uint64_t, timing::Ticks> ended_;  // by place on the device: when its last block ended
  timing::Ticks sum_ = 0;                              // of the durations of all that ended
  uint64_t count_ = 0;
};

}  // namespace heddle::clock
