// The tutorial's page 99: `nvcc -cubin` writes text for devices of capability 1.x, with what a kernel takes. smem is variables (2048), arguments (3 pointers and
// 2 integers) and the system's 16 bytes; pointers have 8 bytes here, not 4 as then.
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && %nvcc -arch=sm_13 -cubin %s -o product.cubin && grep -v 0x product.cubin | FileCheck %s --check-prefix=TEXT
// TEXT: {{^}}architecture {sm_13}{{$}}
// TEXT-NEXT: {{^}}abiversion {1}{{$}}
// TEXT-NEXT: {{^}}modname {cubin}{{$}}
// TEXT: {{^}}code {{{$}}
// TEXT-NEXT: {{^}} name = product{{$}}
// TEXT-NEXT: {{^}} lmem = 0{{$}}
// TEXT-NEXT: {{^}} smem = 2096{{$}}
// TEXT-NEXT: {{^}} reg = {{[0-9]+}}{{$}}
// TEXT-NEXT: {{^}} bar = 1{{$}}
// TEXT-NEXT: {{^}} bincode {{{$}}
//
// Tools take it.
// RUN: cd %t.d && %cuobjdump -ptx product.cubin | FileCheck %s --check-prefix=PTX
// PTX: arch = sm_13
// PTX: .entry product(
// RUN: cd %t.d && %cuobjdump -res-usage product.cubin 2>&1 | FileCheck %s --check-prefix=USAGE
// USAGE: product
// USAGE: bytes smem
// RUN: cd %t.d && %heddle occupancy --device gtx285 --block 256 product.cubin | FileCheck %s --check-prefix=OCCUPANCY
// OCCUPANCY: {{^}}kernel product of product.cubin{{$}}
// RUN: cd %t.d && %fatbinary --create=all.fatbin -64 --image3=kind=elf,sm=13,file=product.cubin && %cuobjdump all.fatbin | FileCheck %s --check-prefix=FAT
// FAT: arch = sm_13
//
// Programs load it, from a file and from memory; machine code of that time is refused.
// RUN: cd %t.d && echo 'architecture {sm_10} abiversion {1} modname {cubin} code { name = k lmem = 0 smem = 28 reg = 4 bar = 0 bincode { 0xa0004c05 0x04200780 } }' > machine.cubin
// RUN: cd %t.d && %nvcc -DHOST %s -lcuda -o host && env HEDDLE_DEVICE=gtx285 ./host | FileCheck %s --check-prefix=LOADED
// LOADED: {{^}}file 0, memory 0, product 14{{$}}
// LOADED: {{^}}machine code 209{{$}}
#ifdef HOST
#include <cuda.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

int main() {
  CUdevice device;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, nullptr, 0, device);
  std::ostringstream text;
  text << std::ifstream("product.cubin").rdbuf();
  CUmodule file, memory, machine;
  const CUresult from_file = cuModuleLoad(&file, "product.cubin"), from_memory = cuModuleLoadData(&memory, text.str().c_str());
  CUfunction kernel;
  cuModuleGetFunction(&kernel, memory, "product");
  float a[256], b[256];
  for (int i = 0; i < 256; ++i) a[i] = static_cast<float>(i), b[i] = i % 17 == 0 ? 2.f : 0.f;
  CUdeviceptr buffers[3];
  for (CUdeviceptr& buffer : buffers) cuMemAlloc(&buffer, sizeof a);
  cuMemcpyHtoD(buffers[0], a, sizeof a);
  cuMemcpyHtoD(buffers[1], b, sizeof b);
  int width = 16, height = 16;
  void* arguments[] = {&buffers[0], &buffers[1], &buffers[2], &width, &height};
  cuLaunchKernel(kernel, 1, 1, 1, 16, 16, 1, 0, nullptr, arguments, nullptr);
  cuMemcpyDtoH(a, buffers[2], sizeof a);
  std::printf("file %d, memory %d, product %g\n", from_file, from_memory, a[7]);
  std::printf("machine code %d\n", cuModuleLoad(&machine, "machine.cubin"));
}
#else
extern "C" __global__ void product(const float* a, const float* b, float* c, int width, int height) {
  __shared__ float x[16][16], y[16][16];
  const int column = threadIdx.x, row = threadIdx.y;
  x[row][column] = a[row * width + column];
  y[row][column] = b[row * width + column];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < height; ++k) sum += x[row][k] * y[k][column];
  c[row * width + column] = sum;
}
#endif
