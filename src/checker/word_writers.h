// Who wrote some words of memory last, in one run of a launch in a given order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "observe/schedule.h"

namespace heddle::checker {

struct WordWriter {
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
  // Who wrote that byte of one of the words; nullptr: nobody that was told of.
  const WordWriter* of(uint64_t byte) const;

 private:
  void access(const observe::Access& access) override;
  const observe::Schedule* const schedule_;
  uint64_t first_ = ~uint64_t{0}, end_ = 0;
  std::unordered_map<uint64_t, std::array<uint32_t, 8>> by_byte_;  // by word: into writers_, 0: nobody
  std::vector<WordWriter> writers_{1};
};

}  // namespace heddle::checker
