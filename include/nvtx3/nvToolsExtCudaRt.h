// Names for objects of the CUDA runtime in NVTX: see nvToolsExt.h.
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

HEDDLE_NVTX_VOID_(4, 1, nvtxNameCudaDeviceA, (int handle, const char* name), (handle, name))
HEDDLE_NVTX_VOID_(4, 2, nvtxNameCudaDeviceW, (int handle, const wchar_t* name), (handle, name))
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
HEDDLE_NVTX_VOID_(4, 3, nvtxNameCudaStreamA, (cudaStream_t handle, const char* name), (handle, name))
HEDDLE_NVTX_VOID_(4, 4, nvtxNameCudaStreamW, (cudaStream_t handle, const wchar_t* name), (handle, name))
#define nvtxNameCudaStream nvtxNameCudaStreamA
HEDDLE_NVTX_VOID_(4, 5, nvtxNameCudaEventA, (cudaEvent_t handle, const char* name), (handle, name))
HEDDLE_NVTX_VOID_(4, 6, nvtxNameCudaEventW, (cudaEvent_t handle, const wchar_t* name), (handle, name))
#define nvtxNameCudaEvent nvtxNameCudaEventA

#endif
