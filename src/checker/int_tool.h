// intcheck of a process: sums, differences and products of signed integers that do not fit, where somebody
// takes the result as a number.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "checker/kernel_filter.h"
#include "checker/message.h"
#include "checker/settings.h"
#include "checker/wrap_flow.h"
#include "runtime/watcher.h"

namespace heddle::checker {

class IntTool final : public runtime::Watcher {
 public:
  IntTool(const Settings& settings, std::shared_ptr<Reporter> reporter)
      : settings_(settings), reporter_(std::move(reporter)) {}
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;
  bool wants_host_stacks() const override { return true; }

 private:
  class Watch;
  void tell(const module::Image& image, observe::Place place, const WrapEvents& events,
            const exec::Dim3& block, const std::vector<const void*>& stack);

  const Settings settings_;
  KernelFilter filter_{settings_};
  const std::shared_ptr<Reporter> reporter_;
  std::mutex mutex_;
  std::set<std::string> told_;  // lines
};

}  // namespace heddle::checker
