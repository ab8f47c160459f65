// racecheck of a process: which launches may run at once, and what is said of the races found.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/own_places.h"
#include "analysis/quiet_stretches.h"
#include "analysis/written_memory.h"
#include "checker/kernel_filter.h"
#include "checker/memory_map.h"
#include "checker/message.h"
#include "checker/race_detector.h"
#include "checker/settings.h"
#include "checker/work_order.h"
#include "runtime/family_watcher.h"
#include "runtime/heap_watcher.h"
#include "runtime/wait_watcher.h"

namespace heddle::checker {

class RaceTool final : public runtime::WaitWatcher,
                       public runtime::HeapWatcher,
                       public runtime::FamilyWatcher {
 public:
  RaceTool(const Settings& settings, std::shared_ptr<Reporter> reporter);
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;
  void copied(const runtime::CopyFacts&) override;
  void allocated(const runtime::Allocation&) override;
  void released(const runtime::Allocation&) override;
  // Whoever has such memory next comes behind those who had it before.
  void heap_allocated(uint64_t address, uint64_t bytes) override { detector_.forget(address, bytes); }
  void heap_released(uint64_t) override {}
  void launch_buffer_given(uint64_t address, uint64_t bytes) override { detector_.forget(address, bytes); }
  void launched(const runtime::ThreadOfGrid& by, uint64_t number, bool tail) override;
  void waits(const runtime::ThreadOfGrid&) override { detector_.let_go(); }
  void waited(const runtime::ThreadOfGrid& who) override;
  void stream_made(const runtime::Stream&) override;
  void stream_ended(const runtime::Stream&) override;
  void submitted(const runtime::Submission&, const runtime::Context&) override;
  void host_waited(std::span<const uint64_t> submissions) override;
  bool wants_host_stacks() const override { return true; }

 private:
  class Watch;
  std::unique_lock<std::mutex> locked();
  struct Launched {
    uint32_t races = 0;  // LaunchRaces::number
    WorkOrder::Work work;
    uint64_t newest_at_end = 0;  // submission; 0: it runs
    bool keeps_reads = true;     // else of the memory that it writes only
    bool keeps_writes = true;    // else of none
  };
  struct Copied {
    uint32_t number = 0;  // of RaceDetector::copied
    WorkOrder::Work work;
    uint64_t newest_at_end = 0;
  };
  struct LaunchText {
    exec::Dim3 block;
    std::vector<const void*> stack;
  };
  // Those of `all` that nothing orders with that work.
  template <class T>
  std::vector<uint32_t> unordered(const std::vector<T>& all, const runtime::Submission* submission,
                                  uint32_t T::* number) const;
  const analysis::QuietStretches& quiet_stretches(const exec::Launch& launch);
  bool nothing_else_runs(const runtime::LaunchFacts& facts) const;
  std::optional<OwnWrites> own_writes(const runtime::LaunchFacts& facts);
  analysis::OwnPlaces own_places(const runtime::LaunchFacts& facts);
  void retire();
  struct SideText {
    std::string text, key;  // equal keys: one line, or one call
  };
  SideText side_text(const RaceSide& side, const Places& places) const;
  void tell_unkept(const std::vector<uint32_t>& launches);
  LaunchRaces* running(uint64_t grid_id) const;
  void forget(LaunchRaces& races);
  void ended(uint32_t races);
  void failed(const std::string& why);
  void tell();
  void tell_hazard(const Race& race, const Places& places);

  const Settings settings_;
  KernelFilter filter_{settings_};
  const std::shared_ptr<Reporter> reporter_;
  RaceDetector detector_;
  MemoryAreas areas_;
  std::mutex mutex_;
  using KernelKey = std::pair<const module::Image*, uint32_t>;
  std::map<KernelKey, analysis::WrittenMemory> written_;  // images stay
  std::map<KernelKey, analysis::QuietStretches> quiet_;   // likewise
  std::vector<std::shared_ptr<const module::Image>> images_;
  std::set<LaunchRaces*> running_;
  std::map<uint64_t, Ancestors> asked_;  // launches in device code that have not begun, by their numbers
  std::set<uint64_t> streams_;           // that something was asked of
  std::set<uint64_t> made_streams_;      // by the program, and not destroyed
  std::map<KernelKey, uint32_t> met_;    // launches whose threads were not known to keep to themselves
  WorkOrder order_;
  std::vector<Launched> launched_;  // that something may still meet
  std::vector<Copied> copied_;
  uint64_t reports_told_ = 0, left_out_told_ = 0;              // RaceDetector::reports, left_out
  uint64_t hazards_told_ = 0;                                  // one by one
  uint64_t errors_ = 0, warnings_ = 0;                         // hazards behind those
  std::map<uint64_t, LaunchText> texts_;                       // by grid id, for hazards
  std::map<std::string, std::pair<uint32_t, uint64_t>> told_;  // by text: number, hazards
};

}  // namespace heddle::checker
