// Kernels that are given what is the host's own, or another device's: illegal addresses, as on a device, named by the argument; on both
// executors, and in both kinds of native code.
// RUN: %nvcc -std=c++17 -lineinfo -rdc=true %s -o %t
// RUN: env HEDDLE_DEVICES=h200,h200 CUDA_LOG_FILE=stdout %t | FileCheck %s
// RUN: env HEDDLE_DEVICES=h200,h200 CUDA_LOG_FILE=stdout HEDDLE_JIT_TIER=best %t | FileCheck %s
// RUN: env HEDDLE_DEVICES=h200,h200 CUDA_LOG_FILE=stdout HEDDLE_JIT_VECTORS=0 %t | FileCheck %s
// RUN: env HEDDLE_DEVICES=h200,h200 CUDA_LOG_FILE=stdout HEDDLE_EXECUTOR=interp %t | FileCheck %s
// CHECK: host_pointers.cu:[[#@LINE+26]]:{{.*}}illegal address: read of 4 bytes at 0x{{.*}}memory of the host{{.*}}; the 2nd argument of the launch is 0x
// CHECK: host arrays: cudaErrorIllegalAddress, c[7] = 0
// CHECK: illegal address: write of 4 bytes at 0x{{.*}}; the 1st argument of the launch is 0x
// CHECK: host result: cudaErrorIllegalAddress, c[7] = 0
// CHECK: the 1st argument of the launch has at byte 8 0x
// CHECK: in a structure: cudaErrorIllegalAddress, c[7] = 0
// CHECK: the 2nd argument of the launch is 0x
// CHECK: in a graph: cudaErrorIllegalAddress, c[7] = 0
// CHECK: the 1st argument of the launch is 0x
// CHECK: launched by a kernel: cudaErrorIllegalAddress, c[7] = 0
// CHECK: of another context
// CHECK: another device's: cudaErrorIllegalAddress, 5
// CHECK-NEXT: with access: cudaSuccess, 9
// CHECK-NEXT: registered: cudaSuccess, c[7] = 14
// CHECK-NEXT: managed: cudaSuccess, 9
// CHECK-NEXT: page-locked: cudaSuccess, 9
// CHECK-NEXT: not touched: cudaSuccess
// CHECK-NEXT: printed: 1, cudaSuccess
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int n = 1000;

__global__ void add(float* c, const float* a, const float* b, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}
struct Vectors {
  int count;
  float* out;
  const float* in;
};
__global__ void copy(Vectors v) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < v.count) v.out[i] = v.in[i];
}
__global__ void set(int* p, int value) { *p = value; }
__global__ void launch(float* c, const float* a, const float* b, int count) { add<<<4, 256>>>(c, a, b, count); }
__global__ void set_if(int* p, bool really) {
  if (really) *p = 1;
}
__global__ void show(const int* p, const int* q) { printf("printed: %d", p == q); }

static void tell(const char* what, const char* more = "\n") {
  std::printf("%s: %s%s", what, cudaGetErrorName(cudaDeviceSynchronize()), more);
}

int main() {
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = b[i] = i;
  float *x, *y;
  const auto begin = [&] {
    cudaDeviceReset();
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
  };
  begin();
  add<<<4, 256>>>(c.data(), a.data(), b.data(), n);
  tell("host arrays", "");
  std::printf(", c[7] = %g\n", c[7]);
  begin();
  add<<<4, 256>>>(c.data(), x, y, n);
  tell("host result", "");
  std::printf(", c[7] = %g\n", c[7]);
  begin();
  copy<<<4, 256>>>({n, c.data(), x});
  tell("in a structure", "");
  std::printf(", c[7] = %g\n", c[7]);

  begin();
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<4, 256, 0, stream>>>(x, a.data(), y, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
  cudaGraphLaunch(executable, stream);
  tell("in a graph", "");
  std::printf(", c[7] = %g\n", c[7]);
  begin();
  launch<<<1, 1>>>(c.data(), x, y, n);
  tell("launched by a kernel", "");
  std::printf(", c[7] = %g\n", c[7]);

  cudaDeviceReset();
  int *first, *second, five = 5;
  cudaMalloc(&first, 4);
  cudaMemcpy(first, &five, 4, cudaMemcpyHostToDevice);
  cudaSetDevice(1);
  cudaMalloc(&second, 4);
  set<<<1, 1>>>(first, 6);
  tell("another device's", "");
  cudaDeviceReset();
  cudaMemcpy(&five, first, 4, cudaMemcpyDeviceToHost);
  std::printf(", %d\n", five);
  cudaDeviceEnablePeerAccess(0, 0);
  set<<<1, 1>>>(first, 9);
  tell("with access", "");
  cudaMemcpy(&five, first, 4, cudaMemcpyDeviceToHost);
  std::printf(", %d\n", five);

  cudaSetDevice(0);
  for (std::vector<float>* all : {&a, &b, &c}) cudaHostRegister(all->data(), n * sizeof(float), cudaHostRegisterMapped);
  add<<<4, 256>>>(c.data(), a.data(), b.data(), n);
  tell("registered", "");
  std::printf(", c[7] = %g\n", c[7]);
  int *managed, *locked, *plain = static_cast<int*>(std::malloc(4));
  cudaMallocManaged(&managed, 4);
  cudaMallocHost(&locked, 4);
  set<<<1, 1>>>(managed, 9);
  tell("managed", "");
  std::printf(", %d\n", *managed);
  set<<<1, 1>>>(locked, 9);
  tell("page-locked", "");
  std::printf(", %d\n", *locked);
  set_if<<<1, 1>>>(plain, false);
  tell("not touched");
  show<<<1, 1>>>(plain, plain);
  const cudaError_t shown = cudaDeviceSynchronize();
  std::printf(", %s\n", cudaGetErrorName(shown));
}
