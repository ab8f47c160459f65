// What reduce() and the scans combine with.
#ifndef HEDDLE_CG_OPERATORS_H
#define HEDDLE_CG_OPERATORS_H

namespace cooperative_groups {
namespace __v1 {

#define HEDDLE_CG_OPERATOR_(name, expression)                                      \
  template <class T>                                                               \
  struct name {                                                                    \
    __device__ __forceinline__ T operator()(T a, T b) const { return expression; } \
  };
HEDDLE_CG_OPERATOR_(plus, a + b)
HEDDLE_CG_OPERATOR_(less, b < a ? b : a)
HEDDLE_CG_OPERATOR_(greater, a < b ? b : a)
HEDDLE_CG_OPERATOR_(bit_and, a& b)
HEDDLE_CG_OPERATOR_(bit_xor, a ^ b)
HEDDLE_CG_OPERATOR_(bit_or, a | b)
#undef HEDDLE_CG_OPERATOR_

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
