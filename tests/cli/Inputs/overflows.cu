// Integers that do not fit: where it matters, and where it does not.
#include <climits>
#include <cstdio>
#include <cstring>

__global__ void shortest(const int *from, int *to) {
  const int i = threadIdx.x;
  const int next = from[i] + 1;  // INT_MAX: not come to yet
  if (to[i] > next) to[i] = next;
}

// The same, and it asks before.
__global__ void guarded(const int *from, int *to) {
  const int i = threadIdx.x;
  if (from[i] != INT_MAX) {
    const int next = from[i] + 1;
    if (to[i] > next) to[i] = next;
  }
}

__global__ void index(const int *from, int *to) {
  to[from[threadIdx.x] * 3] = 1;
}

__global__ void smallest(const int *from, int *to) {
  atomicMin(to, from[threadIdx.x] * 1000000);
}

// Random numbers, hashes, and sums of which the lowest bits are meant.
__global__ void unsigneds(const int *from, int *to) {
  unsigned state = from[threadIdx.x] * 1664525u + 1013904223u;
  for (int i = 0; i < 8; ++i) state = state * 1664525u + 1013904223u;
  unsigned hash = 2166136261u;
  for (int i = 0; i < 4; ++i) hash = (hash ^ (state >> (8 * i) & 0xff)) * 16777619u;
  to[threadIdx.x] = (hash >> 8) % 1000 + static_cast<int>(static_cast<float>(state) * 0.0f);
}

__global__ void halves(const int *from, long long *to) {
  const int i = threadIdx.x;
  to[i] = (from[i] + from[i + 1]) / 2;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int ints[64];
  for (int i = 0; i < 64; ++i) ints[i] = i == 5 || i == 6 ? INT_MAX : i * 400;
  int *from, *to;
  cudaMalloc(&from, sizeof ints), cudaMalloc(&to, 1 << 20);
  cudaMemcpy(from, ints, sizeof ints, cudaMemcpyHostToDevice);
  cudaMemset(to, 0, 4096);
  if (!strcmp(what, "shortest")) shortest<<<1, 32>>>(from, to);
  if (!strcmp(what, "guarded")) guarded<<<1, 32>>>(from, to);
  if (!strcmp(what, "index")) index<<<1, 64>>>(from, to);
  if (!strcmp(what, "smallest")) smallest<<<1, 32>>>(from, to);
  if (!strcmp(what, "unsigneds")) unsigneds<<<1, 32>>>(from, to);
  if (!strcmp(what, "halves")) halves<<<1, 32>>>(from, (long long *)to);
  printf("%s: %s\n", what, cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
