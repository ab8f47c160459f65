// synccheck of a process: barriers that threads cannot all reach, and masks that do not have who calls.
#pragma once

#include <memory>

#include "checker/kernel_filter.h"
#include "checker/message.h"
#include "checker/settings.h"
#include "runtime/watcher.h"

namespace heddle::checker {

class SyncTool final : public runtime::Watcher {
 public:
  SyncTool(const Settings& settings, std::shared_ptr<Reporter> reporter)
      : settings_(settings), reporter_(std::move(reporter)) {}
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;
  bool wants_host_stacks() const override { return true; }

 private:
  class Watch;
  const Settings settings_;
  KernelFilter filter_{settings_};
  const std::shared_ptr<Reporter> reporter_;
};

}  // namespace heddle::checker
