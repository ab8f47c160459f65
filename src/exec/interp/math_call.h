// Calls of device math functions (math/math.h): arguments and results as the program has them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "exec/interp/step.h"
#include "math/math.h"

namespace heddle::exec::interp {

// Those of one call instruction. A lane's value comes back at once. What goes to memory goes when all lanes
// have computed it: one place after the other, each for all lanes in ascending order, as by an instruction
// of its own.
class MathCalls {
 public:
  explicit MathCalls(Step& step) : step_(step) {}
  void call(const math::Function& function, int lane);
  void store();

 private:
  void show(const math::Function& function, int lane, const uint64_t* results, const uint64_t* sources);
  struct Store {
    int lane;
    uint64_t address, bits;
    uint32_t bytes;
  };
  Step& step_;
  std::array<std::vector<Store>, 2> stores_;  // through the first pointer, and through the second
};

}  // namespace heddle::exec::interp
