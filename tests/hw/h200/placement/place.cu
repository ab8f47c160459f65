#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void place(int* sm, int* warp, long long* begin, long long* end, int spin, int uneven) {
  unsigned s, w, l, ns, nw;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(w));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(ns));
  asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(nw));
  long long t0, t1;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  long long c = clock64(), n = spin; if (uneven && b % uneven == 0) n *= 8;
  while (clock64() - c < n) {}
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (t == 0) { sm[b] = s; begin[b] = t0; end[b] = t1; }
  if (l == 0) { int per = (blockDim.x * blockDim.y * blockDim.z + 31) / 32; warp[b * per + t / 32] = w; }
  if (b == 0 && t == 0) { sm[1 << 16] = ns; sm[(1 << 16) + 1] = nw; }
}
int main() {
  int *sm, *warp; long long *t0, *t1;
  cudaMallocManaged(&sm, 4 << 17); cudaMallocManaged(&warp, 4 << 20); cudaMallocManaged(&t0, 8 << 17); cudaMallocManaged(&t1, 8 << 17);
  struct Case { dim3 grid, block; int dyn, spin, uneven; } cases[] = {
    {{132,1,1},{32,1,1},0,20000,0}, {{264,1,1},{64,1,1},0,20000,0}, {{600,1,1},{1024,1,1},0,20000,0}, {{600,1,1},{128,1,1},200000,20000,0},
    {{800,1,1},{256,1,1},100000,20000,7}, {{4096,1,1},{128,1,1},0,50000,0}, {{12,11,3},{8,8,2},0,50000,0}, {{5000,1,1},{96,1,1},0,30000,5}};
  int n = 0;
  for (const Case& c : cases) for (int repeat = 0; repeat < 2; ++repeat) {
    cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);
    place<<<c.grid, c.block, c.dyn>>>(sm, warp, t0, t1, c.spin, c.uneven);
    cudaError_t e = cudaDeviceSynchronize();
    int blocks = c.grid.x * c.grid.y * c.grid.z, per = (c.block.x * c.block.y * c.block.z + 31) / 32;
    printf("case %d repeat %d grid %d,%d,%d block %d,%d,%d dynamic %d spin %d uneven %d: %s nsmid %d nwarpid %d\n", n / 2, repeat, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, c.dyn, c.spin, c.uneven, cudaGetErrorString(e), sm[1 << 16], sm[(1 << 16) + 1]);
    long long first = t0[0]; for (int b = 0; b < blocks; ++b) if (t0[b] < first) first = t0[b];
    for (int b = 0; b < blocks; ++b) { printf("%d %d %lld %lld", b, sm[b], t0[b] - first, t1[b] - first); if (b < 700) for (int w = 0; w < per; ++w) printf(" %d", warp[b * per + w]); printf("\n"); }
    ++n;
  }
}
