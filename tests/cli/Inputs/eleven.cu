// As if compiled for CUDA 11, whose structure of a kernel's attributes was shorter: what lies behind it stays
// as it was.
#include <cstdio>
#include <cstring>

extern "C" int version_of_11(int* version) __asm__("cudaRuntimeGetVersion");
extern "C" int attributes_of_11(void* attributes, const void* kernel) __asm__("cudaFuncGetAttributes");

__global__ void twice(int* x) { x[threadIdx.x] *= 2; }

int main() {
  unsigned char room[256];
  memset(room, 0xee, sizeof room);
  int version = 0;
  int failed = version_of_11(&version) + attributes_of_11(room, reinterpret_cast<const void*>(twice));
  int threads = 0;
  memcpy(&threads, room + 24, sizeof threads);
  int written = 0;
  for (int i = 0; i < 256; ++i)
    if (room[i] != 0xee) written = i + 1;
  printf("%d: %d, %d threads, at most %d bytes written\n", failed, version, threads, written);
  return failed;
}
