// A launch as it would be on a device: recorded while it runs, predicted when it has ended.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "clock/launch_clock.h"
#include "clock/programs.h"
#include "runtime/watcher.h"
#include "timing/instant.h"
#include "timing/predict.h"
#include "timing/tally.h"

namespace heddle::clock {

// Simulated from its first waves, or estimated from counts at once.
enum class How : uint8_t { simulated, instant };

class PredictedLaunch {
 public:
  // `machine` and `programs` stay. The launch need not have been made for it.
  PredictedLaunch(const timing::Machine& machine, Programs& programs, const runtime::LaunchFacts& facts,
                  How how = How::simulated);

  // Why the device cannot run it; empty: it can.
  const std::string& obstacle() const { return obstacle_; }
  observe::Observer* observer() {
    if (tally_) return &*tally_;
    return recorder_ ? &*recorder_ : nullptr;
  }
  // The clocks that its kernel reads; nothing where it reads none. Of one without an obstacle that is made
  // for the machine.
  std::unique_ptr<LaunchClock> make_clock(const runtime::LaunchFacts& facts, int64_t began,
                                          uint64_t epoch) const;
  // Once it has ended; of one without an obstacle.
  timing::Prediction predict() const;
  // The same by another machine of the same rules: a part of the model left out. Of a simulated one.
  timing::Prediction predict(const timing::Machine& other) const;
  double share() const { return share_; }  // of the multiprocessors, that its blocks take

 private:
  const timing::Machine& machine_;
  Programs& programs_;
  std::shared_ptr<const module::Image> image_;
  uint32_t entry_;
  uint64_t blocks_ = 0, warps_ = 0, l1_bytes_ = 0;
  uint32_t resident_ = 0;
  double share_ = 1;
  std::string obstacle_;
  std::optional<timing::Recorder> recorder_;
  std::shared_ptr<const timing::IssuedProgram> program_;  // of the tally
  std::optional<timing::Tally> tally_;
};

}  // namespace heddle::clock
