// Copies from and to memory of the host that is not there, or may not be read or written: errors of the call, whichever it is; nothing ends.
// RUN: %nvcc -std=c++17 %s -o %t -lcuda
// RUN: %t | FileCheck %s
// CHECK: ok
#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <cuda.h>

static int failures;
#define REFUSED(call)                                                                        \
  do {                                                                                       \
    const cudaError_t result = (call);                                                       \
    if (result != cudaErrorInvalidValue && ++failures)                                       \
      std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(result));           \
  } while (false)
#define REFUSED_BY_DRIVER(call)                                                              \
  do {                                                                                       \
    const CUresult result = (call);                                                          \
    if (result != CUDA_ERROR_INVALID_VALUE && ++failures)                                    \
      std::printf("line %d: %s: %d\n", __LINE__, #call, static_cast<int>(result));           \
  } while (false)
#define GOOD(call)                                                                           \
  do {                                                                                       \
    const int result = static_cast<int>(call);                                               \
    if (result != 0 && ++failures) std::printf("line %d: %s: %d\n", __LINE__, #call, result); \
  } while (false)

__device__ char variable[256];

constexpr size_t page = 4096, bytes = 64;

// `place`: where `bytes` bytes are bad for a copy to the device, from it, or both.
static void refuse(char* device, char* place, bool to, bool from) {
  cudaStream_t stream;
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<char>();
  GOOD(cudaStreamCreate(&stream));
  GOOD(cudaMallocArray(&array, &format, 64, 4));
  const auto address = reinterpret_cast<CUdeviceptr>(device);
  cudaMemcpy3DParms box = {};
  box.extent = make_cudaExtent(16, 2, 2);
  box.kind = cudaMemcpyDefault;
  const cudaPitchedPtr host = make_cudaPitchedPtr(place, 16, 16, 2), other = make_cudaPitchedPtr(device, 16, 16, 2);
  if (to) {
    REFUSED(cudaMemcpy(device, place, bytes, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy(device, place, bytes, cudaMemcpyDefault));
    REFUSED(cudaMemcpyAsync(device, place, bytes, cudaMemcpyHostToDevice, stream));
    REFUSED(cudaMemcpy2D(device, 16, place, 16, 16, 4, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpy2DAsync(device, 16, place, 16, 16, 4, cudaMemcpyHostToDevice, stream));
    REFUSED(cudaMemcpy2DToArray(array, 0, 0, place, 16, 16, 4, cudaMemcpyHostToDevice));
    REFUSED(cudaMemcpyToSymbol(variable, place, bytes));
    REFUSED(cudaMemcpyToSymbolAsync(variable, place, bytes, 0, cudaMemcpyHostToDevice, stream));
    box.srcPtr = host;
    box.dstPtr = other;
    REFUSED(cudaMemcpy3D(&box));
    REFUSED(cudaMemcpy3DAsync(&box, stream));
    REFUSED_BY_DRIVER(cuMemcpyHtoD(address, place, bytes));
    REFUSED_BY_DRIVER(cuMemcpyHtoDAsync(address, place, bytes, stream));
    REFUSED_BY_DRIVER(cuMemcpy(address, reinterpret_cast<CUdeviceptr>(place), bytes));
  }
  if (from) {
    REFUSED(cudaMemcpy(place, device, bytes, cudaMemcpyDeviceToHost));
    REFUSED(cudaMemcpy(place, device, bytes, cudaMemcpyDefault));
    REFUSED(cudaMemcpyAsync(place, device, bytes, cudaMemcpyDeviceToHost, stream));
    REFUSED(cudaMemcpy2D(place, 16, device, 16, 16, 4, cudaMemcpyDeviceToHost));
    REFUSED(cudaMemcpy2DFromArray(place, 16, array, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
    REFUSED(cudaMemcpyFromSymbol(place, variable, bytes));
    box.srcPtr = other;
    box.dstPtr = host;
    REFUSED(cudaMemcpy3D(&box));
    REFUSED_BY_DRIVER(cuMemcpyDtoH(place, address, bytes));
    REFUSED_BY_DRIVER(cuMemcpyDtoHAsync(place, address, bytes, stream));
  }
  REFUSED(cudaMemset(place, 0, bytes));
  REFUSED(cudaMemsetAsync(place, 0, bytes, stream));
  REFUSED(cudaMemset2D(place, 16, 0, 16, 4));
  REFUSED_BY_DRIVER(cuMemsetD8(reinterpret_cast<CUdeviceptr>(place), 0, bytes));
  REFUSED_BY_DRIVER(cuMemsetD32(reinterpret_cast<CUdeviceptr>(place), 0, bytes / 4));
  GOOD(cudaStreamSynchronize(stream));
  GOOD(cudaFreeArray(array));
  GOOD(cudaStreamDestroy(stream));
}

int main() {
  char *device, back[bytes] = {}, source[bytes];
  std::memset(source, 5, sizeof source);
  GOOD(cudaMalloc(&device, bytes));
  auto* pages = static_cast<char*>(mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  GOOD(cudaMemcpy(device, pages + page - 8, bytes, cudaMemcpyHostToDevice));  // over two pages that are there
  GOOD(mprotect(pages + page, page, PROT_READ));
  refuse(device, pages + page + 128, false, true);
  refuse(device, pages + page - 8, false, true);
  GOOD(mprotect(pages + page, page, PROT_NONE));
  refuse(device, pages + page + 128, true, true);
  refuse(device, pages + page - 8, true, true);  // begins where all is well
  refuse(device, pages + 2 * page - 8, true, true);  // ends there
  GOOD(munmap(pages, 3 * page));
  refuse(device, pages, true, true);
  refuse(device, reinterpret_cast<char*>(16), true, true);
  refuse(device, reinterpret_cast<char*>(~uintptr_t{63}), true, true);
  refuse(device, reinterpret_cast<char*>(uintptr_t{1} << 50), true, true);
  // And all goes on.
  GOOD(cudaMemcpy(device, source, bytes, cudaMemcpyHostToDevice));
  GOOD(cudaMemcpy(back, device, bytes, cudaMemcpyDeviceToHost));
  GOOD(std::memcmp(back, source, bytes));
  std::printf(failures == 0 ? "ok\n" : "%d wrong\n", failures);
}
