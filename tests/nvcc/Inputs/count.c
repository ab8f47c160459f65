#include <cuda_runtime_api.h>
#include <stdio.h>

int main(void) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return 1;
  printf("%d device\n", count);
  return 0;
}
