// Whether code asks an observer for the time (observe/time.h): a bit of Observed beyond those of values.
#pragma once

#include "exec/jit/abi/observed.h"

namespace heddle::exec::jit {

inline constexpr Observed asks_time = 1U << 15;
inline constexpr Observed without_time(Observed observed) {
  return observed & static_cast<Observed>(~asks_time);
}

}  // namespace heddle::exec::jit
