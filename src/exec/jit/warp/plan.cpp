#include "exec/jit/warp/plan.h"

namespace heddle::exec::jit {

Plan choose_plan(const ThreadProgram&, const Shape&, VectorLevel level, Tier) {
  const unsigned lanes = level == VectorLevel::avx512 ? 16 : level == VectorLevel::avx2 ? 8 : 4;
  return {lanes, 32 / lanes, false};
}

}  // namespace heddle::exec::jit
