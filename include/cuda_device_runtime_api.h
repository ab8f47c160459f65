// The runtime API in device code (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "API Reference").
//
// Libraries such as CUB call these in functions for both sides, and compile them for every device. Memory
// really works; all else needs an executor's help and says cudaErrorNotSupported without it. Weak, so that a
// program linked with a device runtime gets that.
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "driver_types.h"
#include "vector_types.h"

#if defined(__CUDA__) && defined(__cplusplus)

extern "C" {
__device__ void* malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void*) __attribute__((nothrow));
}

#define HEDDLE_DEVICE_API_ extern "C" inline __device__ __attribute__((weak)) cudaError_t

HEDDLE_DEVICE_API_ cudaMalloc(void** devPtr, size_t size) {
  *devPtr = malloc(size);
  return *devPtr || !size ? cudaSuccess : cudaErrorMemoryAllocation;
}
HEDDLE_DEVICE_API_ cudaFree(void* devPtr) {
  free(devPtr);
  return cudaSuccess;
}
HEDDLE_DEVICE_API_ cudaGetLastError(void) { return cudaSuccess; }
HEDDLE_DEVICE_API_ cudaPeekAtLastError(void) { return cudaSuccess; }
HEDDLE_DEVICE_API_ cudaRuntimeGetVersion(int* runtimeVersion) {
  *runtimeVersion = CUDART_VERSION;
  return cudaSuccess;
}
#define HEDDLE_UNSUPPORTED_(name, ...) \
  HEDDLE_DEVICE_API_ name(__VA_ARGS__) { return cudaErrorNotSupported; }
HEDDLE_UNSUPPORTED_(cudaGetDevice, int*)
HEDDLE_UNSUPPORTED_(cudaGetDeviceCount, int*)
HEDDLE_UNSUPPORTED_(cudaDeviceGetAttribute, int*, enum cudaDeviceAttr, int)
HEDDLE_UNSUPPORTED_(cudaDeviceGetLimit, size_t*, enum cudaLimit)
HEDDLE_UNSUPPORTED_(cudaDeviceGetCacheConfig, enum cudaFuncCache*)
HEDDLE_UNSUPPORTED_(cudaDeviceSynchronize, void)
HEDDLE_UNSUPPORTED_(cudaStreamCreateWithFlags, cudaStream_t*, unsigned int)
HEDDLE_UNSUPPORTED_(cudaStreamDestroy, cudaStream_t)
HEDDLE_UNSUPPORTED_(cudaStreamWaitEvent, cudaStream_t, cudaEvent_t, unsigned int = 0)
HEDDLE_UNSUPPORTED_(cudaEventCreateWithFlags, cudaEvent_t*, unsigned int)
HEDDLE_UNSUPPORTED_(cudaEventRecord, cudaEvent_t, cudaStream_t = 0)
HEDDLE_UNSUPPORTED_(cudaEventDestroy, cudaEvent_t)
HEDDLE_UNSUPPORTED_(cudaFuncGetAttributes, struct cudaFuncAttributes*, const void*)
HEDDLE_UNSUPPORTED_(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int*, const void*, int, size_t)
HEDDLE_UNSUPPORTED_(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int*, const void*, int, size_t,
                    unsigned int)
HEDDLE_UNSUPPORTED_(cudaMemcpyAsync, void*, const void*, size_t, enum cudaMemcpyKind, cudaStream_t = 0)
HEDDLE_UNSUPPORTED_(cudaMemcpy2DAsync, void*, size_t, const void*, size_t, size_t, size_t,
                    enum cudaMemcpyKind, cudaStream_t = 0)
HEDDLE_UNSUPPORTED_(cudaMemsetAsync, void*, int, size_t, cudaStream_t = 0)
HEDDLE_UNSUPPORTED_(cudaMemset2DAsync, void*, size_t, int, size_t, size_t, cudaStream_t = 0)
// What compilers make of <<<...>>> in device code, and what libraries write in its place: the arguments go to
// a buffer, and the launch takes it. A null buffer means that nothing can be launched.
HEDDLE_UNSUPPORTED_(cudaLaunchDevice, void*, void*, dim3, dim3, unsigned int, cudaStream_t)
HEDDLE_UNSUPPORTED_(cudaLaunchDeviceV2, void*, cudaStream_t)
// By this name libraries wait for the device from CUDA 11.6 on, without the warning that it is deprecated.
HEDDLE_UNSUPPORTED_(__cudaDeviceSynchronizeDeprecationAvoidance, void)
#undef HEDDLE_UNSUPPORTED_
#undef HEDDLE_DEVICE_API_

#define HEDDLE_DEVICE_NULL_(type, name, value, ...) \
  extern "C" inline __device__ __attribute__((weak)) type name(__VA_ARGS__) { return value; }
HEDDLE_DEVICE_NULL_(void*, cudaGetParameterBuffer, nullptr, size_t, size_t)
HEDDLE_DEVICE_NULL_(void*, cudaGetParameterBufferV2, nullptr, void*, dim3, dim3, unsigned int)
HEDDLE_DEVICE_NULL_(const char*, cudaGetErrorString, "unknown error", cudaError_t)
HEDDLE_DEVICE_NULL_(const char*, cudaGetErrorName, "cudaErrorUnknown", cudaError_t)
#undef HEDDLE_DEVICE_NULL_

// Decides whether a conditional node's graph runs (again); the launch of that graph provides it.
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);

template <class T>
static __inline__ __device__ cudaError_t cudaMalloc(T** devPtr, size_t size) {
  return ::cudaMalloc((void**)(void*)devPtr, size);
}
template <class T>
static __inline__ __device__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attr, T* entry) {
  return ::cudaFuncGetAttributes(attr, (const void*)entry);
}
template <class T>
static __inline__ __device__ cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func, int blockSize, size_t dynamicSmemSize) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void*)func, blockSize,
                                                         dynamicSmemSize);
}

// Where a launched grid runs (CUDA C++ Programming Guide, "CDP2", "Fire-and-Forget Stream", "Tail Launch
// Stream").
#define cudaStreamGraphTailLaunch ((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget ((cudaStream_t)0x0200000000000000)
#define cudaStreamGraphFireAndForgetAsSibling ((cudaStream_t)0x0300000000000000)
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

#endif

#endif
