// memcpy_async(): a group copies, and wait() makes the bytes visible to it (CUDA C++ Programming Guide,
// "Cooperative Groups", "memcpy_async").
#ifndef _CG_MEMCPY_ASYNC_H
#define _CG_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#include "../crt/async_copy.h"

namespace cooperative_groups {
namespace __v1 {

// `shape` counts bytes: a size_t, or cuda::aligned_size_t.
template <class Group, class T, class Shape>
HEDDLE_CG void memcpy_async(const Group& group, T* dst, const T* src, const Shape& shape) {
  heddle_async::copy((void*)dst, (const void*)src, (size_t)shape, (size_t)group.thread_rank(),
                     (size_t)group.size());
  heddle_async::commit();
}
template <class Group, class Shape>
HEDDLE_CG void memcpy_async(const Group& group, void* dst, const void* src, const Shape& shape) {
  heddle_async::copy(dst, src, (size_t)shape, (size_t)group.thread_rank(), (size_t)group.size());
  heddle_async::commit();
}
// Layouts count elements; the shorter one decides.
template <class Group, class T, class DstLayout, class SrcLayout>
HEDDLE_CG void memcpy_async(const Group& group, T* dst, const DstLayout& dst_layout, const T* src,
                            const SrcLayout& src_layout) {
  const size_t to = (size_t)dst_layout, from = (size_t)src_layout;
  memcpy_async(group, dst, src, (to < from ? to : from) * sizeof(T));
}

template <class Group>
HEDDLE_CG void wait(const Group& group) {
  heddle_async::wait_all();
  group.sync();
}
// All but the newest `stages` copies.
template <unsigned int stages, class Group>
HEDDLE_CG void wait_prior(const Group& group) {
  heddle_async::wait_prior<stages>();
  group.sync();
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif

#endif
