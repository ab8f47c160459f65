// Names for CUDA objects in NVTX: see nvToolsExt.h.
#ifndef NVTOOLSEXT_CUDA_H_
#define NVTOOLSEXT_CUDA_H_

#include "../cuda.h"
#include "nvToolsExt.h"

#define NVTX_RESOURCE_CLASS_CUDA 4
typedef enum nvtxResourceCUDAType_t {
  NVTX_RESOURCE_TYPE_CUDA_DEVICE = NVTX_RESOURCE_MAKE_TYPE(CUDA, 1),
  NVTX_RESOURCE_TYPE_CUDA_CONTEXT = NVTX_RESOURCE_MAKE_TYPE(CUDA, 2),
  NVTX_RESOURCE_TYPE_CUDA_STREAM = NVTX_RESOURCE_MAKE_TYPE(CUDA, 3),
  NVTX_RESOURCE_TYPE_CUDA_EVENT = NVTX_RESOURCE_MAKE_TYPE(CUDA, 4)
} nvtxResourceCUDAType_t;

HEDDLE_NVTX_VOID_(2, 1, nvtxNameCuDeviceA, (CUdevice handle, const char* name), (handle, name))
HEDDLE_NVTX_VOID_(2, 2, nvtxNameCuDeviceW, (CUdevice handle, const wchar_t* name), (handle, name))
#define nvtxNameCuDevice nvtxNameCuDeviceA
HEDDLE_NVTX_VOID_(2, 3, nvtxNameCuContextA, (CUcontext handle, const char* name), (handle, name))
HEDDLE_NVTX_VOID_(2, 4, nvtxNameCuContextW, (CUcontext handle, const wchar_t* name), (handle, name))
#define nvtxNameCuContext nvtxNameCuContextA
HEDDLE_NVTX_VOID_(2, 5, nvtxNameCuStreamA, (CUstream handle, const char* name), (handle, name))
HEDDLE_NVTX_VOID_(2, 6, nvtxNameCuStreamW, (CUstream handle, const wchar_t* name), (handle, name))
#define nvtxNameCuStream nvtxNameCuStreamA
HEDDLE_NVTX_VOID_(2, 7, nvtxNameCuEventA, (CUevent handle, const char* name), (handle, name))
HEDDLE_NVTX_VOID_(2, 8, nvtxNameCuEventW, (CUevent handle, const wchar_t* name), (handle, name))
#define nvtxNameCuEvent nvtxNameCuEventA

#endif
