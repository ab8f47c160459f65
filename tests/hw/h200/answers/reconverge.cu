// In what company do lanes come to a block that has several ways in?
#include <cstdio>
__device__ __noinline__ int side(int x) { return x * 3 + 1; }
__global__ void k(unsigned* o, int a, int b) {
  int t = threadIdx.x;
  volatile unsigned* v = o;
  // short circuit
  if ((t & 3) == a || (side(t) & 7) == b) {
    v[t] = __activemask();
  } else {
    v[t] = ~__activemask();
  }
  __syncwarp();
  // switch with fall through
  unsigned m = 0;
  switch (t & 3) {
    case 0: v[200 + t] = 1;
    case 1: m = __activemask(); v[300 + t] = m;
    case 2:
      m = __activemask();
      v[32 + t] = m;
      break;
    default: v[32 + t] = 0;
  }
  __syncwarp();
  // loop with break to different ends
  int i = 0;
  unsigned e = 0;
  for (;;) {
    if (i == (t & 7)) {
      e = 1;
      break;
    }
    if (v[400 + i] == 77 + i) break;
    if (++i > 4) {
      e = 2;
      break;
    }
  }
  v[64 + t] = __activemask();
  v[96 + t] = e;
}
int main() {
  unsigned *d, h[512];
  cudaMalloc(&d, 4096);
  cudaMemset(d, 0, 4096);
  k<<<1, 32>>>(d, 1, 4);
  cudaMemcpy(h, d, 2048, cudaMemcpyDeviceToHost);
  printf("short:");
  for (int i = 0; i < 32; i++) printf(" %08x", h[i]);
  printf("\nfall1:");
  for (int i = 0; i < 32; i++) printf(" %08x", h[300 + i]);
  printf("\nfall2:");
  for (int i = 0; i < 32; i++) printf(" %08x", h[32 + i]);
  printf("\nbreak:");
  for (int i = 0; i < 32; i++) printf(" %08x", h[64 + i]);
  printf("\n");
}
