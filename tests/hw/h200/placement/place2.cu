// Where blocks and warps are: recorded to judge a rule that was found with another recording.
#include <cstdio>
#include <vector>
__global__ void place(int* sm, int* warp, long long* begin, long long* end, int spin, int uneven) {
  unsigned s, w, l;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(w));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
  long long t0, t1;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  long long c = clock64(), n = spin; if (uneven && b % uneven == 0) n *= 4;
  while (clock64() - c < n) {}
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (t == 0) { sm[b] = s; begin[b] = t0; end[b] = t1; }
  if (l == 0) { int per = (blockDim.x * blockDim.y * blockDim.z + 31) / 32; warp[b * per + t / 32] = w; }
}
int main() {
  int *sm, *warp; long long *t0, *t1;
  cudaMallocManaged(&sm, 4 << 17); cudaMallocManaged(&warp, 4 << 20); cudaMallocManaged(&t0, 8 << 17); cudaMallocManaged(&t1, 8 << 17);
  struct Case { dim3 grid, block; int dyn, spin, uneven; } cases[] = {
    {{3000,1,1},{160,1,1},0,60000,0}, {{2000,1,1},{192,1,1},0,60000,0}, {{1800,1,1},{7,32,1},0,60000,0}, {{900,1,1},{320,1,1},0,60000,0},
    {{1500,1,1},{33,1,1},40000,60000,0}, {{1200,1,1},{20,1,1},60000,60000,0}, {{700,1,1},{992,1,1},0,60000,0}, {{40,25,1},{16,16,1},30000,60000,0},
    {{1000,1,1},{448,1,1},0,60000,3}, {{500,1,1},{640,1,1},0,60000,0}, {{2500,1,1},{96,1,1},20000,60000,0}};
  cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); cudaFuncAttributes a; cudaFuncGetAttributes(&a, place);
  int driver; cudaDriverGetVersion(&driver);
  printf("# %s, driver API %d, registers %d\n", p.name, driver, a.numRegs);
  int n = 0;
  for (const Case& c : cases) {
    place<<<c.grid, c.block, c.dyn>>>(sm, warp, t0, t1, c.spin, c.uneven);
    cudaError_t e = cudaDeviceSynchronize();
    int blocks = c.grid.x * c.grid.y * c.grid.z, per = (c.block.x * c.block.y * c.block.z + 31) / 32, resident = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, place, c.block.x * c.block.y * c.block.z, c.dyn);
    printf("case %d grid %d,%d,%d block %d,%d,%d dynamic %d spin %d uneven %d resident %d: %s\n", n++, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, c.dyn, c.spin, c.uneven, resident, cudaGetErrorName(e));
    long long first = t0[0]; for (int b = 0; b < blocks; ++b) if (t0[b] < first) first = t0[b];
    for (int b = 0; b < blocks; ++b) { printf("%d %d %lld %lld", b, sm[b], t0[b] - first, t1[b] - first); for (int w = 0; w < per; ++w) printf(" %d", warp[b * per + w]); printf("\n"); }
  }
}
