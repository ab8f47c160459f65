#include <cstdio>
__global__ void nothing() {}
int main() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return 1;
  nothing<<<1, 1>>>();
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  std::printf("%d device\n", count);
}
