// The words a CUDA program marks its functions and variables with (CUDA C++ Programming Guide, "C++ Language
// Extensions"). In clang's CUDA mode they are attributes; in plain C or C++ they vanish, so that headers can
// be shared.
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__  // libraries ask for this very name

#define __align__(n) __attribute__((aligned(n)))
#define __thread__ __thread
#define __import__
#define __export__
#define __cdecl
#ifndef __annotate__
#define __annotate__(a) __attribute__((a))
#endif
#define __location__(a) __annotate__(a)
#define __no_return__ __attribute__((noreturn))

#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
// `__noinline__` is a keyword of clang's CUDA mode; defined for anyone else it would break libstdc++'s own
// use of the name.
#ifndef __specialization_static
#define __specialization_static static
#endif

#if defined(__HEDDLE_CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// A managed variable is a device variable whose host copy is real memory that both sides use: the runtime
// finds the host copies by their section (bounds: __start_heddle_managed, __stop_heddle_managed) and binds
// the device name to it.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300
#define __managed__                                                                        \
  _Pragma("GCC error \"__managed__ variables require architecture compute_30 or higher\"") \
      __attribute__((device))
#else
#define __managed__ __attribute__((device, section("heddle_managed")))
#endif
// clang 19 has no attributes for these (.maxnreg, .reqnctapercluster, .reqntid; PTX ISA, "Performance-Tuning
// Directives", "Cluster Dimension Directives"): annotations keep them in the module, where a pass finds
// them.
#define __maxnreg__(n) __attribute__((annotate("heddle.maxnreg", n)))
#define __cluster_dims__(...) __attribute__((annotate("heddle.cluster_dims", __VA_ARGS__)))
#define __block_size__(...) __attribute__((annotate("heddle.block_size")))
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_texture_type__ __attribute__((device_builtin_texture_type))
#define __device_builtin_surface_type__ __attribute__((device_builtin_surface_type))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(n)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __nv_pure__
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#endif

#endif
