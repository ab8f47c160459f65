// fpcheck of a process: where NaNs, infinities, divisions by zero, subnormal numbers and cancellations come
// to be, and what becomes of them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "checker/float_events.h"
#include "checker/kernel_filter.h"
#include "checker/message.h"
#include "checker/settings.h"
#include "runtime/watcher.h"

namespace heddle::checker {

class FloatTool final : public runtime::Watcher {
 public:
  FloatTool(const Settings& settings, std::shared_ptr<Reporter> reporter)
      : settings_(settings), reporter_(std::move(reporter)) {}
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;
  bool wants_host_stacks() const override { return true; }
  // What has become more since it was told.
  void tell();

 private:
  class Watch;
  struct Shape {
    exec::Dim3 block;
    std::vector<const void*> stack;  // of the host
  };
  struct OfImage {
    std::shared_ptr<const module::Image> image;
    std::map<observe::Place, FloatEvents> events;
  };
  struct Told {
    uint32_t number = 0;
    uint64_t count = 0;
  };
  struct Group;

  void ended(const std::shared_ptr<const module::Image>& image, std::map<observe::Place, FloatEvents> events,
             uint64_t launch, Shape shape);
  void tell(const OfImage& of, bool all);
  void tell(const OfImage& of, const Group& group, Told& told);

  const Settings settings_;
  KernelFilter filter_{settings_};
  const std::shared_ptr<Reporter> reporter_;
  std::mutex mutex_;
  std::map<const module::Image*, OfImage> images_;
  std::map<uint64_t, Shape> launches_;  // in which something was first
  std::map<std::string, Told> told_;    // by kind and line
};

}  // namespace heddle::checker
