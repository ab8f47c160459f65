// hold [COMMAND [DEVICE]]: has 100 MiB of a device, of any that is free or of DEVICE, while COMMAND runs.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  cudaError_t error = argc > 2 ? cudaSetDevice(std::atoi(argv[2])) : cudaSuccess;
  void* memory = nullptr;
  if (error == cudaSuccess) error = cudaMalloc(&memory, 100 << 20);
  int device = -1;
  if (error == cudaSuccess) cudaGetDevice(&device);
  std::printf("%s on device %d\n", cudaGetErrorName(error), device);
  std::fflush(stdout);
  const bool nothing = argc < 2 || std::strcmp(argv[1], "-") == 0;
  return nothing || error != cudaSuccess ? 0 : std::system(argv[1]);
}
