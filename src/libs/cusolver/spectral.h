// What functions of eigenvalues and singular values have in common.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libs/cusolver/dense.h"

namespace heddle::cusolver::spectral {

inline int room(int64_t m, int64_t n) {
  return static_cast<int>(std::clamp<int64_t>(64 * (m + n), 1, INT32_MAX));
}

inline int kind_of(cusolverEigType_t type) {
  require(type >= CUSOLVER_EIG_TYPE_1 && type <= CUSOLVER_EIG_TYPE_3, "itype is none of 1, 2, 3");
  return type;
}

}  // namespace heddle::cusolver::spectral
