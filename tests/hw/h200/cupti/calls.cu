// Which driver calls CUPTI tells under each runtime call, in which order, and what records are made of them.
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <cupti.h>
#ifndef WITHOUT_NVTX
#include <generated_nvtx_meta.h>
#include <nvtx3/nvToolsExt.h>
#endif
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <unistd.h>

__device__ int symbol[256];
__global__ void kernel(int* p) { if (p) p[threadIdx.x] = 5; }

static int depth = 0;
static uint32_t base = 0;
static bool quiet = false;
static std::string mode;

static void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* facts) {
  if (quiet) return;
  const char* name = nullptr;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API || domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    auto* c = static_cast<const CUpti_CallbackData*>(facts);
    cuptiGetCallbackName(domain, id, &name);
    if (c->callbackSite == CUPTI_API_ENTER) {
      if (!base) base = c->correlationId;
      printf("%*s%c %s (%s) cor=%+d ctx=%u%s%s%s\n", 2 + 2 * depth, "", domain == CUPTI_CB_DOMAIN_RUNTIME_API ? 'R' : 'D', name,
             c->functionName, int(c->correlationId - base), c->contextUid, c->context ? "" : " null", c->symbolName ? " sym=" : "",
             c->symbolName ? c->symbolName : "");
      if (domain == CUPTI_CB_DOMAIN_DRIVER_API && c->functionParams && id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) {
        auto* k = static_cast<const cuLaunchKernel_params*>(c->functionParams);
        printf("%*s  f=%d grid %u %u %u block %u %u %u shared %u stream %d params %d extra %d\n", 2 + 2 * depth, "", k->f != nullptr, k->gridDimX, k->gridDimY, k->gridDimZ, k->blockDimX, k->blockDimY, k->blockDimZ, k->sharedMemBytes, k->hStream != nullptr, k->kernelParams != nullptr, k->extra != nullptr);
      }
      ++depth;
    } else {
      --depth;
      int r = c->functionReturnValue ? *static_cast<const int*>(c->functionReturnValue) : -1;
      if (r) printf("%*s= %d of %s\n", 2 + 2 * depth, "", r, c->functionName);
    }
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    auto* r = static_cast<const CUpti_ResourceData*>(facts);
    if (!r) {
      printf("%*sRESOURCE %u without data\n", 2 + 2 * depth, "", id);
      return;
    }
    printf("%*sRESOURCE %u ctx=%d handle=%d desc=%d", 2 + 2 * depth, "", id, r->context != nullptr, r->resourceHandle.stream != nullptr,
           r->resourceDescriptor != nullptr);
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED || id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING ||
        id == CUPTI_CBID_RESOURCE_MODULE_PROFILED) {
      auto* m = static_cast<const CUpti_ModuleResourceData*>(r->resourceDescriptor);
      if (m) printf(" module=%u size=%zu cubin=%d", m->moduleId, m->cubinSize, m->pCubin != nullptr);
      if (m && m->pCubin) printf(" elf=%02x%c%c%c", (unsigned char)m->pCubin[0], m->pCubin[1], m->pCubin[2], m->pCubin[3]);
    } else if (id >= CUPTI_CBID_RESOURCE_GRAPH_CREATED && id <= CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED + 2 && r->resourceDescriptor) {
      auto* g = static_cast<const CUpti_GraphData*>(r->resourceDescriptor);
      printf(" graph=%d orig=%d node=%d onode=%d type=%d dep=%d exec=%d", g->graph != nullptr, g->originalGraph != nullptr,
             g->node != nullptr, g->originalNode != nullptr, (int)g->nodeType, g->dependency != nullptr, g->graphExec != nullptr);
    } else if (r->resourceHandle.stream && (id == CUPTI_CBID_RESOURCE_STREAM_CREATED || id == CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING)) {
      uint32_t sid = 0;
      CUptiResult res = cuptiGetStreamIdEx(r->context, r->resourceHandle.stream, 0, &sid);
      printf(" streamid=%u (%d)", sid, res);
    } else if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
      uint32_t cid = 0, did = 0;
      CUptiResult res = cuptiGetContextId(r->context, &cid);
      cuptiGetDeviceId(r->context, &did);
      printf(" ctxid=%u dev=%u (%d)", cid, did, res);
    }
    printf("\n");
  } else if (domain == CUPTI_CB_DOMAIN_SYNCHRONIZE) {
    auto* s = static_cast<const CUpti_SynchronizeData*>(facts);
    if (!s) return;
    printf("%*sSYNCHRONIZE %u ctx=%d stream=%d\n", 2 + 2 * depth, "", id, s->context != nullptr, s->stream != nullptr);
  } else if (domain == CUPTI_CB_DOMAIN_NVTX) {
    auto* n = static_cast<const CUpti_NvtxData*>(facts);
    printf("%*sNVTX %u %s params=%d ret=%d", 2 + 2 * depth, "", id, n->functionName ? n->functionName : "-", n->functionParams != nullptr,
           n->functionReturnValue != nullptr);
#ifndef WITHOUT_NVTX
    if (id == CUPTI_CBID_NVTX_nvtxRangePushA) printf(" message=%s", static_cast<const nvtxRangePushA_params*>(n->functionParams)->message);
#endif
    printf("\n");
  } else {
    auto* s = static_cast<const CUpti_StateData*>(facts);
    printf("%*sDOMAIN %d id %u result %d %s\n", 2 + 2 * depth, "", (int)domain, id, s ? (int)s->notification.result : -1, s && s->notification.message ? s->notification.message : "");
  }
}

