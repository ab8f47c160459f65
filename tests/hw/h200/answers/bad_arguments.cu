// What each function answers to one bad argument. Each call in a child process: a crash is an answer, too.
// nvcc api_bad_arguments.cu -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
static CUcontext context;
static CUstream gone_stream, good_stream;
static CUevent gone_event, good_event;
static CUdeviceptr memory;
static void ready() {
  cuInit(0);
  CUdevice d;
  cuDeviceGet(&d, 0);
  cuDevicePrimaryCtxRetain(&context, d);
  cuCtxSetCurrent(context);
  cudaFree(0);
  cuStreamCreate(&good_stream, 0);
  cuStreamCreate(&gone_stream, 0);
  cuStreamDestroy(gone_stream);
  cuEventCreate(&good_event, 0);
  cuEventCreate(&gone_event, 0);
  cuEventDestroy(gone_event);
  cuMemAlloc(&memory, 1 << 20);
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
      printf("%s -> %d\n", #__VA_ARGS__, (int)(__VA_ARGS__));                         \
      fflush(stdout);                                                                 \
      _exit(0);                                                                       \
    }                                                                                 \
  } while (0)
static void* p;
static size_t n;
static int i;
static CUevent e;
static CUstream s;
static CUmodule m;
static CUfunction f;
static CUgraph g;
static CUgraphExec x;
static CUmemoryPool pool;
static CUarray a;
static CUtexObject t;
static float ms;
static char host[4096];
static const void* table;
static CUdeviceptr q;
static const size_t huge = ~(size_t)0, half = (size_t)1 << 63;
static CUuuid nobody;
static int limit(CUlimit l, size_t v) {
  int r = cuCtxSetLimit(l, v);
  size_t now = 0;
  int r2 = cuCtxGetLimit(&now, l);
  printf("   limit %d set %zu: %d, get %d: %zu\n", l, v, r, r2, now);
  return r;
}
static int capture_alloc() {
  cuStreamBeginCapture(good_stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  int r = cuMemAllocAsync(&q, 64, good_stream);
  CUgraph gr;
  cuMemFreeAsync(q, good_stream);
  int r2 = cuStreamEndCapture(good_stream, &gr);
  size_t nodes = 0;
  cuGraphGetNodes(gr, 0, &nodes);
  printf("   end %d nodes %zu\n", r2, nodes);
  return r;
}
static int jit(unsigned verbose, const char* ptx) {
  static char info[2048], error[2048];
  CUjit_option o[] = {CU_JIT_INFO_LOG_BUFFER,   CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                      CU_JIT_ERROR_LOG_BUFFER,  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                      CU_JIT_LOG_VERBOSE,       CU_JIT_WALL_TIME,
                      CU_JIT_THREADS_PER_BLOCK, CU_JIT_MAX_REGISTERS};
  void* v[] = {info,
               (void*)2048,
               error,
               (void*)2048,
               (void*)(size_t)verbose,
               (void*)0,
               (void*)(size_t)100,
               (void*)(size_t)16};
  int r = cuModuleLoadDataEx(&m, ptx, 8, o, v);
  float w;
  memcpy(&w, &v[5], 4);
  printf("   info size %zu '%s' error size %zu '%s' wall %g threads %zu registers %zu\n", (size_t)v[1], info,
         (size_t)v[3], error, w, (size_t)v[6], (size_t)v[7]);
  return r;
}
static int integer_texture(int format, int filter, unsigned flags) {
  CUDA_RESOURCE_DESC r{};
  r.resType = CU_RESOURCE_TYPE_PITCH2D;
  size_t pitch;
  CUdeviceptr b;
  cuMemAllocPitch(&b, &pitch, 64, 4, 4);
  r.res.pitch2D = {b, (CUarray_format)format, 1, 8, 4, pitch};
  CUDA_TEXTURE_DESC d{};
  d.filterMode = (CUfilter_mode)filter;
  d.flags = flags;
  return cuTexObjectCreate(&t, &r, &d, 0);
}
// What a linear filter over integers that are read as integers gives between two texels.
__global__ void fetch(cudaTextureObject_t o, unsigned* out) {
  for (int k = 0; k < 8; ++k) out[k] = tex2D<unsigned char>(o, 1.f + k * 0.25f, 1.5f);
}
static int integer_values() {
  size_t pitch;
  CUdeviceptr b;
  cuMemAllocPitch(&b, &pitch, 64, 4, 4);
  unsigned char rows[4][8];
  for (int y = 0; y < 4; ++y)
    for (int c = 0; c < 8; ++c) rows[y][c] = 10 * c + y;
  cudaMemcpy2D((void*)b, pitch, rows, 8, 8, 4, cudaMemcpyHostToDevice);
  CUDA_RESOURCE_DESC r{};
  r.resType = CU_RESOURCE_TYPE_PITCH2D;
  r.res.pitch2D = {b, CU_AD_FORMAT_UNSIGNED_INT8, 1, 8, 4, pitch};
  CUDA_TEXTURE_DESC d{};
  d.filterMode = CU_TR_FILTER_MODE_LINEAR;
  d.flags = CU_TRSF_READ_AS_INTEGER;
  int c = cuTexObjectCreate(&t, &r, &d, 0);
  unsigned* o;
  cudaMallocManaged(&o, 64);
  fetch<<<1, 1>>>(t, o);
  int sync = cudaDeviceSynchronize();
  printf("   ");
  for (int k = 0; k < 8; ++k) printf("%u ", o[k]);
  printf("sync %d\n", sync);
  return c;
}
int main() {
  ASK(cuStreamSynchronize(gone_stream));
  ASK(cuStreamQuery((CUstream)0x123456780));
  ASK(cuStreamDestroy(gone_stream));
  ASK(cuStreamDestroy((CUstream)good_event));
  ASK(cuStreamDestroy(0));
  ASK(cuEventRecord(gone_event, good_stream));
  ASK(cuEventRecord(0, good_stream));
  ASK(cuEventQuery((CUevent)good_stream));
  ASK(cuEventSynchronize(gone_event));
  ASK(cuEventElapsedTime(&ms, good_event, 0));
  ASK(cuEventElapsedTime(0, good_event, good_event));
  ASK(cuModuleGetFunction(&f, 0, "k"));
  ASK(cuModuleUnload(0));
  ASK(cuModuleLoadData(&m, 0));
  ASK(cuModuleLoadData(0, "x"));
  ASK(cuModuleLoad(&m, "/nonexistent"));
  ASK(cuModuleLoadData(&m, "no program"));
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, 0));
  ASK(cuFuncLoad(0));
  ASK(cuMemAlloc(&q, 0));
  ASK(cuMemAlloc(&q, huge));
  ASK(cuMemAlloc(&q, half));
  ASK(cuMemAlloc(0, 4));
  ASK(cuMemFree(memory + 4));
  ASK(cuMemFree(0));
  ASK(cuMemHostAlloc(&p, huge, 0));
  ASK(cuMemHostAlloc(&p, 4, ~0u));
  ASK(cuMemHostRegister(host, huge, 0));
  ASK(cuMemHostRegister(0, 4, 0));
  ASK(cuMemAddressReserve(&q, huge & ~0x1fffffull, 0, 0, 0));
  ASK(cuMemAddressReserve(&q, 1, 0, 0, 0));
  ASK(cuMemcpyHtoD(memory, 0, 4));
  ASK(cuMemcpyHtoD(0, host, 4));
  ASK(cuMemcpyHtoD(memory, host, huge));
  ASK(cuMemsetD32(memory + 1, 0, 4));
  ASK(cuMemsetD8(memory, 0, huge));
  ASK(cuMemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY,
                  CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, 99}));
  ASK(cuCtxSetCurrent((CUcontext)0x123456780));
  ASK(cuCtxSetCacheConfig((CUfunc_cache)99));
  ASK(cuDeviceGet(&i, 99));
  ASK(cuDeviceGet(&i, -1));
  ASK(cuDeviceGetAttribute(&i, (CUdevice_attribute)9999, 0));
  ASK(cuDeviceGetAttribute(&i, (CUdevice_attribute)1, 99));
  ASK(cuDeviceGetP2PAttribute(&i, (CUdevice_P2PAttribute)99, 0, 0));
  ASK(cuLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
  ASK(cuGraphLaunch(0, good_stream));
  ASK(cuGraphCreate(&g, 1));
  ASK(cuGraphDestroy(0));
  ASK(cuGraphInstantiateWithFlags(&x, 0, 0));
  ASK(cuMemPoolDestroy(0));
  ASK(cuMemPoolTrimTo(0, 0));
  ASK(cuArrayDestroy(0));
  ASK(cuTexObjectDestroy(0));
  ASK(cuTexObjectDestroy(12345));
  ASK(cuLinkDestroy(0));
  ASK(cuMemGetDefaultMemPool(&pool, 0, CU_MEM_ALLOCATION_TYPE_PINNED));
  {
    static CUmemLocation l = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    ASK(cuMemGetDefaultMemPool(&pool, &l, (CUmemAllocationType)99));
  }
  ASK(cuGetExportTable(&table, &nobody));
  ASK(cuGetExportTable(0, &nobody));
  ASK(cuGetExportTable(&table, 0));
  ASK(limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1 << 20));
  ASK(limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, half));
  ASK(limit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 32));
  ASK(limit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 33));
  ASK(limit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 4096));
  ASK(limit((CUlimit)7, 1));
  ASK(limit((CUlimit)99, 1));
  ASK(limit(CU_LIMIT_STACK_SIZE, huge));
  ASK(([] {
    size_t v = 0;
    int r = cuCtxGetLimit(&v, CU_LIMIT_MAX_L2_FETCH_GRANULARITY);
    printf("   usual %zu\n", v);
    return r;
  })());
  ASK(capture_alloc());
  ASK(jit(0, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p){ ret; }"));
  ASK(jit(1, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p){ ret; }"));
  ASK(jit(1, ".version 7.0\n.target sm_80\nnonsense"));
  for (int format : {1, 2, 3, 0x20})
    for (int filter : {0, 1})
      for (unsigned flags : {0u, 1u})
        ASK((printf("   format %d filter %d flags %u\n", format, filter, flags),
             integer_texture(format, filter, flags)));
  ASK(integer_values());
  ASK(cudaMalloc(&p, huge));
  ASK(cudaMalloc(0, 4));
  ASK(cudaFree((void*)(memory + 4)));
  ASK(cudaMemcpy((void*)memory, host, 4, (cudaMemcpyKind)99));
  ASK(cudaMemcpy((void*)memory, 0, 4, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2D((void*)memory, 1, host, 8, 8, 1, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2D((void*)memory, huge, host, 8, 8, 1, cudaMemcpyHostToDevice));
  ASK(cudaMemset2D((void*)memory, 4, 0, 8, 2));
  ASK(cudaMallocPitch(&p, &n, huge, 1));
  ASK(cudaHostAlloc(&p, huge, 0));
  ASK(cudaHostRegister(host, half, 0));
  ASK(cudaStreamSynchronize(gone_stream));
  ASK(cudaEventQuery(gone_event));
  ASK(cudaEventRecord(0, 0));
  ASK(cudaSetDevice(99));
  ASK(cudaSetDevice(-1));
  ASK(cudaDeviceGetAttribute(&i, (cudaDeviceAttr)9999, 0));
  ASK(cudaDeviceSetLimit((cudaLimit)99, 1));
  ASK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, half));
  ASK(cudaDestroyTextureObject(12345));
  ASK(cudaDestroySurfaceObject(12345));
  ASK(cudaFreeArray(0));
  ASK(cudaGraphDestroy(0));
  ASK(cudaDeviceSetCacheConfig((cudaFuncCache)99));
  ASK(cudaStreamCreateWithFlags(&s, 99));
  ASK(cudaEventCreateWithFlags(&e, 99));
  ASK(cudaMemGetDefaultMemPool((cudaMemPool_t*)&pool, 0, (cudaMemAllocationType)99));
}
