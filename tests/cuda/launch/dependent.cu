// Programmatic dependent launch: a grid that may begin before the one in front of it has ended sees what that one
// wrote once it has waited for it, in a stream, behind an event of that kind and as an edge of a graph. (CUDA C++
// Programming Guide, "Programmatic Dependent Launch and Synchronization".) The two functions need no -rdc.
// RUN: %nvcc -arch=sm_90 %s -o %t && %t | FileCheck %s
// RUN: not %nvcc -arch=sm_80 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=OLD %s
// OLD: griddepcontrol
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECKED(call)                                                                    \
  do {                                                                                   \
    const cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                         \
      std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(status));     \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)

const int count = 64 * 128;

// Each element becomes what the grid before left at the other end, and one more.
__global__ void pass_on(const int* from, int* to, bool trigger_first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (trigger_first)
    cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  to[i] = from[count - 1 - i] + 1;
  if (!trigger_first)
    cudaTriggerProgrammaticLaunchCompletion();
}

struct Launch {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
  Launch(cudaStream_t stream) {
    config.gridDim = dim3(64);
    config.blockDim = dim3(128);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
};

void eight_grids(int* a, int* b, cudaStream_t stream) {
  CHECKED(cudaMemsetAsync(a, 0, count * sizeof(int), stream));
  Launch launch(stream);
  for (int round = 0; round < 4; ++round) {
    CHECKED(cudaLaunchKernelEx(&launch.config, pass_on, (const int*)a, b, round % 2 == 0));
    CHECKED(cudaLaunchKernelEx(&launch.config, pass_on, (const int*)b, a, round % 2 != 0));
  }
}

int wrong(const int* device, int expected) {
  std::vector<int> host(count);
  CHECKED(cudaMemcpy(host.data(), device, count * sizeof(int), cudaMemcpyDefault));
  int wrong = 0;
  for (int value : host)
    wrong += value != expected;
  return wrong;
}

int main() {
  int *a, *b;
  CHECKED(cudaMalloc(&a, count * sizeof(int)));
  CHECKED(cudaMalloc(&b, count * sizeof(int)));
  cudaStream_t stream;
  CHECKED(cudaStreamCreate(&stream));

  eight_grids(a, b, stream);
  CHECKED(cudaStreamSynchronize(stream));
  std::printf("stream: %d wrong\n", wrong(a, 8));
  // CHECK: stream: 0 wrong

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECKED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  eight_grids(a, b, stream);
  CHECKED(cudaStreamEndCapture(stream, &graph));
  CHECKED(cudaGraphInstantiate(&exec, graph, 0));
  for (int repeat = 0; repeat < 3; ++repeat)
    CHECKED(cudaGraphLaunch(exec, stream));
  CHECKED(cudaStreamSynchronize(stream));
  std::printf("graph: %d wrong\n", wrong(a, 8));
  // CHECK: graph: 0 wrong

  cudaEvent_t event;
  cudaStream_t other;
  CHECKED(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CHECKED(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  Launch first(stream), second(other);
  first.attribute.id = cudaLaunchAttributeProgrammaticEvent;
  first.attribute.val.programmaticEvent.event = event;
  first.attribute.val.programmaticEvent.flags = 0;
  first.attribute.val.programmaticEvent.triggerAtBlockStart = 0;
  CHECKED(cudaLaunchKernelEx(&first.config, pass_on, (const int*)a, b, false));
  CHECKED(cudaStreamWaitEvent(other, event));
  CHECKED(cudaLaunchKernelEx(&second.config, pass_on, (const int*)b, a, false));
  CHECKED(cudaStreamSynchronize(other));
  std::printf("event: %d wrong\n", wrong(a, 10));
  // CHECK: event: 0 wrong
}
