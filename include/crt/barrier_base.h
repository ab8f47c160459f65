// What cuda_pipeline.h knows of a block's cuda::barrier, libcu++'s or the one here: the name of its base,
// which libcu++ has in an inline namespace named by the version of its binary interface.
#ifndef HEDDLE_CRT_BARRIER_BASE_H
#define HEDDLE_CRT_BARRIER_BASE_H

// libcu++ compares the version that was assumed with its own when it is included later.
#if defined(_LIBCUDACXX_CUDA_ABI_VERSION)
#define _LIBCUDACXX_PIPELINE_ASSUMED_ABI_VERSION _LIBCUDACXX_CUDA_ABI_VERSION
#else
#define _LIBCUDACXX_PIPELINE_ASSUMED_ABI_VERSION 4
#endif
#define HEDDLE_PASTED_(version) __##version
#define HEDDLE_VERSION_NAME_(version) HEDDLE_PASTED_(version)
#define HEDDLE_CUDA_ABI_ HEDDLE_VERSION_NAME_(_LIBCUDACXX_PIPELINE_ASSUMED_ABI_VERSION)

namespace cuda {
inline namespace HEDDLE_CUDA_ABI_ {
struct __block_scope_barrier_base;
}  // namespace HEDDLE_CUDA_ABI_
}  // namespace cuda

#endif
