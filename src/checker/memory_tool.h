// memcheck, initcheck and leakcheck of a process.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/kernel_filter.h"
#include "checker/memory_map.h"
#include "checker/message.h"
#include "checker/settings.h"
#include "checker/stream_memory.h"
#include "runtime/heap_watcher.h"
#include "runtime/watcher.h"
#include "runtime/work_watcher.h"

namespace heddle::checker {

class MemoryTool final : public runtime::Watcher, public runtime::WorkWatcher, public runtime::HeapWatcher {
 public:
  MemoryTool(const Settings& settings, std::shared_ptr<Reporter> reporter,
             std::shared_ptr<StreamMemory> stream_memory);
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;
  void copied(const runtime::CopyFacts&) override;
  void worked(const runtime::WorkFacts&) override;
  void allocated(const runtime::Allocation&) override;
  void released(const runtime::Allocation&) override;
  void heap_allocated(uint64_t address, uint64_t bytes) override;
  void heap_released(uint64_t address) override;
  void launch_buffer_given(uint64_t, uint64_t) override {}
  bool wants_host_stacks() const override { return true; }
  void tell_leaks() const;

 private:
  class Watch;
  void close_windows();  // of all launches that run
  std::optional<uint64_t> never_written(uint64_t address, uint64_t bytes) const;
  void copies_unwritten(const runtime::CopyFacts& facts);
  void fault(const runtime::LaunchEnd& end, const std::vector<const void*>& stack);
  std::string neighbour(uint64_t address, const char* verb, const char* what, bool freed = false) const;

  const Settings settings_;
  KernelFilter filter_{settings_};
  const std::shared_ptr<Reporter> reporter_;
  const std::shared_ptr<StreamMemory> stream_memory_;  // nullptr: nobody asks
  MemoryAreas areas_;
  MemoryAreas pieces_;  // of areas that are divided: what malloc gave in kernels
  std::mutex running_mutex_;
  std::set<Watch*> running_;
};

}  // namespace heddle::checker
