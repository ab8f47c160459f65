// What a block may have by its registers: attribute, launches, occupancy.
#include <cstdio>
#define KERNEL(N) __global__ void __maxnreg__(N) k##N(float* o) { float r[230]; _Pragma("unroll") for (int i = 0; i < 230; ++i) r[i] = o[i * 7 + threadIdx.x]; __syncthreads(); _Pragma("unroll") for (int i = 0; i < 230; ++i) o[i * 11 + threadIdx.x] = r[(i * 37 + 11) % 230] * r[i]; }
KERNEL(24)
KERNEL(25)
KERNEL(31)
KERNEL(32)
KERNEL(33)
KERNEL(37)
KERNEL(40)
KERNEL(41)
KERNEL(48)
KERNEL(56)
KERNEL(64)
KERNEL(65)
KERNEL(72)
KERNEL(80)
KERNEL(81)
KERNEL(88)
KERNEL(96)
KERNEL(97)
KERNEL(104)
KERNEL(112)
KERNEL(120)
KERNEL(128)
KERNEL(129)
KERNEL(136)
KERNEL(144)
KERNEL(152)
KERNEL(160)
KERNEL(161)
KERNEL(168)
KERNEL(169)
KERNEL(176)
KERNEL(184)
KERNEL(192)
KERNEL(200)
KERNEL(208)
KERNEL(216)
KERNEL(224)
KERNEL(232)
KERNEL(240)
KERNEL(248)
KERNEL(255)

__global__ void free_(float* o) { float r[230];
#pragma unroll
  for (int i = 0; i < 230; ++i) r[i] = o[i * 7 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 230; ++i) o[i * 11 + threadIdx.x] = r[(i * 37 + 11) % 230] * r[i]; }
void look(const char* name, void (*k)(float*), float* d) {
  cudaFuncAttributes a; cudaFuncGetAttributes(&a, k);
  int most = 0; cudaError_t e = cudaSuccess, s;
  printf("%s registers %d maxThreadsPerBlock %d occupancy", name, a.numRegs, a.maxThreadsPerBlock);
  for (int t = 32; t <= 1024; t += 32) { int n = -1; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, t, 0); printf(" %d", n);
    k<<<1, t>>>(d); cudaError_t l = cudaGetLastError(); if (l == cudaSuccess) most = t; else if (e == cudaSuccess) e = l; }
  s = cudaDeviceSynchronize();
  int coop = -1; { void* args[] = {&d}; int n; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 128, 0); cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
    cudaError_t c1 = cudaLaunchCooperativeKernel((void*)k, n * p.multiProcessorCount, 128, args, 0, 0), c2 = cudaLaunchCooperativeKernel((void*)k, n * p.multiProcessorCount + 1, 128, args, 0, 0); cudaDeviceSynchronize(); cudaGetLastError();
    printf(" launched %d then %s sync %s cooperative %s %s\n", most, cudaGetErrorName(e), cudaGetErrorName(s), cudaGetErrorName(c1), cudaGetErrorName(c2)); }
}
int main() { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int v; cudaDriverGetVersion(&v); printf("# %s, driver API %d\n", p.name, v); float* d; cudaMalloc(&d, 1 << 20);
  look("free", free_, d);
  look("24", k24, d);
  look("25", k25, d);
  look("31", k31, d);
  look("32", k32, d);
  look("33", k33, d);
  look("37", k37, d);
  look("40", k40, d);
  look("41", k41, d);
  look("48", k48, d);
  look("56", k56, d);
  look("64", k64, d);
  look("65", k65, d);
  look("72", k72, d);
  look("80", k80, d);
  look("81", k81, d);
  look("88", k88, d);
  look("96", k96, d);
  look("97", k97, d);
  look("104", k104, d);
  look("112", k112, d);
  look("120", k120, d);
  look("128", k128, d);
  look("129", k129, d);
  look("136", k136, d);
  look("144", k144, d);
  look("152", k152, d);
  look("160", k160, d);
  look("161", k161, d);
  look("168", k168, d);
  look("169", k169, d);
  look("176", k176, d);
  look("184", k184, d);
  look("192", k192, d);
  look("200", k200, d);
  look("208", k208, d);
  look("216", k216, d);
  look("224", k224, d);
  look("232", k232, d);
  look("240", k240, d);
  look("248", k248, d);
  look("255", k255, d);
}
