// Errors of the device runtime: the documented code, kept for each thread until it is asked for.
// RUN: not %nvcc -c %s -o %t.o 2>&1 | FileCheck --check-prefix=WHOLE %s
// WHOLE: error: kernel launch from __device__ or __global__ functions requires separate compilation mode
// RUN: %nvcc -rdc=true %s -o %t && %t && env HEDDLE_EXECUTOR=interp %t
#include <cstdio>

__device__ int errors;
#define EXPECT(condition) ((condition) ? 0 : (atomicAdd(&errors, 1), printf("line %d: %s\n", __LINE__, #condition)))

__global__ void nothing(int) {}
__global__ void __launch_bounds__(64) small(int) {}
__device__ int deepest;
__global__ void nest(int depth) {
  atomicMax(&deepest, depth);
  nest<<<1, 1>>>(depth + 1);
  EXPECT(cudaGetLastError() == (depth < 24 ? cudaSuccess : cudaErrorLaunchMaxDepthExceeded));
}
__global__ void many(int count) {
  int taken = 0;
  for (int i = 0; i < count; ++i) {
    nothing<<<1, 1>>>(i);
    if (cudaGetLastError() == cudaSuccess) ++taken;
    else EXPECT(taken == 100);
  }
  EXPECT(taken == 100);
}

__global__ void parent(int* memory) {
  EXPECT(cudaGetLastError() == cudaSuccess);
  if (threadIdx.x == 1) {
    nothing<<<1, 4096>>>(1);  // the others do not see it
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError() == cudaSuccess);
    return;
  }
  EXPECT(cudaGetLastError() == cudaSuccess);
  nothing<<<0, 1>>>(1);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  nothing<<<1, 1, 1 << 30>>>(1);
  EXPECT(cudaGetLastError() != cudaSuccess);
  small<<<1, 65>>>(1);
  EXPECT(cudaGetLastError() != cudaSuccess);
  nothing<<<1, 1, 0, (cudaStream_t)0x12345>>>(1);
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);

  cudaStream_t stream;
  EXPECT(cudaStreamCreateWithFlags(&stream, cudaStreamDefault) == cudaErrorInvalidValue);
  EXPECT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  EXPECT(cudaStreamDestroy(stream) == cudaSuccess && cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
  cudaEvent_t event;
  EXPECT(cudaEventCreateWithFlags(&event, cudaEventDefault) == cudaErrorInvalidValue);
  EXPECT(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
  EXPECT(cudaEventRecord(event, stream) == cudaErrorInvalidResourceHandle && cudaEventDestroy(event) == cudaSuccess);
  EXPECT(cudaEventRecord(event, 0) == cudaErrorInvalidResourceHandle);

  void* own = nullptr;
  EXPECT(cudaMalloc(&own, 64) == cudaSuccess && own != nullptr && cudaFree(own) == cudaSuccess);
  EXPECT(cudaFree(memory) == cudaErrorInvalidValue && cudaFree(nullptr) == cudaSuccess);
  EXPECT(cudaMalloc(&own, ~size_t(0) / 2) == cudaErrorMemoryAllocation);
  int local = 0;
  EXPECT(cudaMemcpyAsync(&local, memory, 4, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpyAsync(memory, memory + 4, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);

  int value = 0, same = 0;
  EXPECT(cudaGetDevice(&value) == cudaSuccess && value == 0);
  EXPECT(cudaGetDeviceCount(&value) == cudaSuccess && value >= 1);
  EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0) == cudaSuccess && value == 32);
  EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99) == cudaErrorInvalidDevice);
  EXPECT(cudaRuntimeGetVersion(&value) == cudaSuccess && value == CUDART_VERSION);
  cudaFuncAttributes attributes;
  EXPECT(cudaFuncGetAttributes(&attributes, small) == cudaSuccess && attributes.maxThreadsPerBlock == 64);
  EXPECT(cudaFuncGetAttributes(&attributes, (void*)memory) == cudaErrorInvalidDeviceFunction);
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&same, small, 64, 0) == cudaSuccess && same > 0);
  size_t limit = 0;
  EXPECT(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount) == cudaSuccess && limit == 100);
  const char* text = cudaGetErrorString(cudaErrorInvalidValue);
  EXPECT(text[0] == 'i' && cudaGetErrorName(cudaErrorInvalidValue)[4] == 'E');
}

int main() {
  int* memory;
  cudaMalloc(&memory, 64);
  if (cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100) != cudaSuccess) return 1;
  if (cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 25) != cudaErrorInvalidValue) return 2;
  parent<<<1, 2>>>(memory);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  nest<<<1, 1>>>(0);
  if (cudaDeviceSynchronize() != cudaSuccess) return 4;
  many<<<1, 1>>>(150);
  if (cudaDeviceSynchronize() != cudaSuccess) return 5;
  many<<<1, 1>>>(150);  // all places are free again
  if (cudaDeviceSynchronize() != cudaSuccess) return 6;
  int wrong, deep;
  cudaMemcpyFromSymbol(&wrong, errors, sizeof wrong);
  cudaMemcpyFromSymbol(&deep, deepest, sizeof deep);
  return wrong != 0 ? 7 : deep != 24 ? 8 : 0;
}
