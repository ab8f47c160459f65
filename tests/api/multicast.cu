// An all-reduce through a multicast object, as libraries for several devices do it: each device's kernel adds up its part of what all of
// them hold and stores it to all of them. By both executors.
// RUN: %nvcc -arch=sm_90 %s -lcuda -o %t
// RUN: env HEDDLE_DEVICES=h200,h200 %t | FileCheck %s
// RUN: env HEDDLE_DEVICES=h200,h200 HEDDLE_EXECUTOR=interp %t | FileCheck %s
// CHECK: supported 1 1
// CHECK: sums are right on 2 devices
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define GOOD(call) \
  if (const int code = static_cast<int>(call); code != 0) return std::printf("line %d: %d\n", __LINE__, code), 1;

__global__ void reduce(float4* all, unsigned first, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float x, y, z, w;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "l"(all + first + i)
               : "memory");
  asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(all + first + i), "f"(x), "f"(y), "f"(z), "f"(w)
               : "memory");
}

constexpr size_t unit = size_t{2} << 20;
constexpr unsigned vectors = 10000;

int main() {
  GOOD(cuInit(0));
  int supported[2] = {};
  for (int d = 0; d < 2; ++d) GOOD(cuDeviceGetAttribute(&supported[d], CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, d));
  std::printf("supported %d %d\n", supported[0], supported[1]);
  CUmulticastObjectProp team = {};
  team.numDevices = 2;
  team.size = unit;
  CUmemGenericAllocationHandle multicast = 0;
  GOOD(cuMulticastCreate(&multicast, &team));
  for (int d = 0; d < 2; ++d) GOOD(cuMulticastAddDevice(multicast, d));
  CUdeviceptr own[2] = {}, all = 0;
  CUmemAccessDesc rights[2] = {};
  for (int d = 0; d < 2; ++d) rights[d] = {{CU_MEM_LOCATION_TYPE_DEVICE, d}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  std::vector<float> values(vectors * 4);
  for (int d = 0; d < 2; ++d) {
    GOOD(cudaSetDevice(d));
    GOOD(cudaFree(nullptr));
    CUmemAllocationProp on_device = {};
    on_device.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    on_device.location = {CU_MEM_LOCATION_TYPE_DEVICE, d};
    CUmemGenericAllocationHandle memory = 0;
    GOOD(cuMemCreate(&memory, unit, &on_device, 0));
    GOOD(cuMemAddressReserve(&own[d], unit, 0, 0, 0));
    GOOD(cuMemMap(own[d], unit, 0, memory, 0));
    GOOD(cuMemSetAccess(own[d], unit, rights, 2));
    GOOD(cuMulticastBindMem(multicast, 0, memory, 0, unit, 0));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000 + 5000 * d);
    GOOD(cudaMemcpy(reinterpret_cast<void*>(own[d]), values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  }
  GOOD(cuMemAddressReserve(&all, unit, 0, 0, 0));
  GOOD(cuMemMap(all, unit, 0, multicast, 0));
  GOOD(cuMemSetAccess(all, unit, rights, 2));
  for (int d = 0; d < 2; ++d) {
    GOOD(cudaSetDevice(d));
    reduce<<<(vectors / 2 + 255) / 256, 256>>>(reinterpret_cast<float4*>(all), d * vectors / 2, vectors / 2);
  }
  int right = 0;
  for (int d = 0; d < 2; ++d) {
    GOOD(cudaSetDevice(d));
    GOOD(cudaDeviceSynchronize());
  }
  for (int d = 0; d < 2; ++d) {
    GOOD(cudaMemcpy(values.data(), reinterpret_cast<void*>(own[d]), values.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool good = true;
    for (size_t i = 0; i < values.size(); ++i) good = good && values[i] == static_cast<float>(2 * (i % 1000) + 5000);
    right += good;
  }
  std::printf("sums are right on %d devices\n", right);
}
