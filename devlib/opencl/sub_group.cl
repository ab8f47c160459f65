// OpenCL C 3.0, 6.15.19, and the cl_khr_subgroup_* extensions: a sub-group is a warp. Functions that all of it
// meet name its work-items; those of which some may stay away take who is there.
#include "opencl.h"

#define EFFECT __attribute__((overloadable, always_inline, convergent))

API uint get_sub_group_size(void);
API uint get_sub_group_local_id(void);
INLINE uint everyone(void) { return 0xffffffffu >> (32 - get_sub_group_size()); }
INLINE __attribute__((convergent)) uint present(void) {
  uint lanes;
  __asm volatile("activemask.b32 %0;" : "=r"(lanes));
  return lanes;
}

// A value of any type, from lane `from`.
#define MOVE_32(T)                                                                                             \
  INLINE __attribute__((overloadable, convergent)) T from_lane(uint mask, T x, uint from) {                    \
    return __builtin_bit_cast(T, __nvvm_shfl_sync_idx_i32(mask, __builtin_bit_cast(int, x), (int)from, 31));   \
  }
#define MOVE_64(T)                                                                                             \
  INLINE __attribute__((overloadable, convergent)) T from_lane(uint mask, T x, uint from) {                    \
    ulong bits = __builtin_bit_cast(ulong, x);                                                                 \
    uint low = (uint)__nvvm_shfl_sync_idx_i32(mask, (int)(uint)bits, (int)from, 31);                           \
    uint high = (uint)__nvvm_shfl_sync_idx_i32(mask, (int)(uint)(bits >> 32), (int)from, 31);                  \
    return __builtin_bit_cast(T, (ulong)low | (ulong)high << 32);                                              \
  }
#define MOVE_SMALL(T, B)                                                                                       \
  INLINE __attribute__((overloadable, convergent)) T from_lane(uint mask, T x, uint from) {                    \
    return __builtin_bit_cast(T, (B)__nvvm_shfl_sync_idx_i32(mask, (int)__builtin_bit_cast(B, x), (int)from, 31)); \
  }
MOVE_SMALL(char, uchar)
MOVE_SMALL(uchar, uchar)
MOVE_SMALL(short, ushort)
MOVE_SMALL(ushort, ushort)
MOVE_SMALL(half, ushort)
MOVE_32(int)
MOVE_32(uint)
MOVE_32(float)
MOVE_64(long)
MOVE_64(ulong)
MOVE_64(double)

// ---- votes
EFFECT int sub_group_all(int x) { return __nvvm_vote_all_sync(everyone(), x != 0); }
EFFECT int sub_group_any(int x) { return __nvvm_vote_any_sync(everyone(), x != 0); }
EFFECT int sub_group_elect(void) { return get_sub_group_local_id() == (uint)__builtin_ctz(present()); }
EFFECT int sub_group_non_uniform_all(int x) { return __nvvm_vote_all_sync(present(), x != 0); }
EFFECT int sub_group_non_uniform_any(int x) { return __nvvm_vote_any_sync(present(), x != 0); }
EFFECT uint4 sub_group_ballot(int x) {
  return (uint4)((uint)__nvvm_vote_ballot_sync(present(), x != 0), 0, 0, 0);
}
EFFECT int sub_group_inverse_ballot(uint4 x) { return x.x >> get_sub_group_local_id() & 1; }
EFFECT int sub_group_ballot_bit_extract(uint4 x, uint i) { return i < 32 ? x.x >> i & 1 : 0; }
EFFECT uint sub_group_ballot_bit_count(uint4 x) { return __builtin_popcount(x.x & everyone()); }
EFFECT uint sub_group_ballot_inclusive_scan(uint4 x) {
  return __builtin_popcount(x.x & ~(0xfffffffeu << get_sub_group_local_id()));
}
EFFECT uint sub_group_ballot_exclusive_scan(uint4 x) {
  return __builtin_popcount(x.x & ~(0xffffffffu << get_sub_group_local_id()));
}
// The conformance tests look at bits of work-items that a smaller last sub-group lacks, too; no ballot sets them.
EFFECT uint sub_group_ballot_find_lsb(uint4 x) { return (uint)__builtin_ctzg(x.x, 32); }
EFFECT uint sub_group_ballot_find_msb(uint4 x) { return 31u - (uint)__builtin_clzg(x.x, 31); }

// ---- values from elsewhere
#define EXCHANGE(T)                                                                                        \
  EFFECT T sub_group_broadcast(T x, uint lane) { return from_lane(everyone(), x, lane); }                  \
  EFFECT T sub_group_non_uniform_broadcast(T x, uint lane) { return from_lane(present(), x, lane); }       \
  EFFECT T sub_group_broadcast_first(T x) {                                                                \
    uint there = present();                                                                                \
    return from_lane(there, x, (uint)__builtin_ctz(there));                                                \
  }                                                                                                        \
  EFFECT int sub_group_non_uniform_all_equal(T x) {                                                        \
    uint there = present();                                                                                \
    T first = from_lane(there, x, (uint)__builtin_ctz(there));                                             \
    return __nvvm_vote_all_sync(there, first == x);                                                        \
  }                                                                                                        \
  EFFECT T sub_group_shuffle(T x, uint lane) { return from_lane(present(), x, lane); }                     \
  EFFECT T sub_group_shuffle_xor(T x, uint mask) {                                                         \
    return from_lane(present(), x, get_sub_group_local_id() ^ mask);                                       \
  }                                                                                                        \
  EFFECT T sub_group_shuffle_up(T x, uint delta) {                                                         \
    return from_lane(present(), x, get_sub_group_local_id() - delta);                                      \
  }                                                                                                        \
  EFFECT T sub_group_shuffle_down(T x, uint delta) {                                                       \
    return from_lane(present(), x, get_sub_group_local_id() + delta);                                      \
  }                                                                                                        \
  EFFECT T sub_group_rotate(T x, int delta) {                                                              \
    uint size = get_sub_group_size();                                                                      \
    return from_lane(everyone(), x, (get_sub_group_local_id() + (uint)delta) % size);                      \
  }                                                                                                        \
  EFFECT T sub_group_clustered_rotate(T x, int delta, uint size) {                                         \
    uint me = get_sub_group_local_id();                                                                    \
    return from_lane(everyone(), x, (me & ~(size - 1)) | ((me + (uint)delta) & (size - 1)));               \
  }
