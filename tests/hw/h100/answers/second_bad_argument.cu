// What each function answers to a bad handle where another argument, all zero, is bad as well, and where all
// others are good. Each call in a process of its own: a crash is an answer, too. nvcc second_bad_argument.cu
// -lcuda; with graphs, launches, copies, runtime_copies or textures as argument that part alone: each takes a
// minute.
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#if CUDA_VERSION < 13000  // these names had other parameters before
#define cuMemcpyBatchAsync cuMemcpyBatchAsync_v2
#define cuMemcpy3DBatchAsync cuMemcpy3DBatchAsync_v2
static cudaError_t cudaMemcpyBatchAsync(void** to, const void** from, size_t* sizes, size_t count,
                                        cudaMemcpyAttributes* attributes, size_t* indices,
                                        size_t attribute_count, cudaStream_t stream) {
  return cudaMemcpyBatchAsync(to, (void**)from, sizes, count, attributes, indices, attribute_count,
                              (size_t*)nullptr, stream);
}
static cudaError_t cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp* copies, unsigned long long flags,
                                          cudaStream_t stream) {
  return cudaMemcpy3DBatchAsync(count, copies, (size_t*)nullptr, flags, stream);
}
#endif

static const char* program =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .texref picture;\n"
    ".visible .entry nothing() { ret; }\n";

// What is good, and what is gone.
static CUcontext context;
static CUstream stream, gone_stream;
static CUevent event, gone_event;
static CUmodule module;
static CUfunction function;
static CUdeviceptr memory;
static CUarray array, gone_array;
static CUmipmappedArray levels, gone_levels;
static CUtexref reference, gone_reference;
static CUgraph graph;
static CUgraphNode memset_node, memcpy_node, record_node, wait_node, empty_node, kernel_node;
static CUgraphExec exec;

__global__ void nothing() {}

