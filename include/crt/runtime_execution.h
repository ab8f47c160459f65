// Launches and function attributes by the kernel itself (CUDA Runtime API, "C++ API Routines").
#ifndef HEDDLE_CRT_RUNTIME_EXECUTION_H
#define HEDDLE_CRT_RUNTIME_EXECUTION_H

#include "cuda_runtime_api.h"

#define HEDDLE_API_ static __inline__ __host__ __attribute__((unused)) cudaError_t

template <class T>
HEDDLE_API_ cudaLaunchKernel(T* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem = 0,
                             cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void*)func, gridDim, blockDim, args, sharedMem, stream);
}
template <class T>
HEDDLE_API_ cudaLaunchCooperativeKernel(T* func, dim3 gridDim, dim3 blockDim, void** args,
                                        size_t sharedMem = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void*)func, gridDim, blockDim, args, sharedMem, stream);
}

#if __cplusplus >= 201103L
namespace heddle_launch {
// Arguments become the kernel's parameter types first, exactly as a call would convert them.
template <class... Parameters>
static __inline__ __host__ cudaError_t launch(const cudaLaunchConfig_t* config, const void* function,
                                              Parameters... parameters) {
  void* addresses[sizeof...(Parameters) + 1] = {(void*)&parameters..., nullptr};
  return ::cudaLaunchKernelExC(config, function, addresses);
}
}  // namespace heddle_launch
template <class... Parameters, class... Arguments>
HEDDLE_API_ cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                "as many arguments as the kernel has parameters");
  return heddle_launch::launch<Parameters...>(config, (const void*)kernel,
                                              static_cast<Arguments&&>(arguments)...);
}
template <class... Parameters, class... Arguments>
HEDDLE_API_ cudaLaunchKernelEx(const cudaLaunchConfig_t* config, cudaKernel_t kernel,
                               Arguments&&... arguments) {
  return heddle_launch::launch<Parameters...>(config, (const void*)kernel,
                                              static_cast<Arguments&&>(arguments)...);
}
#endif

template <class T>
HEDDLE_API_ cudaFuncGetAttributes(struct cudaFuncAttributes* attr, T* entry) {
  return ::cudaFuncGetAttributes(attr, (const void*)entry);
}
template <class T>
HEDDLE_API_ cudaFuncSetAttribute(T* func, enum cudaFuncAttribute attr, int value) {
  return ::cudaFuncSetAttribute((const void*)func, attr, value);
}
template <class T>
HEDDLE_API_ cudaFuncSetCacheConfig(T* func, enum cudaFuncCache cacheConfig) {
  return ::cudaFuncSetCacheConfig((const void*)func, cacheConfig);
}
// Programs are warned when they use it, not when they include it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <class T>
__CUDA_DEPRECATED HEDDLE_API_ cudaFuncSetSharedMemConfig(T* func, enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig((const void*)func, config);
}
#pragma GCC diagnostic pop
template <class T>
HEDDLE_API_ cudaFuncGetName(const char** name, T* func) {
  return ::cudaFuncGetName(name, (const void*)func);
}
template <class T>
HEDDLE_API_ cudaGetKernel(cudaKernel_t* kernelPtr, T* func) {
  return ::cudaGetKernel(kernelPtr, (const void*)func);
}

HEDDLE_API_ cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

// The object's destructor runs with the last reference (CUDA Runtime API, "cudaUserObjectCreate").
template <class T>
HEDDLE_API_ cudaUserObjectCreate(cudaUserObject_t* object_out, T* objectToWrap, unsigned int initialRefcount,
                                 unsigned int flags) {
  return ::cudaUserObjectCreate(
      object_out, objectToWrap, [](void* object) { delete static_cast<T*>(object); }, initialRefcount, flags);
}
template <class T>
HEDDLE_API_ cudaUserObjectCreate(cudaUserObject_t* object_out, T* objectToWrap, unsigned int initialRefcount,
                                 cudaUserObjectFlags flags) {
  return cudaUserObjectCreate(object_out, objectToWrap, initialRefcount, (unsigned int)flags);
}

#undef HEDDLE_API_

#endif