EXCHANGE(char)
EXCHANGE(uchar)
EXCHANGE(short)
EXCHANGE(ushort)
EXCHANGE(int)
EXCHANGE(uint)
EXCHANGE(long)
EXCHANGE(ulong)
EXCHANGE(half)
EXCHANGE(float)
EXCHANGE(double)

// ---- sums and the like
#define OP_add(a, b) ((a) + (b))
#define OP_mul(a, b) ((a) * (b))
#define OP_min(a, b) ((b) < (a) ? (b) : (a))
#define OP_max(a, b) ((b) > (a) ? (b) : (a))
#define OP_and(a, b) ((a) & (b))
#define OP_or(a, b) ((a) | (b))
#define OP_xor(a, b) ((a) ^ (b))
#define OP_logical_and(a, b) ((a) && (b))
#define OP_logical_or(a, b) ((a) || (b))
#define OP_logical_xor(a, b) (!(a) != !(b))

// All meet it: lanes 0 to size - 1 are there.
#define UNIFORM(T, op, neutral)                                                        \
  EFFECT T sub_group_scan_inclusive_##op(T x) {                                        \
    uint me = get_sub_group_local_id(), mask = everyone();                             \
    for (uint step = 1; step < 32; step *= 2) {                                        \
      T other = from_lane(mask, x, me - step);                                         \
      if (me >= step) x = (T)OP_##op(other, x);                                        \
    }                                                                                  \
    return x;                                                                          \
  }                                                                                    \
  EFFECT T sub_group_reduce_##op(T x) {                                                \
    return from_lane(everyone(), sub_group_scan_inclusive_##op(x), get_sub_group_size() - 1); \
  }                                                                                    \
  EFFECT T sub_group_scan_exclusive_##op(T x) {                                        \
    uint me = get_sub_group_local_id();                                                \
    T before = from_lane(everyone(), sub_group_scan_inclusive_##op(x), me - 1);        \
    return me == 0 ? (T)(neutral) : before;                                            \
  }
// Lane by lane, over those of `there` that count.
#define SOME(T, op, neutral)                                                           \
  INLINE __attribute__((overloadable, convergent)) T fold_##op(T x, uint there, uint counts) { \
    T all = (T)(neutral);                                                              \
    for (uint lane = 0; lane < 32; ++lane) {                                           \
      T other = from_lane(there, x, lane);                                             \
      if ((there & counts) >> lane & 1) all = (T)OP_##op(all, other);                  \
    }                                                                                  \
    return all;                                                                        \
  }                                                                                    \
  EFFECT T sub_group_non_uniform_reduce_##op(T x) { return fold_##op(x, present(), 0xffffffffu); } \
  EFFECT T sub_group_non_uniform_scan_inclusive_##op(T x) {                            \
    return fold_##op(x, present(), ~(0xfffffffeu << get_sub_group_local_id()));        \
  }                                                                                    \
  EFFECT T sub_group_non_uniform_scan_exclusive_##op(T x) {                            \
    return fold_##op(x, present(), ~(0xffffffffu << get_sub_group_local_id()));        \
  }                                                                                    \
  EFFECT T sub_group_clustered_reduce_##op(T x, uint size) {                           \
    uint first = get_sub_group_local_id() & ~(size - 1);                               \
    return fold_##op(x, present(), (0xffffffffu >> (32 - size)) << first);             \
  }
#define NUMBERS(M, T, least, most) M(T, add, 0) M(T, min, most) M(T, max, least)
#define EACH_NUMBER(M)                                       \
  NUMBERS(M, int, INT_MIN, INT_MAX) NUMBERS(M, uint, 0, UINT_MAX) NUMBERS(M, long, LONG_MIN, LONG_MAX) \
  NUMBERS(M, ulong, 0, ULONG_MAX) NUMBERS(M, half, -INFINITY, INFINITY)                                \
  NUMBERS(M, float, -INFINITY, INFINITY) NUMBERS(M, double, -INFINITY, INFINITY)                       \
  NUMBERS(M, char, CHAR_MIN, CHAR_MAX) NUMBERS(M, uchar, 0, UCHAR_MAX)                                 \
  NUMBERS(M, short, SHRT_MIN, SHRT_MAX) NUMBERS(M, ushort, 0, USHRT_MAX)
EACH_NUMBER(UNIFORM)
EACH_NUMBER(SOME)
#define BITS(T) SOME(T, and, ~(T)0) SOME(T, or, 0) SOME(T, xor, 0) SOME(T, mul, 1)
BITS(char)
BITS(uchar)
BITS(short)
BITS(ushort)
BITS(int)
BITS(uint)
BITS(long)
BITS(ulong)
SOME(half, mul, 1)
SOME(float, mul, 1)
SOME(double, mul, 1)
SOME(int, logical_and, 1)
SOME(int, logical_or, 0)
SOME(int, logical_xor, 0)
