// NVTX through CUPTI: the library that a program links is the tool that its ranges go to, or the one that the
// variable names.
// RUN: %nvcc %s -o %t -lcupti && %t
// RUN: %nvcc %s -o %t.other -DBY_VARIABLE -ldl
// RUN: env NVTX_INJECTION64_PATH=%lib64/libcupti.so.12 %t.other %lib64/libcupti.so.12
// RUN: env NVTX_INJECTION64_PATH=%t.nothing %t.other
#include <cupti.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "Inputs/check.h"

static CUpti_ActivityMarker2 marks[16];
static CUpti_ActivityMarkerData2 data[16];
static int mark_count, data_count;

#ifdef BY_VARIABLE
static void* library;
#define CALL(name) reinterpret_cast<decltype(&name)>(dlsym(library, #name))
#else
#define CALL(name) name
#endif

static void CUPTIAPI request(uint8_t** buffer, size_t* size, size_t* most) {
  *most = 0;
  *size = 1 << 16;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
}
static void CUPTIAPI complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (CALL(cuptiActivityGetNextRecord)(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_MARKER)
      std::memcpy(&marks[mark_count++], record, sizeof *marks);
    else if (record->kind == CUPTI_ACTIVITY_KIND_MARKER_DATA)
      std::memcpy(&data[data_count++], record, sizeof *data);
  }
  std::free(buffer);
}

int main(int count, char** words) {
#ifdef BY_VARIABLE
  if (count == 1) {  // a tool that is not there
    CHECK(nvtxRangePushA("unheard") == NVTX_NO_PUSH_POP_TRACKING);
    return 0;
  }
  library = dlopen(words[1], RTLD_NOW);
  CHECK(library != nullptr);
#else
  (void)count, (void)words;
#endif
  CHECK(CALL(cuptiActivityRegisterCallbacks)(request, complete) == CUPTI_SUCCESS);
  CHECK(CALL(cuptiActivityEnable)(CUPTI_ACTIVITY_KIND_MARKER) == CUPTI_SUCCESS);
  CHECK(CALL(cuptiActivityEnable)(CUPTI_ACTIVITY_KIND_MARKER_DATA) == CUPTI_SUCCESS);
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.category = 5;
  event.colorType = NVTX_COLOR_ARGB;
  event.color = 0xFF112233;
  event.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  event.payload.dValue = 2.5;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = "described";
  CHECK(nvtxRangePushA("outer") == 0 && nvtxDomainRangePushEx(nvtxDomainCreateA("domain"), &event) == 0);
  CHECK(nvtxDomainRangePop(nvtxDomainCreateA("domain")) == 0);
  nvtxMarkA("moment");
  CHECK(nvtxRangePop() == 0 && nvtxRangePop() == -1);
  CHECK(CALL(cuptiActivityFlushAll)(0) == CUPTI_SUCCESS);

  CHECK(mark_count == 5 && data_count == 3);
  CHECK(marks[0].flags == CUPTI_ACTIVITY_FLAG_MARKER_START && std::strcmp(marks[0].name, "outer") == 0);
  CHECK(marks[0].domain == nullptr && marks[0].objectKind == CUPTI_ACTIVITY_OBJECT_THREAD);
  CHECK(std::strcmp(marks[1].name, "described") == 0 && std::strcmp(marks[1].domain, "domain") == 0);
  CHECK(marks[2].flags == CUPTI_ACTIVITY_FLAG_MARKER_END && marks[2].id == marks[1].id &&
        marks[2].name == nullptr);
  CHECK(marks[3].flags == CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS &&
        std::strcmp(marks[3].name, "moment") == 0);
  CHECK(marks[4].flags == CUPTI_ACTIVITY_FLAG_MARKER_END && marks[4].id == marks[0].id);
  for (int i = 1; i < 5; ++i) CHECK(marks[i].timestamp >= marks[i - 1].timestamp);
  CHECK(data[1].id == marks[1].id && data[1].color == 0xFF112233 && data[1].category == 5);
  CHECK(data[1].flags == CUPTI_ACTIVITY_FLAG_MARKER_COLOR_ARGB && data[1].payload.metricValueDouble == 2.5);
  std::puts("passed");
  return 0;
}
