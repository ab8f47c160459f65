// Names for CUDA objects in NVTX: nothing, see nvToolsExt.h.
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

HEDDLE_NVTX_ void nvtxNameCuDeviceA(CUdevice handle, const char* name) { (void)handle, (void)name; }
HEDDLE_NVTX_ void nvtxNameCuDeviceW(CUdevice handle, const wchar_t* name) { (void)handle, (void)name; }
#define nvtxNameCuDevice nvtxNameCuDeviceA
HEDDLE_NVTX_ void nvtxNameCuContextA(CUcontext handle, const char* name) { (void)handle, (void)name; }
HEDDLE_NVTX_ void nvtxNameCuContextW(CUcontext handle, const wchar_t* name) { (void)handle, (void)name; }
#define nvtxNameCuContext nvtxNameCuContextA
HEDDLE_NVTX_ void nvtxNameCuStreamA(CUstream handle, const char* name) { (void)handle, (void)name; }
HEDDLE_NVTX_ void nvtxNameCuStreamW(CUstream handle, const wchar_t* name) { (void)handle, (void)name; }
#define nvtxNameCuStream nvtxNameCuStreamA
HEDDLE_NVTX_ void nvtxNameCuEventA(CUevent handle, const char* name) { (void)handle, (void)name; }
HEDDLE_NVTX_ void nvtxNameCuEventW(CUevent handle, const wchar_t* name) { (void)handle, (void)name; }
#define nvtxNameCuEvent nvtxNameCuEventA

#endif
