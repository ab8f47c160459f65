#include "checker/time_limit.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "checker/place_text.h"
#include "runtime/module.h"

namespace heddle::checker {

class TimeLimit::Watch final : public runtime::LaunchWatch {
 public:
  Watch(TimeLimit& limit, std::string kernel, std::vector<const void*> stack)
      : limit_(limit), kernel_(std::move(kernel)), stack_(std::move(stack)) {}
  ~Watch() override {
    const std::lock_guard lock(limit_.mutex_);
    --limit_.kernels_[kernel_].running;
  }
  // The device's own limit (HEDDLE_KERNEL_TIMEOUT).
  void ended(const runtime::LaunchEnd& end) override {
    if (end.failure == nullptr || end.failure->fault == nullptr) return;
    const exec::Fault& f = *end.failure->fault;
    if (f.kind != exec::FaultKind::timeout || !limit_.reporter_->wants_error()) return;
    std::string at = function_text(f.function.empty() ? f.kernel : f.function);
    if (f.instruction != module::none) at += "+" + hex(uint64_t{f.instruction} * 16);
    if (!f.file.empty()) at += " in " + f.file.substr(f.file.rfind('/') + 1) + ":" + std::to_string(f.line);
    limit_.reporter_->tell(MessageKind::error, "Time limit exceeded by a kernel.\n    at " + at +
                                                   "\n    by thread " +
                                                   triple({f.thread.x, f.thread.y, f.thread.z}) +
                                                   " in block " + triple({f.block.x, f.block.y, f.block.z}) +
                                                   host_frames(stack_, "at kernel launch time"));
  }

 private:
  TimeLimit& limit_;
  const std::string kernel_;
  const std::vector<const void*> stack_;
};

void TimeLimit::start() {
  std::thread([self = shared_from_this()] {
    std::this_thread::sleep_for(std::chrono::seconds(self->seconds_ - 1));
    self->last_second();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    self->over();
  }).detach();
}

std::unique_ptr<runtime::LaunchWatch> TimeLimit::launch(const runtime::LaunchFacts& facts) {
  const std::string& name = facts.kernel.function().name;
  std::vector<const void*> stack;
  if (facts.submission != nullptr) stack = facts.submission->stack;
  const std::lock_guard lock(mutex_);
  Kernel& kernel = kernels_[name];
  ++kernel.launches;
  ++kernel.running;
  kernel.stack = stack;
  return std::make_unique<Watch>(*this, name, std::move(stack));
}

void TimeLimit::last_second() {
  const std::lock_guard lock(mutex_);
  for (auto& [name, kernel] : kernels_) kernel.before = kernel.launches;
}

void TimeLimit::over() {
  std::vector<std::pair<std::string, Kernel>> busy;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, kernel] : kernels_)
      if (kernel.launches != kernel.before || kernel.running != 0) busy.emplace_back(name, kernel);
  }
  std::ranges::sort(busy, std::ranges::greater{},
                    [](const auto& one) { return one.second.launches - one.second.before; });
  constexpr std::size_t most = 4;
  if (busy.size() > most) busy.resize(most);
  std::string text =
      "Time limit exceeded: the program has not ended after " + std::to_string(seconds_) + " s.";
  if (busy.empty()) text += "\n    no kernel has run in the last second";
  for (const auto& [name, kernel] : busy) {
    text += "\n    " + function_text(name) + " was launched " + with_commas(kernel.launches) + " times, " +
            with_commas(kernel.launches - kernel.before) + " of them in the last second";
    if (kernel.running != 0) text += ", and runs";
    text += host_frames(kernel.stack, "at kernel launch time");
  }
  reporter_->flush();
  reporter_->tell(MessageKind::time_limit, text);
}

}  // namespace heddle::checker
