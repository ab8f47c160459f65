// A block whose registers no multiprocessor has is refused, and the attribute, the launch and the occupancy functions say the same of it
// (OpenCL Programming Guide 2.1.2; CUDA C Best Practices Guide 4.2 and 4.4). What the assembler is told bounds the registers.
// RUN: %nvcc -w -arch=sm_10 %s -lcuda -o %t.10
// RUN: env HEDDLE_DEVICE=8800gtx %t.10 2>%t.err | FileCheck %s --check-prefixes=CHECK,FEW -DLAST=256 -DMOST=512
// RUN: FileCheck %s --check-prefix=TOLD -DDEVICE=8800gtx -DARCH=10 -DFILE=8192 < %t.err
// RUN: count 1 < %t.err
// RUN: env HEDDLE_DEVICE=8800gtx HEDDLE_EXECUTOR=interp HEDDLE_QUIET=1 %t.10 2>%t.err | FileCheck %s --check-prefixes=CHECK,FEW -DLAST=256 -DMOST=512
// RUN: count 0 < %t.err
// RUN: %nvcc -w -arch=sm_20 %s -lcuda -o %t.20
// RUN: env HEDDLE_DEVICE=gtx480 %t.20 2>/dev/null | FileCheck %s --check-prefixes=CHECK,FEW -DMOST=1024
// RUN: %nvcc -w -arch=sm_50 %s -lcuda -o %t.50
// RUN: env HEDDLE_DEVICE=gtx980 %t.50 2>%t.err | FileCheck %s --check-prefixes=CHECK,FEW -DMOST=1024
// RUN: FileCheck %s --check-prefix=TOLD -DDEVICE=gtx980 -DARCH=52 -DFILE=65536 < %t.err
// RUN: env HEDDLE_DEVICE=h200 %t.50 2>/dev/null | FileCheck %s --check-prefixes=CHECK,FEW -DMOST=1024
// RUN: env HEDDLE_DEVICE=h200 HEDDLE_EXECUTOR=interp %t.50 2>/dev/null | FileCheck %s --check-prefixes=CHECK,FEW -DMOST=1024
// The limit of the compiler goes with the program.
// RUN: %nvcc -w -arch=sm_50 -maxrregcount=32 %s -lcuda -o %t.32
// RUN: env HEDDLE_DEVICE=h200 %t.32 | FileCheck %s --check-prefixes=CHECK,ALL -DMOST=1024
// RUN: %nvcc -w -arch=sm_50 -maxrregcount=32 -rdc=true %s -lcuda -o %t.rdc
// RUN: env HEDDLE_DEVICE=h200 %t.rdc | FileCheck %s --check-prefixes=CHECK,ALL -DMOST=1024
// And that of the driver's compiler.
// RUN: %nvcc -w -arch=sm_50 -ptx %s -o %t.ptx
// RUN: env HEDDLE_DEVICE=h200 %t.50 %t.ptx 2>/dev/null | FileCheck %s --check-prefix=JIT
// TOLD: heddle: a block of '{{.*}}many{{.*}}' takes {{[0-9]+}} registers ({{[0-9]+}} for each of {{[0-9]+}} threads), device '[[DEVICE]]' (sm_[[ARCH]]) allows [[FILE]]; {{[0-9]+}} is the low end of an estimate of {{[0-9]+}}: blocks of {{[0-9]+}} threads fit, and with __launch_bounds__({{[0-9]+}}) or -maxrregcount={{[0-9]+}} larger ones
// CHECK: many: attribute, launch and occupancy agree for all sizes
// FEW-NEXT: many: fewer threads than [[MOST]]
// ALL-NEXT: many: [[MOST]] threads
// CHECK-NEXT: many, refused: {{cudaErrorLaunchOutOfResources|none}}
// CHECK-NEXT: bounded: attribute, launch and occupancy agree for all sizes
// CHECK-NEXT: bounded: [[MOST]] threads
// CHECK-NEXT: few: attribute, launch and occupancy agree for all sizes
// CHECK-NEXT: few: [[MOST]] threads
// JIT: without a limit: fewer threads than 1024, launch of 1024: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
// JIT-NEXT: limited to 64: 1024 threads, launch of 1024: CUDA_SUCCESS
// JIT-NEXT: linked, limited to 64: 1024 threads, launch of 1024: CUDA_SUCCESS
#include <cstdio>
#include <cstring>
#include <cuda.h>