#define STEP(...)                                   \
  do {                                              \
    base = 0;                                       \
    depth = 0;                                      \
    printf("%s\n", #__VA_ARGS__);                   \
    int status_ = (int)(__VA_ARGS__);               \
    if (status_) printf("  -> %d\n", status_);      \
  } while (0)

static void CUDART_CB host_function(void*) {}
static void CUDART_CB stream_function(cudaStream_t, cudaError_t, void*) {}

static void runtime_calls() {
  int *p = nullptr, *q = nullptr, *h = nullptr, *m = nullptr;
  int n = 0;
  static int host[4096];
  STEP(cudaGetDeviceCount(&n));
  STEP(cudaFree(nullptr));
  STEP(cudaMalloc(&p, 16384));
  STEP(cudaMalloc(&q, 16384));
  STEP(cudaMalloc(&h, size_t(1) << 60));
  STEP(cudaGetLastError());
  STEP(cudaPeekAtLastError());
  STEP(cudaGetDevice(&n));
  STEP(cudaSetDevice(0));
  STEP(cudaDriverGetVersion(&n));
  STEP(cudaRuntimeGetVersion(&n));
  cudaDeviceProp prop;
  STEP(cudaGetDeviceProperties(&prop, 0));
  STEP(cudaDeviceGetAttribute(&n, cudaDevAttrMaxThreadsPerBlock, 0));
  STEP(cudaDeviceCanAccessPeer(&n, 0, 0));
  char bus[32];
  STEP(cudaDeviceGetPCIBusId(bus, 32, 0));
  size_t a = 0, b = 0;
  STEP(cudaMemGetInfo(&a, &b));
  STEP((kernel<<<1, 32>>>(p), 0));
  STEP((kernel<<<1, 32>>>(p), 0));
  STEP((kernel<<<1, 4096>>>(p), 0));
  STEP(cudaGetLastError());
  STEP(cudaDeviceSynchronize());
  void* args[] = {&p};
  STEP(cudaLaunchKernel((void*)kernel, dim3(1), dim3(32), args, 0, 0));
  STEP(cudaLaunchCooperativeKernel((void*)kernel, dim3(1), dim3(32), args, 0, 0));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  STEP(cudaLaunchKernelExC(&config, (void*)kernel, args));
  cudaFuncAttributes fa;
  STEP(cudaFuncGetAttributes(&fa, kernel));
  STEP(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
  STEP(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1));
  STEP(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, 128, 0));
  STEP(cudaMemset(p, 0, 16384));
  STEP(cudaMemset(p, 1, 1));
  STEP(cudaMemsetAsync(p, 0, 16384));
  STEP(cudaMemset2D(p, 64, 0, 32, 4));
  STEP(cudaMemset2DAsync(p, 64, 0, 32, 4));
  STEP(cudaMemset3D(make_cudaPitchedPtr(p, 64, 64, 4), 0, make_cudaExtent(32, 4, 2)));
  STEP(cudaMemcpy(p, host, 16384, cudaMemcpyHostToDevice));
  STEP(cudaMemcpy(host, p, 16384, cudaMemcpyDeviceToHost));
  STEP(cudaMemcpy(p, q, 16384, cudaMemcpyDeviceToDevice));
  STEP(cudaMemcpy(p, host, 16384, cudaMemcpyDefault));
  STEP(cudaMemcpy(host, host + 2048, 4096, cudaMemcpyHostToHost));
  STEP(cudaMemcpy(p, host, 0, cudaMemcpyHostToDevice));
  STEP(cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice));
  STEP(cudaGetLastError());
  STEP(cudaMemcpyAsync(p, host, 16384, cudaMemcpyHostToDevice));
  STEP(cudaMemcpyAsync(host, p, 16384, cudaMemcpyDeviceToHost));
  STEP(cudaMemcpyAsync(p, q, 16384, cudaMemcpyDeviceToDevice));
  STEP(cudaMemcpyAsync(p, host, 16384, cudaMemcpyDefault));
  STEP(cudaMemcpy2D(p, 64, host, 64, 32, 4, cudaMemcpyHostToDevice));
  STEP(cudaMemcpy2DAsync(p, 64, host, 64, 32, 4, cudaMemcpyHostToDevice));
  cudaMemcpy3DParms p3 = {};
  p3.srcPtr = make_cudaPitchedPtr(host, 64, 64, 4);
  p3.dstPtr = make_cudaPitchedPtr(p, 64, 64, 4);
  p3.extent = make_cudaExtent(32, 4, 2);
  p3.kind = cudaMemcpyHostToDevice;
  STEP(cudaMemcpy3D(&p3));
  STEP(cudaMemcpy3DAsync(&p3));
  STEP(cudaMemcpyPeer(p, 0, q, 0, 16384));
  STEP(cudaMemcpyPeerAsync(p, 0, q, 0, 16384));
  STEP(cudaMemcpyToSymbol(symbol, host, 1024));
  STEP(cudaMemcpyFromSymbol(host, symbol, 1024));
  STEP(cudaMemcpyToSymbolAsync(symbol, host, 1024, 0, cudaMemcpyHostToDevice));
  STEP(cudaMemcpyFromSymbolAsync(host, symbol, 1024, 0, cudaMemcpyDeviceToHost));
  void* address = nullptr;
  STEP(cudaGetSymbolAddress(&address, symbol));
  STEP(cudaGetSymbolSize(&a, symbol));
  STEP(cudaMallocPitch(&h, &a, 100, 10));
  STEP(cudaFree(h));
  cudaPitchedPtr pitched;
  STEP(cudaMalloc3D(&pitched, make_cudaExtent(100, 10, 3)));
  STEP(cudaFree(pitched.ptr));
  STEP(cudaMallocHost(&h, 16384));
  STEP(cudaHostGetDevicePointer((void**)&m, h, 0));
  unsigned flags = 0;
  STEP(cudaHostGetFlags(&flags, h));
  cudaPointerAttributes pa;
  STEP(cudaPointerGetAttributes(&pa, p));
  STEP(cudaMemcpyAsync(p, h, 16384, cudaMemcpyHostToDevice));
  STEP(cudaFreeHost(h));
  STEP(cudaHostAlloc(&h, 16384, cudaHostAllocMapped));
  STEP(cudaFreeHost(h));
  void* page = aligned_alloc(4096, 16384);
  STEP(cudaHostRegister(page, 16384, cudaHostRegisterDefault));
  STEP(cudaHostUnregister(page));
  STEP(cudaMallocManaged(&m, 16384));
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  STEP(cudaMemPrefetchAsync(m, 16384, here, 0, 0));
  STEP(cudaMemAdvise(m, 16384, cudaMemAdviseSetPreferredLocation, here));
  STEP(cudaFree(m));
  STEP(cudaMallocAsync(&h, 16384, 0));
  STEP(cudaFreeAsync(h, 0));
  cudaMemPool_t pool;
  STEP(cudaDeviceGetDefaultMemPool(&pool, 0));
  STEP(cudaMemPoolTrimTo(pool, 0));
  cudaArray_t array;
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  STEP(cudaMallocArray(&array, &desc, 16, 16));
  STEP(cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 16, cudaMemcpyHostToDevice));
  STEP(cudaMemcpy2DFromArray(host, 64, array, 0, 0, 64, 16, cudaMemcpyDeviceToHost));
  cudaResourceDesc rd = {};
  rd.resType = cudaResourceTypeArray;
  rd.res.array.array = array;
  cudaTextureDesc td = {};
  cudaTextureObject_t texture;
  STEP(cudaCreateTextureObject(&texture, &rd, &td, nullptr));
  STEP(cudaDestroyTextureObject(texture));
  cudaSurfaceObject_t surface;
  STEP(cudaCreateSurfaceObject(&surface, &rd));
  STEP(cudaDestroySurfaceObject(surface));
  STEP(cudaFreeArray(array));
  STEP(cudaMalloc3DArray(&array, &desc, make_cudaExtent(8, 8, 8)));
  STEP(cudaFreeArray(array));
  cudaStream_t s, s2;
  cudaEvent_t e, e2;
  STEP(cudaStreamCreate(&s));
  STEP(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
  STEP(cudaStreamDestroy(s2));
  STEP(cudaStreamCreateWithPriority(&s2, cudaStreamNonBlocking, 0));
  STEP(cudaStreamQuery(s));
  STEP(cudaStreamGetPriority(s, &n));
  STEP(cudaStreamGetFlags(s, &flags));
  STEP(cudaStreamSynchronize(s));
  STEP(cudaStreamSynchronize(0));
  STEP((kernel<<<1, 32, 0, s>>>(p), 0));
  STEP(cudaMemcpyAsync(p, q, 16384, cudaMemcpyDeviceToDevice, s));
  STEP(cudaMemsetAsync(p, 0, 16384, s));
  STEP(cudaEventCreate(&e));
  STEP(cudaEventCreateWithFlags(&e2, cudaEventDisableTiming));
  STEP(cudaEventDestroy(e2));
  STEP(cudaEventCreate(&e2));
  STEP(cudaEventRecord(e, s));
  STEP(cudaEventRecord(e2, 0));
  STEP(cudaEventRecordWithFlags(e2, s, 0));
  quiet = true;  // whether the event is there already differs from run to run
  cudaStreamSynchronize(s);
  quiet = false;
  STEP(cudaEventQuery(e));
  STEP(cudaEventSynchronize(e));
  STEP(cudaStreamWaitEvent(s2, e, 0));
  STEP(cudaEventSynchronize(e2));
  float ms;
  STEP(cudaEventElapsedTime(&ms, e, e2));
  STEP(cudaLaunchHostFunc(s, host_function, nullptr));
  STEP(cudaStreamAddCallback(s, stream_function, nullptr, 0));
  STEP(cudaStreamSynchronize(s));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  STEP(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  STEP((kernel<<<1, 32, 0, s>>>(p), 0));
  STEP(cudaMemcpyAsync(p, q, 16384, cudaMemcpyDeviceToDevice, s));
  STEP(cudaStreamEndCapture(s, &graph));
  STEP(cudaGraphInstantiate(&exec, graph, 0));
  STEP(cudaGraphUpload(exec, s));
  STEP(cudaGraphLaunch(exec, s));
  STEP(cudaStreamSynchronize(s));
  STEP(cudaGraphExecDestroy(exec));
  STEP(cudaGraphDestroy(graph));
  STEP(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t node, node2;
  cudaKernelNodeParams kp = {};
  kp.func = (void*)kernel;
  kp.gridDim = dim3(1);
  kp.blockDim = dim3(32);
  kp.kernelParams = args;
  STEP(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kp));
  STEP(cudaGraphAddMemcpyNode1D(&node2, graph, &node, 1, p, q, 64, cudaMemcpyDeviceToDevice));
  cudaGraph_t clone;
  STEP(cudaGraphClone(&clone, graph));
  STEP(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  STEP(cudaGraphExecKernelNodeSetParams(exec, node, &kp));
  STEP(cudaGraphLaunch(exec, 0));
  STEP(cudaDeviceSynchronize());
  STEP(cudaGraphExecDestroy(exec));
  STEP(cudaGraphDestroyNode(node2));
  STEP(cudaGraphDestroy(clone));
  STEP(cudaGraphDestroy(graph));
  STEP(cudaEventDestroy(e));
  STEP(cudaEventDestroy(e2));
  STEP(cudaStreamDestroy(s));
  STEP(cudaStreamDestroy(s2));
  STEP(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
  STEP(cudaDeviceGetLimit(&a, cudaLimitPrintfFifoSize));
  STEP(cudaDeviceGetStreamPriorityRange(&n, &n));
  STEP(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
  STEP(cudaDeviceGetCacheConfig((cudaFuncCache*)&n));
  STEP(cudaProfilerStart());
  STEP(cudaProfilerStop());
  void* entry;
  cudaDriverEntryPointQueryResult found;
  STEP(cudaGetDriverEntryPointByVersion("cuInit", &entry, 12000, cudaEnableDefault, &found));
  STEP(cudaFree(p));
  STEP(cudaFree((void*)0x10));
  STEP(cudaGetLastError());
  STEP(cudaFree(q));
  STEP(cudaDeviceReset());
  STEP(cudaFree(nullptr));
}

static const char ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k(){ret;}\n";

// Resources by the driver API.
static void driver_calls() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUstream stream;
  CUevent event;
  CUdeviceptr memory;
  CUlibrary library;
  STEP(cuInit(0));
  STEP(cuDeviceGet(&device, 0));
#if CUDA_VERSION >= 13000
  STEP(cuCtxCreate(&context, nullptr, 0, device));
#else
  STEP(cuCtxCreate(&context, 0, device));
#endif
  STEP(cuModuleLoadData(&module, ptx));
  STEP(cuModuleGetFunction(&function, module, "k"));
  STEP(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
  STEP(cuCtxSynchronize());
  STEP(cuStreamCreate(&stream, 0));
  STEP(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  STEP(cuStreamSynchronize(stream));
  STEP(cuEventCreate(&event, 0));
  STEP(cuEventRecord(event, stream));
  STEP(cuEventSynchronize(event));
  STEP(cuStreamWaitEvent(stream, event, 0));
  STEP(cuEventDestroy(event));
  STEP(cuMemAlloc(&memory, 4096));
  STEP(cuMemcpyHtoD(memory, ptx, 16));
  STEP(cuMemFree(memory));
  STEP(cuStreamDestroy(stream));
  STEP(cuModuleUnload(module));
  STEP(cuLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUkernel k;
  STEP(cuLibraryGetKernel(&k, library, "k"));
  STEP(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
  STEP(cuLibraryUnload(library));
  STEP(cuCtxDestroy(context));
  CUcontext primary;
  STEP(cuDevicePrimaryCtxRetain(&primary, device));
  STEP(cuDevicePrimaryCtxRelease(device));
}

static void CUPTIAPI requested(uint8_t** buffer, size_t* size, size_t* count) {
  *size = 1 << 20;
  *buffer = (uint8_t*)aligned_alloc(8, *size);
  *count = 0;
}
static void CUPTIAPI completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* r = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &r) == CUPTI_SUCCESS) {
    const char* name = "";
    if (r->kind == CUPTI_ACTIVITY_KIND_RUNTIME || r->kind == CUPTI_ACTIVITY_KIND_DRIVER) {
      auto* a = (CUpti_ActivityAPI*)r;
      cuptiGetCallbackName(r->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API, a->cbid, &name);
      printf("  record %s %s cor=%u ret=%u start=%llu end=%llu\n", r->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? "RUNTIME" : "DRIVER", name,
             a->correlationId, a->returnValue, (unsigned long long)a->start, (unsigned long long)a->end);
    } else if (r->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      printf("  record KERNEL cor=%u ctx=%u stream=%u\n", ((CUpti_ActivityKernel9*)r)->correlationId, ((CUpti_ActivityKernel9*)r)->contextId,
             ((CUpti_ActivityKernel9*)r)->streamId);
    } else if (r->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      printf("  record MEMCPY cor=%u\n", ((CUpti_ActivityMemcpy5*)r)->correlationId);
    } else if (r->kind == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) {
      auto* s = (CUpti_ActivitySynchronization*)r;
      printf("  record SYNC type=%d cor=%u ctx=%u stream=%u event=%u\n", (int)s->type, s->correlationId, s->contextId, s->streamId, s->cudaEventId);
    } else if (r->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
      auto* x = (CUpti_ActivityExternalCorrelation*)r;
      printf("  record EXTERNAL kind=%d id=%llu cor=%u\n", (int)x->externalKind, (unsigned long long)x->externalId, x->correlationId);
    } else printf("  record kind %d\n", (int)r->kind);
  }
  free(buffer);
}

#define DO(...) printf("%s = %d\n", #__VA_ARGS__, (int)(__VA_ARGS__))
static void small_program() {
  int *p, host[64] = {};
  cudaMalloc(&p, 256);
  kernel<<<1, 32>>>(p);
  cudaMemcpy(host, p, 256, cudaMemcpyDeviceToHost);
  cudaStream_t s;
  cudaEvent_t e;
  cudaStreamCreate(&s);
  cudaEventCreate(&e);
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 77);
  kernel<<<1, 32, 0, s>>>(p);
  uint64_t id;
  cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(0, e, 0);
  cudaEventSynchronize(e);
  cudaStreamSynchronize(s);
  CUdeviceptr d;
  cuMemAlloc(&d, 64);
  cuMemFree(d);
  cudaDeviceSynchronize();
  cudaFree(p);
}

static void activity(std::initializer_list<CUpti_ActivityKind> kinds) {
  cuptiActivityRegisterCallbacks(requested, completed);
  cudaFree(0);
  for (auto kind : kinds) DO(cuptiActivityEnable(kind));
  small_program();
  cuptiActivityFlushAll(1);
}

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  mode = argc > 1 ? argv[1] : "calls";
  CUpti_SubscriberHandle subscriber;
  auto subscribe = [&](std::initializer_list<CUpti_CallbackDomain> domains) {
    DO(cuptiSubscribe(&subscriber, called, nullptr));
    for (auto domain : domains) DO(cuptiEnableDomain(1, subscriber, domain));
  };
  const auto R = CUPTI_CB_DOMAIN_RUNTIME_API, D = CUPTI_CB_DOMAIN_DRIVER_API, RS = CUPTI_CB_DOMAIN_RESOURCE,
             SY = CUPTI_CB_DOMAIN_SYNCHRONIZE;
  if (mode == "calls") subscribe({R, D}), runtime_calls();
  else if (mode == "driver-only") subscribe({D}), runtime_calls();
  else if (mode == "resources") subscribe({R, D, RS, SY}), runtime_calls();
  else if (mode == "resources-driver") subscribe({D, RS, SY}), driver_calls();
  else if (mode == "late") {  // what is there already when somebody asks
    cudaStream_t s; int* p;
    cudaStreamCreate(&s); cudaMalloc(&p, 64); kernel<<<1, 32>>>(p); cudaDeviceSynchronize();
    subscribe({R, D, RS, SY, CUPTI_CB_DOMAIN_STATE});
    STEP((kernel<<<1, 32>>>(p), 0));
    STEP(cudaStreamSynchronize(s));
    STEP(cudaStreamDestroy(s));
  }
#ifndef WITHOUT_NVTX
  else if (mode == "nvtx") {
    subscribe({CUPTI_CB_DOMAIN_NVTX, R});
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = "x";
    STEP(nvtxRangePushA("one"));
    STEP((nvtxMarkA("mark"), 0));
    STEP(nvtxRangePushEx(&attributes));
    STEP(nvtxRangePop());
    STEP(nvtxRangePop());
    nvtxRangeId_t id = nvtxRangeStartA("range");
    STEP((nvtxRangeEnd(id), 0));
    nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
    STEP(nvtxDomainRangePushEx(domain, &attributes));
    STEP(nvtxDomainRangePop(domain));
    STEP((nvtxDomainMarkEx(domain, &attributes), 0));
    STEP((nvtxDomainRegisterStringA(domain, "text"), 0));
    STEP((nvtxNameOsThreadA(1, "thread"), 0));
    STEP((nvtxDomainDestroy(domain), 0));
  }
#endif
  else if (mode == "both") activity({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
      CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION});
  else if (mode == "driver-kind") activity({CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
      CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION});
  else if (mode == "runtime-kind") activity({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  else if (mode == "both-subscribed") subscribe({D}), quiet = true, activity({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER,
      CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  else if (mode == "kernel-kind") activity({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION});
  else if (mode == "domains") {
    size_t n = 0; CUpti_DomainTable t = nullptr;
    DO(cuptiSupportedDomains(&n, &t));
    printf("domains:");
    for (size_t i = 0; i < n; ++i) printf(" %d", (int)t[i]);
    printf("\n");
    DO(cuptiSubscribe(&subscriber, called, nullptr));
    for (int d = 0; d <= 9; ++d) {
      printf("domain %d: enable=%d", d, (int)cuptiEnableDomain(1, subscriber, (CUpti_CallbackDomain)d));
      for (unsigned id : {0u, 1u, 2u, 500u, 2000u}) {
        const char* name = nullptr; uint32_t on = 9;
        int a = cuptiEnableCallback(1, subscriber, (CUpti_CallbackDomain)d, id);
        int s = cuptiGetCallbackState(&on, subscriber, (CUpti_CallbackDomain)d, id);
        int r = cuptiGetCallbackName((CUpti_CallbackDomain)d, id, &name);
        printf("; id %u enable=%d state=%d(%u) name=%d(%s)", id, a, s, on, r, r == 0 && name ? name : "");
      }
      printf("\n");
    }
    DO(cuptiEnableAllDomains(1, subscriber));
    printf("kinds:");
    for (int k = 0; k < 70; ++k) printf(" %d:%d", k, (int)cuptiActivityEnable((CUpti_ActivityKind)k));
    printf("\nwith a context:");
    cudaFree(0);
    for (int k = 0; k < 70; ++k) printf(" %d:%d", k, (int)cuptiActivityEnable((CUpti_ActivityKind)k));
    printf("\n");
  }
  fflush(stdout);
  _exit(0);
}
