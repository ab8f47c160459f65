// What the guide promises about order: one stream's grids one after another, a tail launch behind everything,
// a grid ended only when its descendants have, and the host's stream waits for all of them.
// RUN: %nvcc -rdc=true %s -o %t && %t && env HEDDLE_EXECUTOR=interp %t
#include <cstdio>

__device__ int log_[4096];
__device__ int length;
__device__ void note(int what) { log_[atomicAdd(&length, 1)] = what; }

__global__ void leaf(int what) { note(what); }
// Its children have ended when the next grid of the same stream begins.
__global__ void branch(int what) {
  leaf<<<1, 1>>>(what + 1);
  leaf<<<1, 1>>>(what + 2);
  note(what);
}
__global__ void last(int left) {
  note(900 + left);
  if (left > 0) last<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1);
}
__global__ void copied(const int* from) { note(from[0] == 5 && from[1] == 0x01010101 ? 700 : 799); }

__global__ void parent(int* memory) {
  last<<<1, 1, 0, cudaStreamTailLaunch>>>(3);
  leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(950);
  branch<<<1, 1>>>(100);
  branch<<<1, 1>>>(200);
  leaf<<<1, 1, 0, cudaStreamFireAndForget>>>(300);
  cudaStream_t one, two;
  cudaEvent_t event;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  branch<<<1, 1, 0, one>>>(400);
  cudaEventRecord(event, one);
  cudaStreamWaitEvent(two, event, 0);
  leaf<<<1, 1, 0, two>>>(500);
  cudaEventDestroy(event);
  memory[0] = 5;
  cudaMemcpyAsync(memory + 2, memory, sizeof(int), cudaMemcpyDeviceToDevice, one);
  cudaMemsetAsync(memory + 3, 1, sizeof(int), one);
  copied<<<1, 1, 0, one>>>(memory + 2);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  note(1);
}

__global__ void endless(int left, long long* count) {
  ++*count;
  if (left > 0) endless<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1, count);
}

int at[1000], n, got[4096];
int check(const char* what, bool good) { return good ? 0 : printf("wrong: %s\n", what) > 0; }

int main() {
  int* memory;
  cudaMalloc(&memory, 64);
  parent<<<1, 1>>>(memory);
  leaf<<<1, 1>>>(999);
  if (const cudaError_t error = cudaDeviceSynchronize()) return printf("%s\n", cudaGetErrorString(error)), 1;
  cudaMemcpyFromSymbol(&n, length, sizeof n);
  cudaMemcpyFromSymbol(got, log_, sizeof got);
  for (int i = 0; i < n; ++i) at[got[i]] = i + 1;
  int wrong = check("everything ran once", n == 19);
  for (int base : {100, 200, 400}) wrong += check("children run", at[base] && at[base + 1] && at[base + 2]);
  wrong += check("children in order", at[101] < at[102] && at[201] < at[202]);
  wrong += check("a grid of the same stream waits for the descendants of the one before",
                 at[200] > at[102] && at[201] > at[102]);
  wrong += check("an event carries the order to another stream", at[500] > at[402] && at[500] > at[400]);
  wrong += check("copies keep the stream's order", at[700] > at[402]);
  for (int i = 1; i < 900; ++i) wrong += check("tail launches come behind all else", at[i] == 0 || at[i] < at[903]);
  wrong += check("tail launches in order, each with its own", at[903] < at[902] && at[902] < at[901] &&
                                                                  at[901] < at[900] && at[900] < at[950]);
  wrong += check("the host's next grid waits for all", at[999] == n);

  long long* count;
  cudaMallocManaged(&count, sizeof *count);
  *count = 0;
  endless<<<1, 1>>>(3000, count);
  wrong += check("a chain of tail launches has no depth", cudaDeviceSynchronize() == cudaSuccess && *count == 3001);
  return wrong;
}
