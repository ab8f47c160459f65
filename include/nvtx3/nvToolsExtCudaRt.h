// Names for CUDA objects in NVTX: nothing, see nvToolsExt.h.
#ifndef NVTOOLSEXT_CUDART_H_
#define NVTOOLSEXT_CUDART_H_

#include "../cuda_runtime_api.h"
#include "nvToolsExt.h"

#define NVTX_RESOURCE_CLASS_CUDART 5
typedef enum nvtxResourceCUDARTType_t {
  NVTX_RESOURCE_TYPE_CUDART_DEVICE = NVTX_RESOURCE_MAKE_TYPE(CUDART, 0),
  NVTX_RESOURCE_TYPE_CUDART_STREAM = NVTX_RESOURCE_MAKE_TYPE(CUDART, 1),
  NVTX_RESOURCE_TYPE_CUDART_EVENT = NVTX_RESOURCE_MAKE_TYPE(CUDART, 2)
} nvtxResourceCUDARTType_t;

HEDDLE_NVTX_ void nvtxNameCudaDeviceA(int handle, const char* name) { (void)handle, (void)name; }
HEDDLE_NVTX_ void nvtxNameCudaDeviceW(int handle, const wchar_t* name) { (void)handle, (void)name; }
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
HEDDLE_NVTX_ void nvtxNameCudaStreamA(cudaStream_t handle, const char* name) { (void)handle, (void)name; }
HEDDLE_NVTX_ void nvtxNameCudaStreamW(cudaStream_t handle, const wchar_t* name) { (void)handle, (void)name; }
#define nvtxNameCudaStream nvtxNameCudaStreamA
HEDDLE_NVTX_ void nvtxNameCudaEventA(cudaEvent_t handle, const char* name) { (void)handle, (void)name; }
HEDDLE_NVTX_ void nvtxNameCudaEventW(cudaEvent_t handle, const wchar_t* name) { (void)handle, (void)name; }
#define nvtxNameCudaEvent nvtxNameCudaEventA

#endif