#ifndef MOST
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 200
#define MOST 512
#else
#define MOST 1024
#endif
#endif

constexpr int values = 112;

__device__ __forceinline__ void work(float* data) {
  float all[values];
#pragma unroll
  for (int i = 0; i < values; ++i) all[i] = data[i * 3 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < values; ++i) data[i * 3 + threadIdx.x] = all[i] * all[(i * 37 + 11) % values];
}
extern "C" __global__ void many(float* data) { work(data); }
__global__ void __launch_bounds__(MOST) bounded(float* data) { work(data); }
__global__ void few(float* data) { data[threadIdx.x] += 1; }

typedef void (*Kernel)(float*);

void look(const char* name, Kernel kernel, float* data) {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel);
  int odd = 0;
  cudaError_t refused = cudaSuccess;
  for (int threads = 32; threads <= device.maxThreadsPerBlock; threads += 32) {
    int blocks = -1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0);
    kernel<<<1, threads>>>(data);
    const cudaError_t launched = cudaGetLastError();
    if (launched != cudaSuccess) refused = launched;
    const bool allowed = threads <= attributes.maxThreadsPerBlock;
    odd += (launched == cudaSuccess) != allowed || (blocks > 0) != allowed;
  }
  if (cudaDeviceSynchronize() != cudaSuccess) ++odd;
  if (odd == 0) std::printf("%s: attribute, launch and occupancy agree for all sizes\n", name);
  if (attributes.maxThreadsPerBlock < device.maxThreadsPerBlock)
    std::printf("%s: fewer threads than %d\n", name, device.maxThreadsPerBlock);
  else
    std::printf("%s: %d threads\n", name, attributes.maxThreadsPerBlock);
  if (std::strcmp(name, "many") == 0)
    std::printf("many, refused: %s\n", refused == cudaSuccess ? "none" : cudaGetErrorName(refused));
}

void judge(const char* what, CUmodule module, CUdeviceptr data) {
  CUfunction function;
  int most;
  cuModuleGetFunction(&function, module, "many");
  cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  void* arguments[] = {&data};
  const char* name;
  cuGetErrorName(cuLaunchKernel(function, 1, 1, 1, 1024, 1, 1, 0, nullptr, arguments, nullptr), &name);
  if (most < 1024)
    std::printf("%s: fewer threads than 1024, launch of 1024: %s\n", what, name);
  else
    std::printf("%s: %d threads, launch of 1024: %s\n", what, most, name);
}

int main(int count, char** arguments) {
  float* data;
  cudaMalloc(&data, 1 << 16);
  if (count > 1) {
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void* value = reinterpret_cast<void*>(64);
    CUmodule plain, limited, linked;
    const CUdeviceptr memory = reinterpret_cast<CUdeviceptr>(data);
    cuModuleLoad(&plain, arguments[1]);
    judge("without a limit", plain, memory);
    static char text[1 << 20];
    std::FILE* file = std::fopen(arguments[1], "rb");
    const std::size_t length = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    cuModuleLoadDataEx(&limited, text, 1, &option, &value);
    judge("limited to 64", limited, memory);
    CUlinkState state;
    void* image;
    cuLinkCreate(1, &option, &value, &state);
    cuLinkAddData(state, CU_JIT_INPUT_PTX, text, length + 1, "many", 0, nullptr, nullptr);
    cuLinkComplete(state, &image, nullptr);
    cuModuleLoadData(&linked, image);
    judge("linked, limited to 64", linked, memory);
    return 0;
  }
  look("many", many, data);
  look("bounded", bounded, data);
  look("few", few, data);
}
