// Graphs whose kernels decide what runs next: IF and WHILE nodes, one inside the other, handles with and
// without a value that each launch begins with.
// RUN: %nvcc -arch=sm_90 %s -o %t && %t | FileCheck %s
#include <cstdio>
#include <cstdlib>

#define CHECKED(call)                                                                    \
  do {                                                                                   \
    const cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                         \
      std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(status));     \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)

// Collatz's sequence: half of an even number, half of 3n + 1 of an odd one, until it is 1. From 27 it is 111
// steps, 41 of which triple.
struct State {
  unsigned value, steps, odd;
};

__global__ void choose(State* state, cudaGraphConditionalHandle odd) {
  cudaGraphSetConditional(odd, state->value % 2);
}
__global__ void triple(State* state) {
  state->value = 3 * state->value + 1;
  ++state->odd;
}
__global__ void go_on(State* state, cudaGraphConditionalHandle more) {
  state->value /= 2;
  ++state->steps;
  cudaGraphSetConditional(more, state->value != 1);
}
__global__ void add(unsigned* sum, unsigned number) { atomicAdd(sum, number); }

cudaGraphNode_t kernel_node(cudaGraph_t graph, cudaGraphNode_t after, void* kernel, void** arguments) {
  cudaGraphNodeParams node = {cudaGraphNodeTypeKernel};
  node.kernel.func = kernel;
  node.kernel.gridDim = node.kernel.blockDim = dim3(1);
  node.kernel.kernelParams = arguments;
  cudaGraphNode_t made;
  CHECKED(cudaGraphAddNode(&made, graph, after == nullptr ? nullptr : &after, after != nullptr, &node));
  return made;
}
cudaGraph_t conditional_node(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                             cudaGraphConditionalNodeType type, cudaGraphNode_t* made) {
  cudaGraphNodeParams node = {cudaGraphNodeTypeConditional};
  node.conditional.handle = handle;
  node.conditional.type = type;
  node.conditional.size = 1;
  CHECKED(cudaGraphAddNode(made, graph, after == nullptr ? nullptr : &after, after != nullptr, &node));
  return node.conditional.phGraph_out[0];
}

// The number of steps that a number takes to 1, by a WHILE node around an IF node.
void collatz(State* state) {
  cudaGraph_t graph;
  CHECKED(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle more, odd;
  CHECKED(cudaGraphConditionalHandleCreate(&more, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNode_t loop, branch;
  cudaGraph_t body = conditional_node(graph, nullptr, more, cudaGraphCondTypeWhile, &loop);
  CHECKED(cudaGraphConditionalHandleCreate(&odd, body, 0, 0));
  void* to_choose[] = {&state, &odd};
  void* to_triple[] = {&state};
  void* to_go_on[] = {&state, &more};
  const cudaGraphNode_t first = kernel_node(body, nullptr, (void*)choose, to_choose);
  cudaGraph_t then = conditional_node(body, first, odd, cudaGraphCondTypeIf, &branch);
  kernel_node(then, nullptr, (void*)triple, to_triple);
  kernel_node(body, branch, (void*)go_on, to_go_on);
  cudaGraphExec_t runnable;
  CHECKED(cudaGraphInstantiate(&runnable, graph, 0));
  for (const unsigned number : {27u, 1u << 20}) {
    *state = {number, 0, 0};
    CHECKED(cudaGraphLaunch(runnable, nullptr));
    CHECKED(cudaDeviceSynchronize());
    std::printf("%u: %u after %u steps, %u odd\n", number, state->value, state->steps, state->odd);
  }
  CHECKED(cudaGraphExecDestroy(runnable));
  CHECKED(cudaGraphDestroy(graph));
}

// What each launch begins with: `value` by default, or what was set last.
__global__ void set(cudaGraphConditionalHandle handle, unsigned value) { cudaGraphSetConditional(handle, value); }

void defaults(unsigned* sum) {
  cudaGraph_t graph;
  CHECKED(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle always, never;
  CHECKED(cudaGraphConditionalHandleCreate(&always, graph, 7, cudaGraphCondAssignDefault));
  CHECKED(cudaGraphConditionalHandleCreate(&never, graph, 0, cudaGraphCondAssignDefault));
  cudaGraphNode_t first, second;
  unsigned one = 1, hundred = 100, zero = 0;
  void* to_add_one[] = {&sum, &one};
  void* to_add_hundred[] = {&sum, &hundred};
  void* to_clear[] = {&always, &zero};
  cudaGraph_t then = conditional_node(graph, nullptr, always, cudaGraphCondTypeIf, &first);
  const cudaGraphNode_t added = kernel_node(then, nullptr, (void*)add, to_add_one);
  kernel_node(then, added, (void*)set, to_clear);  // until the next launch
  cudaGraph_t nothing = conditional_node(graph, first, never, cudaGraphCondTypeIf, &second);
  kernel_node(nothing, nullptr, (void*)add, to_add_hundred);
  cudaGraphExec_t runnable;
  CHECKED(cudaGraphInstantiate(&runnable, graph, 0));
  *sum = 0;
  for (int i = 0; i < 3; ++i) CHECKED(cudaGraphLaunch(runnable, nullptr));
  CHECKED(cudaDeviceSynchronize());
  std::printf("sum %u\n", *sum);
  CHECKED(cudaGraphExecDestroy(runnable));
  CHECKED(cudaGraphDestroy(graph));
}

int main() {
  State* state;
  unsigned* sum;
  CHECKED(cudaMallocManaged(&state, sizeof *state));
  CHECKED(cudaMallocManaged(&sum, sizeof *sum));
  collatz(state);
  defaults(sum);
  // CHECK: 27: 1 after 70 steps, 41 odd
  // CHECK-NEXT: 1048576: 1 after 20 steps, 0 odd
  // CHECK-NEXT: sum 3
}