static CUDA_MEMSET_NODE_PARAMS fill() {
  CUDA_MEMSET_NODE_PARAMS p{};
  p.dst = memory;
  p.elementSize = 1;
  p.width = 64;
  p.height = 1;
  return p;
}
static CUDA_MEMCPY3D copy3() {
  CUDA_MEMCPY3D p{};
  p.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  p.srcDevice = memory;
  p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  p.dstDevice = memory + 4096;
  p.WidthInBytes = 64;
  p.Height = 1;
  p.Depth = 1;
  return p;
}
static CUDA_MEMCPY2D copy2() {
  CUDA_MEMCPY2D p{};
  p.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  p.srcDevice = memory;
  p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  p.dstDevice = memory + 4096;
  p.WidthInBytes = 64;
  p.Height = 1;
  return p;
}
static CUDA_MEMCPY3D_PEER peer3() {
  CUDA_MEMCPY3D_PEER p{};
  p.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  p.srcDevice = memory;
  p.srcContext = context;
  p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  p.dstDevice = memory + 4096;
  p.dstContext = context;
  p.WidthInBytes = 64;
  p.Height = 1;
  p.Depth = 1;
  return p;
}
static cudaMemcpy3DParms runtime_copy3() {
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr((void*)memory, 64, 64, 1);
  p.dstPtr = make_cudaPitchedPtr((void*)(memory + 4096), 64, 64, 1);
  p.extent = make_cudaExtent(64, 1, 1);
  p.kind = cudaMemcpyDeviceToDevice;
  return p;
}
static cudaMemcpy3DPeerParms runtime_peer3() {
  cudaMemcpy3DPeerParms p{};
  p.srcPtr = make_cudaPitchedPtr((void*)memory, 64, 64, 1);
  p.dstPtr = make_cudaPitchedPtr((void*)(memory + 4096), 64, 64, 1);
  p.extent = make_cudaExtent(64, 1, 1);
  return p;
}
static CUDA_KERNEL_NODE_PARAMS kernel() {
  CUDA_KERNEL_NODE_PARAMS p{};
  p.func = function;
  p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
  return p;
}
static cudaKernelNodeParams runtime_kernel() {
  cudaKernelNodeParams p{};
  p.func = (void*)nothing;
  p.gridDim = p.blockDim = dim3(1);
  return p;
}
static void need(int code, const char* what) {
  if (code != 0) printf("   %s: %d\n", what, code);
}
#define NEED(...) need((int)(__VA_ARGS__), #__VA_ARGS__)
static void ready() {
  NEED(cuInit(0));
  CUdevice d;
  NEED(cuDeviceGet(&d, 0));
  NEED(cuDevicePrimaryCtxRetain(&context, d));
  NEED(cuCtxSetCurrent(context));
  NEED(cudaFree(0));
  NEED(cuStreamCreate(&stream, 0));
  NEED(cuStreamCreate(&gone_stream, 0));
  NEED(cuStreamDestroy(gone_stream));
  NEED(cuEventCreate(&event, 0));
  NEED(cuEventCreate(&gone_event, 0));
  NEED(cuEventDestroy(gone_event));
  NEED(cuModuleLoadData(&module, program));
  NEED(cuModuleGetFunction(&function, module, "nothing"));
  NEED(cuMemAlloc(&memory, 1 << 20));
  CUDA_ARRAY_DESCRIPTOR flat{16, 16, CU_AD_FORMAT_FLOAT, 1};
  NEED(cuArrayCreate(&array, &flat));
  NEED(cuArrayCreate(&gone_array, &flat));
  NEED(cuArrayDestroy(gone_array));
  CUDA_ARRAY3D_DESCRIPTOR deep{16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  NEED(cuMipmappedArrayCreate(&levels, &deep, 2));
  NEED(cuMipmappedArrayCreate(&gone_levels, &deep, 2));
  NEED(cuMipmappedArrayDestroy(gone_levels));
  NEED(cuModuleGetTexRef(&reference, module, "picture"));
  NEED(cuTexRefCreate(&gone_reference));
  NEED(cuTexRefDestroy(gone_reference));
  NEED(cuGraphCreate(&graph, 0));
  const CUDA_MEMSET_NODE_PARAMS memset_params = fill();
  const CUDA_MEMCPY3D memcpy_params = copy3();
  const CUDA_KERNEL_NODE_PARAMS kernel_params = kernel();
  NEED(cuGraphAddMemsetNode(&memset_node, graph, 0, 0, &memset_params, context));
  NEED(cuGraphAddMemcpyNode(&memcpy_node, graph, 0, 0, &memcpy_params, context));
  NEED(cuGraphAddEventRecordNode(&record_node, graph, 0, 0, event));
  NEED(cuGraphAddEventWaitNode(&wait_node, graph, 0, 0, event));
  NEED(cuGraphAddEmptyNode(&empty_node, graph, 0, 0));
  NEED(cuGraphAddKernelNode(&kernel_node, graph, 0, 0, &kernel_params));
  NEED(cuGraphInstantiateWithFlags(&exec, graph, 0));
}
#define ASK(...)                                                                      \
  do {                                                                                \
    fflush(stdout);                                                                   \
    if (pid_t child = fork()) {                                                       \
      int how;                                                                        \
      waitpid(child, &how, 0);                                                        \
      if (WIFSIGNALED(how)) printf("%s -> signal %d\n", #__VA_ARGS__, WTERMSIG(how)); \
    } else {                                                                          \
      ready();                                                                        \
      fflush(stdout);                                                                 \
      printf("%s -> %d\n", #__VA_ARGS__, (int)(__VA_ARGS__));                         \
      fflush(stdout);                                                                 \
      _exit(0);                                                                       \
    }                                                                                 \
  } while (0)

// One question for each way in which a handle is bad: no handle ever, gone, another kind's.
#define NEVER(type) ((type)0x123456780)
#define STREAMS(f, ...)                 \
  ASK(f(__VA_ARGS__, NEVER(CUstream))); \
  ASK(f(__VA_ARGS__, gone_stream));     \
  ASK(f(__VA_ARGS__, (CUstream)event))
#define CONTEXTS(f, ...)                 \
  ASK(f(__VA_ARGS__, 0));                \
  ASK(f(__VA_ARGS__, NEVER(CUcontext))); \
  ASK(f(__VA_ARGS__, (CUcontext)event))
#define EVENTS(f, ...)                 \
  ASK(f(__VA_ARGS__, 0));              \
  ASK(f(__VA_ARGS__, NEVER(CUevent))); \
  ASK(f(__VA_ARGS__, gone_event));     \
  ASK(f(__VA_ARGS__, (CUevent)stream))
#define FUNCTIONS(f, ...)                 \
  ASK(f(0, __VA_ARGS__));                 \
  ASK(f(NEVER(CUfunction), __VA_ARGS__)); \
  ASK(f((CUfunction)event, __VA_ARGS__))

template <class T>
static T* zero() {
  static T all{};
  memset(&all, 0, sizeof all);
  return &all;
}
template <class T>
static T* kept(T value) {
  static T there;
  there = value;
  return &there;
}
static CUgraphNode made;
static CUdeviceptr* one_place() { return kept<CUdeviceptr>(memory); }
static CUdeviceptr* other_place() {
  static CUdeviceptr there;
  there = memory + 4096;
  return &there;
}
static CUdeviceptr* managed_place() {
  static CUdeviceptr there;
  cuMemAllocManaged(&there, 1 << 20, CU_MEM_ATTACH_GLOBAL);
  return &there;
}
static size_t sixty_four = 64, first = 0, a_mebi = 1 << 20;
static CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
static CUmemcpyAttributes* in_order() {
  static CUmemcpyAttributes a{};
  a.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  return &a;
}
static CUDA_MEMCPY3D_BATCH_OP* one_copy() {
  static CUDA_MEMCPY3D_BATCH_OP o{};
  o.src.type = o.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  o.src.op.ptr.ptr = memory;
  o.dst.op.ptr.ptr = memory + 4096;
  o.src.op.ptr.locHint = o.dst.op.ptr.locHint = here;
  o.extent = {64, 1, 1};
  o.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  return &o;
}
static cudaMemcpyAttributes* runtime_in_order() {
  static cudaMemcpyAttributes a{};
  a.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  return &a;
}
static cudaMemcpy3DBatchOp* runtime_one_copy() {
  static cudaMemcpy3DBatchOp o{};
  o.src.type = o.dst.type = cudaMemcpyOperandTypePointer;
  o.src.op.ptr.ptr = (void*)memory;
  o.dst.op.ptr.ptr = (void*)(memory + 4096);
  o.src.op.ptr.locHint = o.dst.op.ptr.locHint = {cudaMemLocationTypeDevice, 0};
  o.extent = make_cudaExtent(64, 1, 1);
  o.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  return &o;
}
static cudaMemLocation runtime_here = {cudaMemLocationTypeDevice, 0};
static const void** runtime_source() {
  static const void* there;
  there = (void*)memory;
  return &there;
}
static void** runtime_target() {
  static void* there;
  there = (void*)(memory + 4096);
  return &there;
}
static void** runtime_managed() {
  static void* there;
  cudaMallocManaged(&there, 1 << 20);
  return &there;
}
static CUDA_MEMCPY2D* c2() { return kept(copy2()); }
static CUDA_MEMCPY3D* c3() { return kept(copy3()); }
static CUDA_MEMCPY3D_PEER* p3() { return kept(peer3()); }
static CUDA_MEMSET_NODE_PARAMS* f1() { return kept(fill()); }
static cudaMemcpy3DParms* r3() { return kept(runtime_copy3()); }
static cudaMemcpy3DPeerParms* rp3() { return kept(runtime_peer3()); }

static void graphs() {
  CONTEXTS(cuGraphAddMemsetNode, &made, graph, 0, 0, zero<CUDA_MEMSET_NODE_PARAMS>());
  CONTEXTS(cuGraphAddMemsetNode, &made, graph, 0, 0, f1());
  CONTEXTS(cuGraphAddMemcpyNode, &made, graph, 0, 0, zero<CUDA_MEMCPY3D>());
  CONTEXTS(cuGraphAddMemcpyNode, &made, graph, 0, 0, c3());
  CONTEXTS(cuGraphExecMemcpyNodeSetParams, exec, memcpy_node, zero<CUDA_MEMCPY3D>());
  CONTEXTS(cuGraphExecMemcpyNodeSetParams, exec, memcpy_node, c3());
  CONTEXTS(cuGraphExecMemsetNodeSetParams, exec, memset_node, zero<CUDA_MEMSET_NODE_PARAMS>());
  CONTEXTS(cuGraphExecMemsetNodeSetParams, exec, memset_node, f1());
  EVENTS(cuGraphEventRecordNodeSetEvent, 0);
  EVENTS(cuGraphEventRecordNodeSetEvent, empty_node);
  EVENTS(cuGraphEventRecordNodeSetEvent, record_node);
  EVENTS(cuGraphEventWaitNodeSetEvent, 0);
  EVENTS(cuGraphEventWaitNodeSetEvent, empty_node);
  EVENTS(cuGraphEventWaitNodeSetEvent, wait_node);
  EVENTS(cuGraphExecEventRecordNodeSetEvent, 0, 0);
  EVENTS(cuGraphExecEventRecordNodeSetEvent, exec, empty_node);
  EVENTS(cuGraphExecEventRecordNodeSetEvent, exec, record_node);
  EVENTS(cuGraphExecEventWaitNodeSetEvent, 0, 0);
  EVENTS(cuGraphExecEventWaitNodeSetEvent, exec, empty_node);
  EVENTS(cuGraphExecEventWaitNodeSetEvent, exec, wait_node);
  STREAMS(cuGraphLaunch, 0);
  STREAMS(cuGraphLaunch, exec);
  STREAMS(cuGraphUpload, 0);
  STREAMS(cuGraphUpload, exec);
  // A kernel's node, its parameters all zero, and good ones; the graph or the node bad.
  ASK(cuGraphAddKernelNode(&made, 0, 0, 0, zero<CUDA_KERNEL_NODE_PARAMS>()));
  ASK(cuGraphAddKernelNode(&made, 0, 0, 0, kept(kernel())));
  ASK(cuGraphAddKernelNode(&made, graph, 0, 0, zero<CUDA_KERNEL_NODE_PARAMS>()));
  ASK(cuGraphKernelNodeSetParams(0, zero<CUDA_KERNEL_NODE_PARAMS>()));
  ASK(cuGraphKernelNodeSetParams(0, kept(kernel())));
  ASK(cuGraphKernelNodeSetParams(empty_node, kept(kernel())));
  ASK(cuGraphExecKernelNodeSetParams(0, kernel_node, kept(kernel())));
  ASK(cuGraphExecKernelNodeSetParams(exec, 0, kept(kernel())));
  ASK(cudaGraphAddKernelNode((cudaGraphNode_t*)&made, 0, 0, 0, zero<cudaKernelNodeParams>()));
  ASK(cudaGraphAddKernelNode((cudaGraphNode_t*)&made, 0, 0, 0, kept(runtime_kernel())));
  ASK(cudaGraphAddKernelNode((cudaGraphNode_t*)&made, graph, 0, 0, zero<cudaKernelNodeParams>()));
  ASK(cudaGraphKernelNodeSetParams(0, zero<cudaKernelNodeParams>()));
  ASK(cudaGraphKernelNodeSetParams(0, kept(runtime_kernel())));
  ASK(cudaGraphKernelNodeSetParams(kernel_node, zero<cudaKernelNodeParams>()));
  ASK(cudaGraphKernelNodeSetParams(empty_node, kept(runtime_kernel())));
  ASK(cudaGraphExecKernelNodeSetParams(0, kernel_node, zero<cudaKernelNodeParams>()));
  ASK(cudaGraphExecKernelNodeSetParams(0, kernel_node, kept(runtime_kernel())));
  ASK(cudaGraphExecKernelNodeSetParams(exec, 0, zero<cudaKernelNodeParams>()));
  ASK(cudaGraphExecKernelNodeSetParams(exec, 0, kept(runtime_kernel())));
  ASK(cudaGraphAddNode((cudaGraphNode_t*)&made, 0, 0, 0, 0, zero<cudaGraphNodeParams>()));
  ASK(cudaGraphAddNode((cudaGraphNode_t*)&made, graph, 0, 0, 0, zero<cudaGraphNodeParams>()));
  ASK(cudaGraphNodeSetParams(0, zero<cudaGraphNodeParams>()));
  ASK(cudaGraphNodeSetParams(kernel_node, zero<cudaGraphNodeParams>()));
  ASK(cudaGraphExecNodeSetParams(0, kernel_node, zero<cudaGraphNodeParams>()));
  ASK(cudaGraphExecNodeSetParams(exec, 0, zero<cudaGraphNodeParams>()));
  ASK(cudaGraphExecNodeSetParams(exec, kernel_node, zero<cudaGraphNodeParams>()));
}
static void launches() {
  FUNCTIONS(cuFuncSetBlockShape, 0, 0, 0);
  FUNCTIONS(cuFuncSetBlockShape, 1, 1, 1);
  ASK(cuFuncSetBlockShape(function, 0, 0, 0));
  FUNCTIONS(cuLaunchGrid, 0, 0);
  FUNCTIONS(cuLaunchGrid, 1, 1);
  ASK((cuFuncSetBlockShape(function, 1, 1, 1), cuLaunchGrid(function, 0, 0)));
  ASK(cuLaunchGrid(function, 1, 1));
  FUNCTIONS(cuLaunchGridAsync, 0, 0, stream);
  FUNCTIONS(cuLaunchGridAsync, 1, 1, stream);
  STREAMS(cuLaunchGridAsync, function, 0, 0);
  STREAMS(cuLaunchGridAsync, function, 1, 1);
#define LAUNCH(size, s) cuLaunchKernel(function, size, size, size, size, size, size, 0, s, 0, 0)
  ASK(LAUNCH(0, stream));
  ASK(LAUNCH(0, NEVER(CUstream)));
  ASK(LAUNCH(0, gone_stream));
  ASK(LAUNCH(0, (CUstream)event));
  ASK(LAUNCH(1, NEVER(CUstream)));
  ASK(LAUNCH(1, gone_stream));
  ASK(LAUNCH(1, (CUstream)event));
}
static void copies() {
  STREAMS(cuMemcpy2DAsync, zero<CUDA_MEMCPY2D>());
  STREAMS(cuMemcpy2DAsync, c2());
  STREAMS(cuMemcpy3DAsync, zero<CUDA_MEMCPY3D>());
  STREAMS(cuMemcpy3DAsync, c3());
  STREAMS(cuMemcpy3DPeerAsync, zero<CUDA_MEMCPY3D_PEER>());
  STREAMS(cuMemcpy3DPeerAsync, p3());
  ASK(cuMemcpy2DAsync(zero<CUDA_MEMCPY2D>(), stream));
  ASK(cuMemcpy3DAsync(zero<CUDA_MEMCPY3D>(), stream));
  ASK(cuMemcpy3DPeerAsync(zero<CUDA_MEMCPY3D_PEER>(), stream));
#define BATCH(s) cuMemcpyBatchAsync(one_place(), other_place(), &sixty_four, 1, in_order(), &first, 1, s)
#define NO_BATCH(s) cuMemcpyBatchAsync(0, 0, 0, 0, 0, 0, 0, s)
#define ZERO_BATCH(s)                                                             \
  cuMemcpyBatchAsync(zero<CUdeviceptr>(), zero<CUdeviceptr>(), zero<size_t>(), 1, \
                     zero<CUmemcpyAttributes>(), zero<size_t>(), 1, s)
#define DEEP(s) cuMemcpy3DBatchAsync(1, one_copy(), 0, s)
#define ZERO_DEEP(s) cuMemcpy3DBatchAsync(1, zero<CUDA_MEMCPY3D_BATCH_OP>(), 0, s)
#define PREFETCH(s) cuMemPrefetchBatchAsync(managed_place(), &a_mebi, 1, &here, &first, 1, 0, s)
#define ZERO_PREFETCH(s)                                                                                    \
  cuMemPrefetchBatchAsync(zero<CUdeviceptr>(), zero<size_t>(), 1, zero<CUmemLocation>(), zero<size_t>(), 1, \
                          0, s)
#define DISCARD(s) cuMemDiscardBatchAsync(managed_place(), &a_mebi, 1, 0, s)
#define ZERO_DISCARD(s) cuMemDiscardBatchAsync(zero<CUdeviceptr>(), zero<size_t>(), 1, 0, s)
#define BOTH(s) cuMemDiscardAndPrefetchBatchAsync(managed_place(), &a_mebi, 1, &here, &first, 1, 0, s)
#define ZERO_BOTH(s)                                                                               \
  cuMemDiscardAndPrefetchBatchAsync(zero<CUdeviceptr>(), zero<size_t>(), 1, zero<CUmemLocation>(), \
                                    zero<size_t>(), 1, 0, s)
#define BATCH_QUESTIONS(call) \
  ASK(call(0));               \
  ASK(call(stream));          \
  ASK(call(NEVER(CUstream))); \
  ASK(call(gone_stream));     \
  ASK(call((CUstream)event))
  BATCH_QUESTIONS(BATCH);
  BATCH_QUESTIONS(NO_BATCH);
  BATCH_QUESTIONS(ZERO_BATCH);
  BATCH_QUESTIONS(DEEP);
  BATCH_QUESTIONS(ZERO_DEEP);
  BATCH_QUESTIONS(PREFETCH);
  BATCH_QUESTIONS(ZERO_PREFETCH);
  BATCH_QUESTIONS(DISCARD);
  BATCH_QUESTIONS(ZERO_DISCARD);
  BATCH_QUESTIONS(BOTH);
  BATCH_QUESTIONS(ZERO_BOTH);
}
static void runtime_copies() {
  STREAMS(cudaMemcpy3DAsync, zero<cudaMemcpy3DParms>());
  STREAMS(cudaMemcpy3DAsync, r3());
  STREAMS(cudaMemcpy3DPeerAsync, zero<cudaMemcpy3DPeerParms>());
  STREAMS(cudaMemcpy3DPeerAsync, rp3());
  ASK(cudaMemcpy3DAsync(zero<cudaMemcpy3DParms>(), stream));
  ASK(cudaMemcpy3DPeerAsync(zero<cudaMemcpy3DPeerParms>(), stream));
#define R_BATCH(s) \
  cudaMemcpyBatchAsync(runtime_target(), runtime_source(), &sixty_four, 1, runtime_in_order(), &first, 1, s)
#define R_ZERO_BATCH(s)                                                                                     \
  cudaMemcpyBatchAsync(zero<void*>(), zero<const void*>(), zero<size_t>(), 1, zero<cudaMemcpyAttributes>(), \
                       zero<size_t>(), 1, s)
#define R_DEEP(s) cudaMemcpy3DBatchAsync(1, runtime_one_copy(), 0, s)
#define R_ZERO_DEEP(s) cudaMemcpy3DBatchAsync(1, zero<cudaMemcpy3DBatchOp>(), 0, s)
#define R_PREFETCH(s) cudaMemPrefetchBatchAsync(runtime_managed(), &a_mebi, 1, &runtime_here, &first, 1, 0, s)
#define R_ZERO_PREFETCH(s)                                                                                   \
  cudaMemPrefetchBatchAsync(zero<void*>(), zero<size_t>(), 1, zero<cudaMemLocation>(), zero<size_t>(), 1, 0, \
                            s)
#define R_DISCARD(s) cudaMemDiscardBatchAsync(runtime_managed(), &a_mebi, 1, 0, s)
#define R_ZERO_DISCARD(s) cudaMemDiscardBatchAsync(zero<void*>(), zero<size_t>(), 1, 0, s)
#define R_BOTH(s) \
  cudaMemDiscardAndPrefetchBatchAsync(runtime_managed(), &a_mebi, 1, &runtime_here, &first, 1, 0, s)
#define R_ZERO_BOTH(s)                                                                           \
  cudaMemDiscardAndPrefetchBatchAsync(zero<void*>(), zero<size_t>(), 1, zero<cudaMemLocation>(), \
                                      zero<size_t>(), 1, 0, s)
  BATCH_QUESTIONS(R_BATCH);
  BATCH_QUESTIONS(R_ZERO_BATCH);
  BATCH_QUESTIONS(R_DEEP);
  BATCH_QUESTIONS(R_ZERO_DEEP);
  BATCH_QUESTIONS(R_PREFETCH);
  BATCH_QUESTIONS(R_ZERO_PREFETCH);
  BATCH_QUESTIONS(R_DISCARD);
  BATCH_QUESTIONS(R_ZERO_DISCARD);
  BATCH_QUESTIONS(R_BOTH);
  BATCH_QUESTIONS(R_ZERO_BOTH);
#define ATTACH(s) cudaStreamAttachMemAsync(s, *runtime_managed(), 0, cudaMemAttachGlobal)
#define ATTACH_DEVICE(s) cudaStreamAttachMemAsync(s, (void*)memory, 0, cudaMemAttachGlobal)
#define ATTACH_NOTHING(s) cudaStreamAttachMemAsync(s, (void*)0, 0, 0)
  BATCH_QUESTIONS(ATTACH);
  BATCH_QUESTIONS(ATTACH_DEVICE);
  BATCH_QUESTIONS(ATTACH_NOTHING);
}
static void textures() {
  ASK(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, 0));
  ASK(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, NEVER(CUtexref)));
  ASK(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, gone_reference));
  ASK(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, (CUtexref)event));
  ASK(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, reference));
  ASK(cuParamSetTexRef(function, 0, 0));
  ASK(cuParamSetTexRef(function, 0, reference));
  for (unsigned flags : {0u, 1u, 2u}) {
    printf("   flags %u\n", flags);
    ASK(cuTexRefSetArray(reference, array, flags));
    ASK(cuTexRefSetArray(reference, 0, flags));
    ASK(cuTexRefSetArray(reference, NEVER(CUarray), flags));
    ASK(cuTexRefSetArray(reference, gone_array, flags));
    ASK(cuTexRefSetArray(reference, (CUarray)event, flags));
    ASK(cuTexRefSetArray(0, array, flags));
    ASK(cuTexRefSetArray(NEVER(CUtexref), array, flags));
    ASK(cuTexRefSetArray(gone_reference, array, flags));
    ASK(cuTexRefSetArray((CUtexref)event, array, flags));
    ASK(cuTexRefSetMipmappedArray(reference, levels, flags));
    ASK(cuTexRefSetMipmappedArray(reference, 0, flags));
    ASK(cuTexRefSetMipmappedArray(reference, NEVER(CUmipmappedArray), flags));
    ASK(cuTexRefSetMipmappedArray(reference, gone_levels, flags));
    ASK(cuTexRefSetMipmappedArray(reference, (CUmipmappedArray)event, flags));
    ASK(cuTexRefSetMipmappedArray(0, levels, flags));
    ASK(cuTexRefSetMipmappedArray(NEVER(CUtexref), levels, flags));
    ASK(cuTexRefSetMipmappedArray(gone_reference, levels, flags));
    ASK(cuTexRefSetMipmappedArray((CUtexref)event, levels, flags));
  }
}
int main(int count, char** names) {
  const struct {
    const char* name;
    void (*ask)();
  } parts[] = {{"graphs", graphs},
               {"launches", launches},
               {"copies", copies},
               {"runtime_copies", runtime_copies},
               {"textures", textures}};
  for (const auto& part : parts)
    if (count < 2 || strcmp(names[1], part.name) == 0) part.ask();
}
