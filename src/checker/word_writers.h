// Who wrote some words of memory last, in one run of a launch, or of several and copies, in a given order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "module/image.h"
#include "observe/schedule.h"

namespace heddle::checker {

struct WordWriter {
  const module::Image* image = nullptr;  // nullptr: no kernel, and nothing of place, block and thread
  uint32_t work = 0;                     // the how manieth of the run
  observe::Place place;
  std::array<uint32_t, 3> block{};
  uint32_t thread = 0;  // of the block
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool changes = false;  // an atomic operation
};

class WordWriters final : public observe::ScheduleObserver, private observe::Sink {
 public:
  // `words`: addresses, multiples of 8. `schedule`: nullptr for the executor's own order.
  WordWriters(const observe::Schedule* schedule, const std::vector<uint64_t>& words);
  const observe::Schedule* schedule() const override { return schedule_; }
  observe::Needs needs() const override {
    return static_cast<observe::Needs>(observe::accesses | observe::in_order | observe::spares_shared |
                                       observe::spares_private);
  }
  observe::Sink& sink() override { return *this; }
  // What runs next.
  void begins(uint32_t work, const module::Image& image) { work_ = work, image_ = &image; }
  // A copy or a fill.
  void wrote(uint32_t work, uint64_t address, uint64_t bytes);
  // Who wrote that byte of one of the words; nullptr: nobody that was told of.
  const WordWriter* of(uint64_t byte) const;

 private:
  void access(const observe::Access& access) override;
  const observe::Schedule* const schedule_;
  uint32_t work_ = 0;
  const module::Image* image_ = nullptr;
  uint64_t first_ = ~uint64_t{0}, end_ = 0;
  std::unordered_map<uint64_t, std::array<uint32_t, 8>> by_byte_;  // by word: into writers_, 0: nobody
  std::vector<WordWriter> writers_{1};
};

}  // namespace heddle::checker
