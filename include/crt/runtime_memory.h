// Memory by type and symbols by reference (CUDA Runtime API, "C++ API Routines").
#ifndef HEDDLE_CRT_RUNTIME_MEMORY_H
#define HEDDLE_CRT_RUNTIME_MEMORY_H

#include "cuda_runtime_api.h"

#define HEDDLE_API_ static __inline__ __host__ __attribute__((unused)) cudaError_t

template <class T>
HEDDLE_API_ cudaMalloc(T** devPtr, size_t size) {
  return ::cudaMalloc((void**)(void*)devPtr, size);
}
template <class T>
HEDDLE_API_ cudaMallocHost(T** ptr, size_t size, unsigned int flags = cudaHostAllocDefault) {
  return ::cudaHostAlloc((void**)(void*)ptr, size, flags);
}
HEDDLE_API_ cudaMallocHost(void** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(ptr, size, flags);
}
template <class T>
HEDDLE_API_ cudaHostAlloc(T** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc((void**)(void*)ptr, size, flags);
}
template <class T>
HEDDLE_API_ cudaHostGetDevicePointer(T** pDevice, void* pHost, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void**)(void*)pDevice, pHost, flags);
}
template <class T>
HEDDLE_API_ cudaMallocManaged(T** devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void**)(void*)devPtr, size, flags);
}
template <class T>
HEDDLE_API_ cudaMallocPitch(T** devPtr, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void**)(void*)devPtr, pitch, width, height);
}
template <class T>
HEDDLE_API_ cudaMallocAsync(T** ptr, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync((void**)(void*)ptr, size, stream);
}
HEDDLE_API_ cudaMallocAsync(void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(ptr, size, memPool, stream);
}
template <class T>
HEDDLE_API_ cudaMallocAsync(T** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)(void*)ptr, size, memPool, stream);
}
template <class T>
HEDDLE_API_ cudaMallocFromPoolAsync(T** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)(void*)ptr, size, memPool, stream);
}
template <class T>
HEDDLE_API_ cudaStreamAttachMemAsync(cudaStream_t stream, T* devPtr, size_t length = 0,
                                     unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void*)devPtr, length, flags);
}

template <class T>
HEDDLE_API_ cudaMemcpyToSymbol(const T& symbol, const void* src, size_t count, size_t offset = 0,
                               enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void*)&symbol, src, count, offset, kind);
}
template <class T>
HEDDLE_API_ cudaMemcpyToSymbolAsync(const T& symbol, const void* src, size_t count, size_t offset = 0,
                                    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void*)&symbol, src, count, offset, kind, stream);
}
template <class T>
HEDDLE_API_ cudaMemcpyFromSymbol(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                 enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(dst, (const void*)&symbol, count, offset, kind);
}
template <class T>
HEDDLE_API_ cudaMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                      enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(dst, (const void*)&symbol, count, offset, kind, stream);
}
template <class T>
HEDDLE_API_ cudaGetSymbolAddress(void** devPtr, const T& symbol) {
  return ::cudaGetSymbolAddress(devPtr, (const void*)&symbol);
}
template <class T>
HEDDLE_API_ cudaGetSymbolSize(size_t* size, const T& symbol) {
  return ::cudaGetSymbolSize(size, (const void*)&symbol);
}

#if HEDDLE_CUDA_13_SIGNATURES
// CUDA 13's form, in the default stream.
HEDDLE_API_ cudaMemPrefetchAsync(const void* const devPtr HEDDLE_CALLED_ONLY_, size_t count,
                                 struct cudaMemLocation location, unsigned int flags) {
  return ::cudaMemPrefetchAsync_v2(devPtr, count, location, flags, 0);
}
#endif

#undef HEDDLE_API_

#endif
