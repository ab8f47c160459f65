// OpenCL C 3.0, 6.15.1: work-item functions. A launch may be a part of the range: what its blocks cannot know comes
// from %envreg (src/frontend/opencl.h, OpenClEnvironment), as differences, which are 0 where a launch is the whole
// range, and begins at its origin. Executors make constants of zeros.
#include "opencl.h"

#define PICK(d, x, y, z, none) ((d) == 0 ? (x) : (d) == 1 ? (y) : (d) == 2 ? (z) : (none))
#define BOTH(low, high) ((ulong)ENVIRONMENT(low) | (ulong)ENVIRONMENT(high) << 32)
#define SREG(name) ((uint)__nvvm_read_ptx_sreg_##name())

API PURE uint get_work_dim(void) { return ENVIRONMENT(27); }
#define GLOBAL_SIZE(c, low, high) ((ulong)SREG(nctaid_##c) * SREG(ntid_##c) + BOTH(low, high))
API PURE size_t get_global_size(uint d) {
  return PICK(d, GLOBAL_SIZE(x, 21, 24), GLOBAL_SIZE(y, 22, 25), GLOBAL_SIZE(z, 23, 26), 1);
}
API PURE size_t get_global_offset(uint d) { return PICK(d, BOTH(15, 18), BOTH(16, 19), BOTH(17, 20), 0); }
API PURE size_t get_num_groups(uint d) {
  return PICK(d, SREG(nctaid_x) + ENVIRONMENT(6), SREG(nctaid_y) + ENVIRONMENT(7), SREG(nctaid_z) + ENVIRONMENT(8), 1);
}
#define ENQUEUED_SIZE(c, more) (SREG(ntid_##c) + ENVIRONMENT(more))
API PURE size_t get_enqueued_local_size(uint d) {
  return PICK(d, ENQUEUED_SIZE(x, 12), ENQUEUED_SIZE(y, 13), ENQUEUED_SIZE(z, 14), 1);
}
API PURE size_t get_local_size(uint d) { return PICK(d, SREG(ntid_x), SREG(ntid_y), SREG(ntid_z), 1); }
API PURE size_t get_local_id(uint d) { return PICK(d, SREG(tid_x), SREG(tid_y), SREG(tid_z), 0); }
API PURE size_t get_group_id(uint d) {
  return PICK(d, (ulong)SREG(ctaid_x) + ENVIRONMENT(28), (ulong)SREG(ctaid_y) + ENVIRONMENT(29),
              (ulong)SREG(ctaid_z) + ENVIRONMENT(30), 0);
}
#define GLOBAL_ID(c, low, high) ((ulong)SREG(ctaid_##c) * SREG(ntid_##c) + SREG(tid_##c) + BOTH(low, high))
API PURE size_t get_global_id(uint d) {
  return PICK(d, GLOBAL_ID(x, 3, 9), GLOBAL_ID(y, 4, 10), GLOBAL_ID(z, 5, 11), 0);
}
API PURE size_t get_global_linear_id(void) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
         z = get_global_id(2) - get_global_offset(2);
  return (z * get_global_size(1) + y) * get_global_size(0) + x;
}
INLINE PURE uint linear(void) {
  return (SREG(tid_z) * SREG(ntid_y) + SREG(tid_y)) * SREG(ntid_x) + SREG(tid_x);
}
API PURE size_t get_local_linear_id(void) { return linear(); }

// 6.15.19: a sub-group is a warp.
INLINE PURE uint group_items(void) { return SREG(ntid_x) * SREG(ntid_y) * SREG(ntid_z); }
API PURE uint get_sub_group_id(void) { return linear() / 32; }
API PURE uint get_sub_group_local_id(void) { return linear() % 32; }
API PURE uint get_max_sub_group_size(void) { return 32; }
API PURE uint get_num_sub_groups(void) { return (group_items() + 31) / 32; }
API PURE uint get_enqueued_num_sub_groups(void) {
  return (ENQUEUED_SIZE(x, 12) * ENQUEUED_SIZE(y, 13) * ENQUEUED_SIZE(z, 14) + 31) / 32;
}
API PURE uint get_sub_group_size(void) {
  uint first = linear() & ~31u, left = group_items() - first;
  return left < 32 ? left : 32;
}
#define MASK(name, of) \
  API PURE uint4 get_sub_group_##name##_mask(void) { return (uint4)((uint)(of), 0, 0, 0); }
INLINE PURE uint members(void) { return 0xffffffffu >> (32 - get_sub_group_size()); }
MASK(eq, 1u << get_sub_group_local_id())
MASK(ge, (0xffffffffu << get_sub_group_local_id()) & members())
MASK(gt, (0xfffffffeu << get_sub_group_local_id()) & members())
MASK(le, ~(0xfffffffeu << get_sub_group_local_id()))
MASK(lt, ~(0xffffffffu << get_sub_group_local_id()))
