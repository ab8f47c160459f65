// Whether what kernels leave behind depends on the order in which their blocks and warps run: each launch is
// run in other orders that CUDA allows before it runs for the program, and the memory that it may write is
// put back in between. With a seed and no orders to try, kernels run in that order themselves.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/written_memory.h"
#include "checker/kernel_filter.h"
#include "checker/launch_memory.h"
#include "checker/message.h"
#include "checker/settings.h"
#include "observe/schedule.h"
#include "runtime/watcher.h"

namespace heddle::checker {

class ScheduleTool final : public runtime::Watcher {
 public:
  ScheduleTool(const Settings& settings, std::shared_ptr<Reporter> reporter);
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;
  void allocated(const runtime::Allocation&) override;
  void released(const runtime::Allocation&) override;
  bool wants_host_stacks() const override { return true; }
  // How many launches were not looked at, and why.
  void tell_rest();

 private:
  class Exploration;
  struct KernelFacts {
    std::shared_ptr<const module::Image> image;
    analysis::WrittenMemory written;
    bool waits = false;       // a block of it may wait for others
    bool launches = false;    // it launches others
    int64_t spent = 0;        // nanoseconds
    uint64_t left_out = 0;    // launches that there was no time for
    bool interleaves = true;  // that takes too long
  };
  struct Told {
    uint32_t number = 0;
    uint64_t launches = 0;
    std::string text, detail, record;
    bool warning = false;
  };

  void explore(const runtime::LaunchFacts& facts);
  KernelFacts& facts_of(const exec::Launch& launch);
  std::vector<MemoryPart> memory_of(const runtime::LaunchFacts& facts, const KernelFacts& kernel);
  std::vector<LaunchMemory::Heap> heaps();
  void notice(const std::string& key, const std::string& text);
  void tell(const std::string& key, Told told);

  const Settings settings_;
  KernelFilter filter_{settings_};
  const std::shared_ptr<Reporter> reporter_;
  std::mutex mutex_;
  std::map<uint64_t, runtime::Allocation> allocations_;  // by address
  // By a launch that nothing else runs beside:
  std::map<std::pair<const module::Image*, uint32_t>, KernelFacts> kernels_;
  std::map<std::string, Told> told_;
  std::set<std::string> notices_;
};

}  // namespace heddle::checker
