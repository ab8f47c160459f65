// Work of two streams, ordered and not.
#include <cstdio>
#include <cstring>

__global__ void put(int *p, int value) {
  p[threadIdx.x] = value;
}
__global__ void add(int *p, int value) {
  atomicAdd(p + threadIdx.x, value);
}
__global__ void add_floats(float *p, float value) {
  atomicAdd(p + threadIdx.x, value);
}
__global__ void copy(const int *from, int *to) {
  to[threadIdx.x] = from[threadIdx.x];
}
__global__ void other(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = p[i] * 3 + 1;
}

__global__ void times(long long *p) {
  const long long start = clock64();
  while (clock64() - start < 100000) {
  }
  // Not a difference of clocks, which may be the same twice.
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(*p));
}

int main(int argc, char **argv) {
  const char *what = argv[1];
  const auto is = [&](const char *name) { return std::strcmp(what, name) == 0; };
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t event;
  cudaEventCreate(&event);
  int *p, *q, *mine, *theirs;
  cudaMalloc(&p, 256);
  cudaMalloc(&q, 256);
  cudaMalloc(&mine, 4096);
  cudaMalloc(&theirs, 4096);
  cudaMemset(p, 0, 256);
  cudaMemset(q, 0, 256);
  cudaMemset(mine, 0, 4096);
  cudaMemset(theirs, 0, 4096);
  int *host;
  cudaMallocHost(&host, 256);
  std::memset(host, 0, 256);
  cudaDeviceSynchronize();

  if (is("last")) {
    put<<<1, 32, 0, a>>>(p, 1);
    put<<<1, 32, 0, b>>>(p, 2);
  } else if (is("event")) {
    put<<<1, 32, 0, a>>>(p, 1);
    cudaEventRecord(event, a);
    cudaStreamWaitEvent(b, event, 0);
    put<<<1, 32, 0, b>>>(p, 2);
  } else if (is("times")) {
    times<<<1, 1, 0, a>>>((long long *)p);
    times<<<1, 1, 0, b>>>((long long *)q);
  } else if (is("one")) {
    put<<<1, 32, 0, a>>>(p, 1);
    put<<<1, 32, 0, a>>>(p, 2);
  } else if (is("back")) {
    put<<<1, 32, 0, a>>>(p, 3);
    cudaMemcpyAsync(host, p, 128, cudaMemcpyDeviceToHost, b);
  } else if (is("sum")) {
    add<<<1, 32, 0, a>>>(p, 1);
    add<<<1, 32, 0, b>>>(p, 2);
  } else if (is("floats")) {
    // (2^-24 + 1) + 2^-24 is 1, (2^-24 + 2^-24) + 1 is not.
    add_floats<<<1, 32, 0, a>>>((float *)p, 0x1p-24f);
    add_floats<<<1, 32, 0, a>>>((float *)p, 1.0f);
    add_floats<<<1, 32, 0, b>>>((float *)p, 0x1p-24f);
  } else if (is("far")) {
    // Among much that has nothing to do with it.
    for (int i = 0; i < 10; ++i) {
      other<<<1, 64, 0, a>>>(mine, 1024);
      other<<<1, 64, 0, b>>>(theirs, 1024);
      if (i == 3) put<<<1, 32, 0, a>>>(p, 7);
      if (i == 6) copy<<<1, 32, 0, b>>>(p, q);
    }
  } else if (is("callback")) {
    // A function of the host cannot be run twice: what stands behind it is not tried.
    cudaLaunchHostFunc(a, [](void *) { std::printf("once\n"); }, nullptr);
    put<<<1, 32, 0, a>>>(p, 1);
    put<<<1, 32, 0, b>>>(p, 2);
  } else if (is("asked")) {
    put<<<1, 32, 0, a>>>(p, 1);
    put<<<1, 32, 0, b>>>(p, 2);
    while (cudaStreamQuery(a) == cudaErrorNotReady || cudaStreamQuery(b) == cudaErrorNotReady) {
    }
  } else if (is("graph")) {
    // Two branches of a graph.
    cudaGraph_t graph;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(event, a);
    cudaStreamWaitEvent(b, event, 0);
    put<<<1, 32, 0, a>>>(p, 1);
    put<<<1, 32, 0, b>>>(p, 2);
    cudaEventRecord(event, b);
    cudaStreamWaitEvent(a, event, 0);
    cudaStreamEndCapture(a, &graph);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, a);
  }
  const cudaError_t state = cudaDeviceSynchronize();
  int values[2];
  cudaMemcpy(values, p, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(values + 1, q, 4, cudaMemcpyDeviceToHost);
  std::printf("%s: %s %d %d %d\n", what, cudaGetErrorName(state), values[0], values[1], host[0]);
}
