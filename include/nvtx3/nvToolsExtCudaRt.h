// Names for CUDA objects in NVTX: nothing, see nvToolsExt.h.
#ifndef NVTOOLSEXT_CUDART_H_
#define NVTOOLSEXT_CUDART_H_

#include "../cuda_runtime_api.h"
#include "nvToolsExt.h"

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
