// Kernels in ranges of NVTX: pushed and popped, started and ended, in a domain and in none.
#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

__global__ void first(int* p) { atomicAdd(p, 1); }
__global__ void second(int* p) { atomicAdd(p, 1); }
__global__ void third(int* p) { atomicAdd(p, 1); }

int main() {
  nvtxRangePushA("before any device");
  nvtxNameOsThreadA(static_cast<uint32_t>(syscall(SYS_gettid)), "the \"main\" one");
  int* p = nullptr;
  cudaMallocManaged(&p, sizeof *p);
  *p = 0;
  const int popped = nvtxRangePop();

  nvtxRangePushA("outer");
  first<<<1, 32>>>(p);
  const int inner = nvtxRangePushA("inner");
  second<<<1, 32>>>(p);
  second<<<1, 32>>>(p);
  nvtxRangePop();
  nvtxRangePop();

  const nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
  nvtxDomainNameCategoryA(domain, 7, "loading");
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.category = 7;
  event.colorType = NVTX_COLOR_ARGB;
  event.color = 0xFF00FF00;
  event.payloadType = NVTX_PAYLOAD_TYPE_INT32;
  event.payload.iValue = -5;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(domain, "registered");
  const nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &event);
  third<<<1, 32>>>(p);
  nvtxDomainRangeEnd(domain, range);
  nvtxMarkA("moment");
  nvtxRangeEnd(12345);  // no such range
  nvtxRangePushW(L"w\u00efde");
  nvtxRangePushA("never popped");
  third<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  std::printf("%d: popped %d inner %d\n", *p, popped, inner);
  return 0;
}
