// OpenCL C 3.0, 6.15.8 barriers and fences, 6.15.11 copies by a work-group.
#include "opencl.h"

#define EFFECT __attribute__((overloadable, always_inline, convergent))

EFFECT void barrier(uint flags) { __syncthreads(); }
EFFECT void work_group_barrier(uint flags) { __syncthreads(); }
EFFECT void work_group_barrier(uint flags, memory_scope scope) {
  if (scope > memory_scope_work_group) __nvvm_membar_gl();
  __syncthreads();
}
API uint get_sub_group_size(void);
EFFECT void sub_group_barrier(uint flags) {
  __nvvm_bar_warp_sync(0xffffffffu >> (32 - get_sub_group_size()));
}
EFFECT void sub_group_barrier(uint flags, memory_scope scope) { sub_group_barrier(flags); }
EFFECT void mem_fence(uint flags) { __nvvm_membar_cta(); }
EFFECT void read_mem_fence(uint flags) { __nvvm_membar_cta(); }
EFFECT void write_mem_fence(uint flags) { __nvvm_membar_cta(); }
EFFECT void atomic_work_item_fence(uint flags, memory_order order, memory_scope scope) {
  if (order == memory_order_relaxed) return;
  if (scope == memory_scope_all_svm_devices)
    __nvvm_membar_sys();
  else if (scope == memory_scope_device)
    __nvvm_membar_gl();
  else
    __nvvm_membar_cta();
}
EFFECT uint get_fence(void* p) { return __nvvm_isspacep_shared(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE; }
EFFECT uint get_fence(const void* p) { return __nvvm_isspacep_shared(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE; }
EFFECT void wait_group_events(int count, event_t* events) { __syncthreads(); }

// Elements of `parts` units; from one to the next are `to_step` and `from_step` units.
#define COPY(name, T, TO, FROM)                                                                            \
  EFFECT void __heddle_##name(TO T* to, const FROM T* from, size_t count, uint parts, size_t to_step,      \
                              size_t from_step) {                                                          \
    uint nx = __nvvm_read_ptx_sreg_ntid_x(), ny = __nvvm_read_ptx_sreg_ntid_y();                           \
    uint me = (__nvvm_read_ptx_sreg_tid_z() * ny + __nvvm_read_ptx_sreg_tid_y()) * nx +                    \
              __nvvm_read_ptx_sreg_tid_x();                                                                \
    uint all = nx * ny * __nvvm_read_ptx_sreg_ntid_z();                                                    \
    for (size_t i = me; i < count; i += all)                                                               \
      for (uint k = 0; k < parts; ++k) to[i * to_step + k] = from[i * from_step + k];                      \
  }
#define COPIES(T)                       \
  COPY(copy_to_local, T, local, global) \
  COPY(copy_to_global, T, global, local)
COPIES(uchar)
COPIES(ushort)
COPIES(uint)
COPIES(ulong)
COPIES(ulong2)
