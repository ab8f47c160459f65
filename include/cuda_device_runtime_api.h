// The runtime API in device code (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "API Reference").
//
// Whatever runs a kernel has these functions: nothing need be linked.
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "driver_types.h"
#include "vector_types.h"

#if defined(__HEDDLE_CUDA__) && defined(__cplusplus)

#include "device_runtime_functions.h"

// Decides whether a conditional node's graph runs (again): the handle is where the value lies.
extern "C" inline __device__ __attribute__((weak)) void cudaGraphSetConditional(
    cudaGraphConditionalHandle handle, unsigned int value) {
  *reinterpret_cast<volatile unsigned int*>(handle) = value;
}

// Programmatic dependent launch (CUDA C++ Programming Guide, "Programmatic Dependent Launch and
// Synchronization"): from here on the next grid may begin; the grids before this one have ended, and what
// they wrote is seen.
static __inline__ __device__ void cudaTriggerProgrammaticLaunchCompletion(void) {
  asm volatile("griddepcontrol.launch_dependents;" ::);
}
static __inline__ __device__ void cudaGridDependencySynchronize(void) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

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
