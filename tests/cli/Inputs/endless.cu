// Programs that do not end: a host that never hears what it waits for, and a kernel.
#include <cstdio>

__global__ void step(int* flag, int) { *flag = 1; }
__global__ void spin(volatile int* flag) {
  while (flag[1] == 0) {
  }
}

int main(int count, char**) {
  int* flag = nullptr;
  cudaMalloc(&flag, 64);
  cudaMemset(flag, 0, 64);
  if (count > 1) {
    spin<<<1, 32>>>(flag);
    return cudaDeviceSynchronize() == cudaErrorLaunchTimeout ? 0 : 1;
  }
  int again = 1;
  for (int round = 0; again != 0; ++round) {
    again = 0;
    cudaMemcpy(flag, &again, 4, cudaMemcpyHostToDevice);
    step<<<1, 1>>>(flag, round);
    cudaMemcpy(&again, flag, 4, cudaMemcpyDeviceToHost);
  }
}
