// What warps wait for, instruction by instruction, by the names of NVIDIA's profilers. The model has no
// fetching of instructions, no fences, and nothing that waits for stores at a warp's end: those reasons it
// never has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "timing/machine.h"

namespace heddle::timing {

enum class Stall : uint8_t {
  selected,          // nothing: it issues
  wait,              // a result of arithmetic, or the time that an instruction takes to issue
  long_scoreboard,   // data of global and local memory and of textures
  short_scoreboard,  // data of shared memory and constants, results of the function unit, of other lanes
  barrier,           // other warps of the block
  math_pipe_throttle,
  mio_throttle,  // shared memory or the function unit is busy
  lg_throttle,   // global and local memory's way out of the multiprocessor is
  tex_throttle,  // the texture units are
  not_selected,  // the scheduler issues of another warp
  branch_resolving,
  sleeping,
};
inline constexpr std::size_t stall_count = 12;
using StallTimes = std::array<Ticks, stall_count>;

// Sums over warps, by function and instruction of the image.
class StallTable {
 public:
  void add(uint32_t function, uint32_t instruction, Stall stall, Ticks ticks) {
    if (function >= functions_.size()) functions_.resize(function + 1);
    auto& code = functions_[function];
    if (instruction >= code.size()) code.resize(instruction + 1);
    code[instruction][static_cast<std::size_t>(stall)] += ticks;
  }
  // Each part of it stands for so many.
  void scale(double factor) {
    for (auto& code : functions_)
      for (StallTimes& times : code)
        for (Ticks& t : times) t = static_cast<Ticks>(static_cast<double>(t) * factor);
  }
  // By function and instruction; as long as it was added to.
  const std::vector<std::vector<StallTimes>>& functions() const { return functions_; }

 private:
  std::vector<std::vector<StallTimes>> functions_;
};

}  // namespace heddle::timing
