// Kernels whose results depend on the order of blocks and warps, and such whose do not.
#include <cstdio>
#include <cstdlib>
#include <cstring>

// Who comes last wins, and every access is atomic.
__global__ void last(int *to) {
  if (threadIdx.x == 0) atomicExch(to, blockIdx.x);
}

// A number for each block, in the order in which they come.
__global__ void tickets(int *counter, int *ticket) {
  if (threadIdx.x == 0) ticket[blockIdx.x] = atomicAdd(counter, 1) * 10 + ticket[blockIdx.x];
}

// The elements that are wanted, in any order.
__global__ void compact(const int *from, int *to, int *count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (from[i] % 3 == 0) to[atomicAdd(count, 1)] = from[i];
}

__global__ void sum_floats(const float *from, float *sum) {
  atomicAdd(sum, from[blockIdx.x * blockDim.x + threadIdx.x]);
}

__global__ void sum_ints(const int *from, int *sum) {
  atomicAdd(sum, from[blockIdx.x * blockDim.x + threadIdx.x]);
}

// The last block adds what the others left, in the order of the blocks.
__device__ unsigned done;
__global__ void last_block(const int *from, int *parts, int *sum) {
  __shared__ bool is_last;
  __shared__ int part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  atomicAdd(&part, from[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = part;
    __threadfence();
    is_last = atomicAdd(&done, 1) == gridDim.x - 1;
    if (is_last) {
      __threadfence();
      int all = 0;
      for (unsigned b = 0; b < gridDim.x; ++b) all += ((volatile int *)parts)[b];
      *sum = all;
      done = 0;
    }
  }
}

// Slots in any order, which one block then brings into order.
__global__ void slots_sorted(const int *from, int *slots, int *to, int *count, int n) {
  __shared__ bool is_last;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  slots[atomicAdd(count, 1)] = from[i];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&done, 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    const int value = ((volatile int *)slots)[k];
    int below = 0;
    for (int m = 0; m < n; ++m) below += ((volatile int *)slots)[m] < value;
    to[below] = value;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += blockDim.x) slots[k] = 0;
  if (threadIdx.x == 0) done = 0;
}

// Each block waits for the one before it.
__global__ void chain(volatile int *flags, int *to) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 0)
    while (flags[blockIdx.x - 1] == 0) {
    }
  __threadfence();
  to[blockIdx.x] = blockIdx.x == 0 ? 1 : to[blockIdx.x - 1] * 2 + 1;
  __threadfence();
  flags[blockIdx.x] = 1;
}

// Two warps of one block: which one is first.
__global__ void warps(int *to) {
  __shared__ int first;
  if (threadIdx.x == 0) first = -1;
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicCAS(&first, -1, threadIdx.x / 32);
  __syncthreads();
  if (threadIdx.x == 0) *to = first;
}

// In another order it writes beyond its memory.
__global__ void beyond(int *to, int *flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) atomicExch(flag, 1);
  if (blockIdx.x == 3 && atomicAdd(flag, 0) == 0) to[1 << 28] = 1;
}

// Memory of the heap: what is in it is the same, where it lies is not.
__global__ void heap(int **to) {
  int *mine = (int *)malloc(64);
  mine[0] = blockIdx.x;
  to[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

__device__ long long now() {
  long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}
__global__ void timed(long long *to) { to[blockIdx.x] = now(); }
// A clock that is read in some orders only: as if its values agreed by chance in the program's own one.
__global__ void sometimes_timed(long long *to) {
  if (blockIdx.x == 1) to[1] = 1;
  if (blockIdx.x == 0 && to[1] == 0) to[0] = 1;
  if (blockIdx.x == 0 && to[1] != 0) to[0] = now();
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  constexpr int blocks = 8, threads = 64, n = blocks * threads;
  int ints[n];
  float floats[n];
  for (int i = 0; i < n; ++i) ints[i] = (i * 37) % 101 * 8 + i, floats[i] = 1.0f / (1 + ints[i]);
  int *from, *a, *b, *c;
  float *numbers, *sum;
  cudaMalloc(&from, sizeof ints), cudaMalloc(&a, 4096), cudaMalloc(&b, 4096), cudaMalloc(&c, 4096);
  cudaMalloc(&numbers, sizeof floats), cudaMalloc(&sum, 4);
  cudaMemcpy(from, ints, sizeof ints, cudaMemcpyHostToDevice);
  cudaMemcpy(numbers, floats, sizeof floats, cudaMemcpyHostToDevice);
  cudaMemset(a, 0, 4096), cudaMemset(b, 0, 4096), cudaMemset(c, 0, 4096), cudaMemset(sum, 0, 4);
  const int times = argc > 2 ? atoi(argv[2]) : 1;
  for (int i = 0; i < times; ++i) {
    if (!strcmp(what, "last")) last<<<blocks, threads>>>(a);
    if (!strcmp(what, "tickets")) tickets<<<blocks, threads>>>(a, b);
    if (!strcmp(what, "compact")) compact<<<blocks, threads>>>(from, a, b);
    if (!strcmp(what, "sum_floats")) sum_floats<<<blocks, threads>>>(numbers, sum);
    if (!strcmp(what, "sum_ints")) sum_ints<<<blocks, threads>>>(from, a);
    if (!strcmp(what, "last_block")) last_block<<<blocks, threads>>>(from, a, b);
    if (!strcmp(what, "slots_sorted")) slots_sorted<<<blocks, threads>>>(from, a, b, c, n);
    if (!strcmp(what, "chain")) chain<<<blocks, threads>>>(a, b);
    if (!strcmp(what, "warps")) warps<<<1, threads>>>(a);
    if (!strcmp(what, "beyond")) beyond<<<blocks, threads>>>(a, b);
    if (!strcmp(what, "heap")) heap<<<2, 32>>>((int **)a);
    if (!strcmp(what, "sometimes_timed")) sometimes_timed<<<2, 1>>>((long long *)a);
    if (!strcmp(what, "timed")) timed<<<blocks, 1>>>((long long *)a);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  int result = 0;
  cudaMemcpy(&result, a, 4, cudaMemcpyDeviceToHost);
  printf("%s: %s %d\n", what, cudaGetErrorName(error), result);
  return 0;
}
