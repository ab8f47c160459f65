// A host pointer that a kernel finds in memory, two steps from its argument: native code does not look that far, the guarded modes do
// (docs/reference/execution.md, "Where the fast executor differs"). On an H200 it is an illegal address.
// UNSUPPORTED: asan, tsan
// RUN: %nvcc -std=c++17 -lineinfo %s -o %t
// RUN: %t 2>/dev/null | FileCheck %s --check-prefix=NATIVE
// RUN: env HEDDLE_EXECUTOR=interp %t 2>%t.told | FileCheck %s --check-prefix=GUARDED
// RUN: FileCheck %s --check-prefix=TOLD < %t.told
// RUN: not %heddle check %t > %t.checked 2>&1
// RUN: FileCheck %s --check-prefix=CHECKED < %t.checked
// What lies there when the launch begins, or comes while the kernel runs.
// NATIVE: device memory: cudaSuccess 2
// NATIVE-NEXT: list: cudaSuccess
// NATIVE-NEXT: written meanwhile: cudaSuccess
// GUARDED: device memory: cudaSuccess 2
// GUARDED-NEXT: list: cudaErrorIllegalAddress
// GUARDED-NEXT: written meanwhile: cudaErrorIllegalAddress
// TOLD: far_pointers.cu:[[#@LINE+22]]:{{.*}}illegal address{{.*}}memory of the host
// TOLD: far_pointers.cu:[[#@LINE+27]]:{{.*}}illegal address{{.*}}memory of the host
// CHECKED: Invalid __global__ read of size 4 bytes
// CHECKED-NEXT: at last_of(const Node *){{.*}} in far_pointers.cu:[[#@LINE+19]]
// CHECKED: Invalid __global__ write of size 4 bytes
// CHECKED-NEXT: at last_of(const Node *){{.*}} in far_pointers.cu:[[#@LINE+17]]
// CHECKED: Invalid __global__ read of size 4 bytes
// CHECKED-NEXT: at put_then_use(float **, float **){{.*}} in far_pointers.cu:[[#@LINE+21]]
// CHECKED: ERROR SUMMARY: 4 errors
#include <cstdio>
#include <cstdlib>

struct Node {
  Node* next;
  float* data;
};
struct Line {
  float** slot;
  float* data;
};
__global__ void last_of(const Node* node) {
  while (node->next != nullptr) node = node->next;
  node->data[0] += 1;
}
__global__ void put_then_use(float** slot, float** from) {
  *slot = *from;
  __threadfence();
  float* volatile* seen = slot;
  **seen += 1;
}

template <class T>
static T* on_device(const T& value) {
  T* there = nullptr;
  cudaMalloc(&there, sizeof value);
  cudaMemcpy(there, &value, sizeof value, cudaMemcpyHostToDevice);
  return there;
}

static void list(const char* what, bool host) {
  float* data = host ? static_cast<float*>(std::calloc(64, 4)) : on_device(1.f);
  const Node* nodes = on_device(Node{on_device(Node{on_device(Node{nullptr, data}), nullptr}), nullptr});
  last_of<<<1, 1>>>(nodes);
  std::printf("%s: %s", what, cudaGetErrorName(cudaDeviceSynchronize()));
  float first = 0;
  if (!host) cudaMemcpy(&first, data, 4, cudaMemcpyDeviceToHost);
  if (!host) std::printf(" %g", first);
  std::printf("\n");
}
int main() {
  list("device memory", false);
  list("list", true);
  cudaDeviceReset();
  float* data = static_cast<float*>(std::calloc(64, 4));
  // A pointer of a pointer of the argument's.
  put_then_use<<<1, 1>>>(on_device<float*>(nullptr), on_device(data));
  std::printf("written meanwhile: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
