// The observer that counts one launch: what spec/metrics/counters.toml names, for each instruction.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "arch/device.h"
#include "module/image.h"
#include "observe/repeats.h"
#include "profiler/habits.h"
#include "profiler/joined_accesses.h"
#include "profiler/profile.h"

namespace heddle::profiler {

class Tally final : public observe::RepeatObserver {
 public:
  // Image and architecture must outlive it. Without accesses only instructions are counted, which costs less.
  Tally(const module::Image& image, const arch::Architecture& arch, bool accesses);
  ~Tally() override;
  observe::Needs needs() const override {
    return static_cast<observe::Needs>(observe::counts | (accesses_ ? observe::accesses : observe::nothing));
  }
  observe::RepeatSink& sink() override;

  // When the launch has ended: calls f for each instruction that was reached, with what it did.
  void each(const std::function<void(observe::Place, const Counts&)>& f) const;

 private:
  class Part;
  const JoinedAccesses& joined(uint32_t function);  // any thread
  void each_of(uint32_t function, const std::function<void(observe::Place, const Counts&)>& f) const;
  const module::Image& image_;
  const arch::Architecture& arch_;
  const bool accesses_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<std::unique_ptr<JoinedAccesses>> joined_;  // by function, of those that access shared memory
};

}  // namespace heddle::profiler
