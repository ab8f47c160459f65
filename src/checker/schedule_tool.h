// Whether what kernels leave behind depends on the order in which their blocks and warps run: each launch is
// run in other orders that CUDA allows before it runs for the program, and the memory that it may write is
// put back in between. With a seed and no orders to try, kernels run in that order themselves.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "analysis/written_memory.h"
#include "checker/kernel_filter.h"
#include "checker/launch_memory.h"
#include "checker/order_reports.h"
#include "checker/reachable_memory.h"
#include "checker/settings.h"
#include "observe/schedule.h"
#include "runtime/watcher.h"

namespace heddle::checker {

class ScheduleTool final : public runtime::Watcher {
 public:
  ScheduleTool(const Settings& settings, std::shared_ptr<OrderReports> reports,
               std::shared_ptr<ReachableMemory> memory);
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;
  void allocated(const runtime::Allocation& allocation) override { memory_->allocated(allocation); }
  void released(const runtime::Allocation& allocation) override { memory_->released(allocation); }
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
    bool interleaves = true;  // false: that takes too long
    bool repeats = true;      // one order leaves the same behind each time, as far as was seen
  };

  void explore(const runtime::LaunchFacts& facts);
  KernelFacts& facts_of(const exec::Launch& launch);

  const Settings settings_;
  KernelFilter filter_{settings_};
  const std::shared_ptr<OrderReports> reports_;
  const std::shared_ptr<ReachableMemory> memory_;
  std::mutex mutex_;
  // By a launch that nothing else runs beside:
  std::map<std::pair<const module::Image*, uint32_t>, KernelFacts> kernels_;
};

}  // namespace heddle::checker
