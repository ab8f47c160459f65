// What the guides' chapters about instructions advise against, as it stands in PTX: which instructions of a
// function are such (spec/metrics/counters.toml, the counters `slow_*`). What it costs is how often threads
// come there, which the tally knows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "module/image.h"
#include "profiler/counters.gen.h"

namespace heddle::profiler {

class Habits {
 public:
  Habits() = default;
  Habits(const module::Image& image, const module::Function& function);
  // The counter that each thread which comes to this instruction adds to.
  std::optional<Counter> of(uint32_t instruction) const {
    if (instruction >= numbers_.size() || numbers_[instruction] == 0) return std::nullopt;
    return static_cast<Counter>(numbers_[instruction] - 1);
  }

 private:
  std::vector<uint16_t> numbers_;  // by instruction, the counter's number and one; empty: there are none
};

}  // namespace heddle::profiler
