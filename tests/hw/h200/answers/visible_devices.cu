// What cuInit and the counts of devices say; run once for each value of CUDA_VISIBLE_DEVICES. nvcc visible_devices.cu -lcuda
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
int main() {
  int n = -1, m = -1;
  CUresult i = cuInit(0), d = cuDeviceGetCount(&m);
  cudaError_t e = cudaGetDeviceCount(&n);
  char bus[32] = "";
  if (n > 0) cudaDeviceGetPCIBusId(bus, 32, 0);
  printf("cuInit %d, cuDeviceGetCount %d %d, cudaGetDeviceCount %d %s %d %s\n", (int)i, (int)d, m, (int)e,
         cudaGetErrorName(e), n, bus);
}
