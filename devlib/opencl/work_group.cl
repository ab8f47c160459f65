// OpenCL C 3.0, 6.15.16: work-group functions, by sub-groups first and shared memory then.
#include "opencl.h"

#define EFFECT __attribute__((overloadable, always_inline, convergent))

API uint get_sub_group_size(void);
API uint get_sub_group_local_id(void);
API uint get_sub_group_id(void);
API uint get_num_sub_groups(void);
API size_t get_local_id(uint);

// 33 numbers: one for each warp of a group, and one for all. The frontend makes it.
PURE local ulong* __heddle_group_scratch(void);

// Between two uses of the scratch: all have read before one writes.
INLINE __attribute__((convergent)) void meet(void) { __syncthreads(); }

EFFECT int work_group_all(int x) { return __nvvm_bar0_and(x != 0) != 0; }
EFFECT int work_group_any(int x) { return __nvvm_bar0_or(x != 0) != 0; }

#define BROADCAST(T)                                                                     \
  INLINE __attribute__((overloadable, convergent)) T give(T x, int mine) {               \
    local T* place = (local T*)(__heddle_group_scratch() + 32);                              \
    if (mine) *place = x;                                                                \
    meet();                                                                              \
    T all = *place;                                                                      \
    meet();                                                                              \
    return all;                                                                          \
  }                                                                                      \
  EFFECT T work_group_broadcast(T a, size_t x) { return give(a, get_local_id(0) == x); } \
  EFFECT T work_group_broadcast(T a, size_t x, size_t y) {                               \
    return give(a, get_local_id(0) == x && get_local_id(1) == y);                        \
  }                                                                                      \
  EFFECT T work_group_broadcast(T a, size_t x, size_t y, size_t z) {                     \
    return give(a, get_local_id(0) == x && get_local_id(1) == y && get_local_id(2) == z); \
  }
BROADCAST(int)
BROADCAST(uint)
BROADCAST(long)
BROADCAST(ulong)
BROADCAST(half)
BROADCAST(float)
BROADCAST(double)

#define OP_add(a, b) ((a) + (b))
#define OP_min(a, b) ((b) < (a) ? (b) : (a))
#define OP_max(a, b) ((b) > (a) ? (b) : (a))

#define COLLECTIVE(T, op, neutral)                                                    \
  EFFECT T sub_group_scan_inclusive_##op(T);                                          \
  EFFECT T sub_group_scan_exclusive_##op(T);                                          \
  INLINE __attribute__((overloadable, convergent)) T before_##op(T x, T* all) {       \
    local T* sums = (local T*)__heddle_group_scratch();                                 \
    uint me = get_sub_group_id();                                                     \
    T upto = sub_group_scan_inclusive_##op(x);                                        \
    if (get_sub_group_local_id() == get_sub_group_size() - 1) sums[me] = upto;        \
    meet();                                                                           \
    T before = (T)(neutral), total = (T)(neutral);                                    \
    for (uint i = 0; i < get_num_sub_groups(); ++i) {                                 \
      if (i == me) before = total;                                                    \
      total = (T)OP_##op(total, sums[i]);                                             \
    }                                                                                 \
    meet();                                                                           \
    *all = total;                                                                     \
    return before;                                                                    \
  }                                                                                   \
  EFFECT T work_group_reduce_##op(T x) {                                              \
    T all;                                                                            \
    before_##op(x, &all);                                                             \
    return all;                                                                       \
  }                                                                                   \
  EFFECT T work_group_scan_inclusive_##op(T x) {                                      \
    T all, before = before_##op(x, &all), here = sub_group_scan_inclusive_##op(x); \
    return (T)OP_##op(before, here); \
  }                                                                                   \
  EFFECT T work_group_scan_exclusive_##op(T x) {                                      \
    T all, before = before_##op(x, &all), here = sub_group_scan_exclusive_##op(x); \
    return (T)OP_##op(before, here); \
  }
#define NUMBERS(T, least, most) COLLECTIVE(T, add, 0) COLLECTIVE(T, min, most) COLLECTIVE(T, max, least)
NUMBERS(int, INT_MIN, INT_MAX)
NUMBERS(uint, 0, UINT_MAX)
NUMBERS(long, LONG_MIN, LONG_MAX)
NUMBERS(ulong, 0, ULONG_MAX)
NUMBERS(half, -INFINITY, INFINITY)
NUMBERS(float, -INFINITY, INFINITY)
NUMBERS(double, -INFINITY, INFINITY)
