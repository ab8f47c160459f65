// Kernels of a graph have its number and their launch's correlation id; chips and devices are told.
// RUN: %nvcc %s -o %t -lcupti && %t && env HEDDLE_DEVICE=gtx980 %t
#include <cupti.h>
#include <cupti_target.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "Inputs/check.h"

__global__ void kernel(int* p) { *p += 1; }

static std::vector<CUpti_ActivityKernel9> kernels;
static void CUPTIAPI request(uint8_t** buffer, size_t* size, size_t* most) {
  *most = 0;
  *size = 1 << 16;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
}
static void CUPTIAPI complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    kernels.push_back(*reinterpret_cast<const CUpti_ActivityKernel9*>(record));
  std::free(buffer);
}

int main() {
  CHECK(cuptiActivityRegisterCallbacks(request, complete) == CUPTI_SUCCESS);
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == CUPTI_SUCCESS);
  int* memory = nullptr;
  cudaMalloc(&memory, sizeof *memory);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  kernel<<<1, 1, 0, stream>>>(memory);
  kernel<<<1, 1, 0, stream>>>(memory);
  cudaStreamEndCapture(stream, &graph);
  CHECK(cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess);
  cudaGraphLaunch(ready, stream);
  cudaGraphLaunch(ready, stream);
  kernel<<<1, 1, 0, stream>>>(memory);
  cudaStreamSynchronize(stream);
  CHECK(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  uint32_t id = 0, other = 0;
  CHECK(cuptiGetGraphExecId(ready, &id) == CUPTI_SUCCESS && id != 0);
  CHECK(cuptiGetGraphId(graph, &other) == CUPTI_SUCCESS && other != 0 && other != id);
  CHECK(cuptiGetGraphExecId(nullptr, &id) == CUPTI_ERROR_INVALID_PARAMETER);
  CHECK(kernels.size() == 5);
  for (int i = 0; i < 4; ++i) CHECK(kernels[i].graphId == id);
  CHECK(kernels[0].correlationId == kernels[1].correlationId &&
        kernels[2].correlationId != kernels[0].correlationId);
  CHECK(kernels[4].graphId == 0);

  CUpti_Device_GetChipName_Params chip = {CUpti_Device_GetChipName_Params_STRUCT_SIZE, nullptr, 0, nullptr};
  CHECK(cuptiDeviceGetChipName(&chip) == CUPTI_SUCCESS);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  CHECK(std::strcmp(chip.pChipName, properties.major == 9 ? "GH100" : "GM204") == 0);
  chip.deviceIndex = 5;
  CHECK(cuptiDeviceGetChipName(&chip) == CUPTI_ERROR_INVALID_DEVICE);
  int support = 0;
  CHECK(cuptiDeviceSupported(0, &support) == CUPTI_SUCCESS && support == 1);
  CHECK(cuptiComputeCapabilitySupported(9, 0, &support) == CUPTI_SUCCESS && support == 1);
  CHECK(cuptiComputeCapabilitySupported(4, 7, &support) == CUPTI_SUCCESS && support == 0);
  std::puts("passed");
  return 0;
}
