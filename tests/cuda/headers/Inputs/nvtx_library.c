/* As a program of NVTX 1 and 2 declares what it links. */
#include <stdio.h>
#ifdef TODAY
#include <nvToolsExt.h>
#include <nvToolsExtCudaRt.h>
#include <nvToolsExtSync.h>
#else
extern int nvtxRangePushA(const char* message);
extern int nvtxRangePop(void);
extern void nvtxMarkA(const char* message);
extern void nvtxNameCudaStreamA(void* stream, const char* name);
#endif

int main(void) {
  const int pushed = nvtxRangePushA("range");
  nvtxMarkA("mark");
  nvtxNameCudaStreamA(0, "stream");
  printf("%d %d\n", pushed, nvtxRangePop());
#ifdef TODAY
  nvtxResourceAttributes_t resource = {NVTX_VERSION, NVTX_RESOURCE_ATTRIB_STRUCT_SIZE};
  resource.identifierType = NVTX_RESOURCE_TYPE_SYNC_PTHREAD_MUTEX;
  printf("%d %d %d\n", resource.identifierType == (3 << 16 | 1), (int)sizeof resource,
         nvtxDomainResourceCreate(nvtxDomainCreate("domain"), &resource) == 0);
#endif
  return 0;
}
