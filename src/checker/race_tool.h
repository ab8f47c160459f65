// racecheck of a process: which launches may run at once, and what is said of the races found.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/kernel_filter.h"
#include "checker/message.h"
#include "checker/race_detector.h"
#include "checker/settings.h"
#include "runtime/watcher.h"

namespace heddle::checker {

class RaceTool final : public runtime::Watcher {
 public:
  RaceTool(const Settings& settings, std::shared_ptr<Reporter> reporter);
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;
  void allocated(const runtime::Allocation&) override;
  void submitted(const runtime::Submission&, const runtime::Context&) override;
  bool wants_host_stacks() const override { return settings_.hazards; }

 private:
  class Watch;
  // What a task comes after, as the newest task of each stream.
  using Before = std::unordered_map<uint64_t, uint64_t>;
  struct Launched {
    uint32_t races = 0;  // LaunchRaces::number
    uint64_t submission = 0, stream = 0;
    uint64_t newest_at_end = 0;  // submission; 0: it runs
  };
  struct LaunchText {
    exec::Dim3 block;
    std::vector<const void*> stack;
  };
  std::vector<uint32_t> unordered(const runtime::Submission* submission);
  void ended(uint32_t races);
  void tell();
  void tell_hazard(const Race& race, const Places& places);

  const Settings settings_;
  KernelFilter filter_{settings_};
  const std::shared_ptr<Reporter> reporter_;
  RaceDetector detector_;
  std::mutex mutex_;
  std::unordered_map<uint64_t, Before> before_;
  std::deque<uint64_t> kept_;  // in before_, oldest first
  std::vector<Launched> launched_;
  uint64_t newest_ = 0;                                        // submission
  uint64_t hazards_told_ = 0;                                  // one by one
  uint64_t errors_ = 0, warnings_ = 0;                         // hazards behind those
  std::map<uint64_t, LaunchText> texts_;                       // by grid id, for hazards
  std::map<std::string, std::pair<uint32_t, uint64_t>> told_;  // by text: number, hazards
};

}  // namespace heddle::checker
