// NVTX, the annotations profilers show. There is no NVIDIA profiler to show them to, so every call does
// nothing and costs nothing.
#ifndef NVTOOLSEXT_H_
#define NVTOOLSEXT_H_

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)(sizeof(nvtxEventAttributes_t)))
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st* nvtxStringHandle_t;
typedef struct nvtxResourceHandle* nvtxResourceHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef struct nvtxEventAttributes_v2 {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;

#define NVTX_RESOURCE_MAKE_TYPE(CLASS, INDEX) \
  ((((uint32_t)(NVTX_RESOURCE_CLASS_##CLASS)) << 16) | ((uint32_t)(INDEX)))
#define NVTX_RESOURCE_CLASS_GENERIC 1
typedef enum nvtxResourceGenericType_t {
  NVTX_RESOURCE_TYPE_UNKNOWN = 0,
  NVTX_RESOURCE_TYPE_GENERIC_POINTER = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 1),
  NVTX_RESOURCE_TYPE_GENERIC_HANDLE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 2),
  NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 3),
  NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 4)
} nvtxResourceGenericType_t;
typedef struct nvtxResourceAttributes_v0 {
  uint16_t version;
  uint16_t size;
  int32_t identifierType;
  union identifier_t {
    const void* pValue;
    uint64_t ullValue;
  } identifier;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxResourceAttributes_v0;
typedef nvtxResourceAttributes_v0 nvtxResourceAttributes_t;
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)(sizeof(nvtxResourceAttributes_v0)))

// lib64/libnvToolsExt.so.1 is these functions with another linkage.
#ifndef HEDDLE_NVTX_
#define HEDDLE_NVTX_ static inline __attribute__((unused))
#endif

HEDDLE_NVTX_ void nvtxInitialize(const void* reserved) { (void)reserved; }
HEDDLE_NVTX_ void nvtxMarkEx(const nvtxEventAttributes_t* event) { (void)event; }
HEDDLE_NVTX_ void nvtxMarkA(const char* message) { (void)message; }
HEDDLE_NVTX_ void nvtxMarkW(const wchar_t* message) { (void)message; }
HEDDLE_NVTX_ nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* event) { return (void)event, 0; }
HEDDLE_NVTX_ nvtxRangeId_t nvtxRangeStartA(const char* message) { return (void)message, 0; }
HEDDLE_NVTX_ nvtxRangeId_t nvtxRangeStartW(const wchar_t* message) { return (void)message, 0; }
HEDDLE_NVTX_ void nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
HEDDLE_NVTX_ int nvtxRangePushEx(const nvtxEventAttributes_t* event) {
  return (void)event, NVTX_NO_PUSH_POP_TRACKING;
}
HEDDLE_NVTX_ int nvtxRangePushA(const char* message) { return (void)message, NVTX_NO_PUSH_POP_TRACKING; }
HEDDLE_NVTX_ int nvtxRangePushW(const wchar_t* message) { return (void)message, NVTX_NO_PUSH_POP_TRACKING; }
HEDDLE_NVTX_ int nvtxRangePop(void) { return NVTX_NO_PUSH_POP_TRACKING; }

HEDDLE_NVTX_ nvtxDomainHandle_t nvtxDomainCreateA(const char* name) {
  return (void)name, (nvtxDomainHandle_t)0;
}
HEDDLE_NVTX_ nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t* name) {
  return (void)name, (nvtxDomainHandle_t)0;
}
HEDDLE_NVTX_ void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
HEDDLE_NVTX_ nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* string) {
  return (void)domain, (void)string, (nvtxStringHandle_t)0;
}
HEDDLE_NVTX_ nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t* string) {
  return (void)domain, (void)string, (nvtxStringHandle_t)0;
}
HEDDLE_NVTX_ nvtxResourceHandle_t nvtxDomainResourceCreate(nvtxDomainHandle_t domain,
                                                           nvtxResourceAttributes_t* resource) {
  return (void)domain, (void)resource, (nvtxResourceHandle_t)0;
}
HEDDLE_NVTX_ void nvtxDomainResourceDestroy(nvtxResourceHandle_t resource) { (void)resource; }
HEDDLE_NVTX_ void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  (void)domain, (void)event;
}
HEDDLE_NVTX_ nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain,
                                                  const nvtxEventAttributes_t* event) {
  return (void)domain, (void)event, 0;
}
HEDDLE_NVTX_ void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) { (void)domain, (void)id; }
HEDDLE_NVTX_ int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return (void)domain, (void)event, NVTX_NO_PUSH_POP_TRACKING;
}
HEDDLE_NVTX_ int nvtxDomainRangePop(nvtxDomainHandle_t domain) {
  return (void)domain, NVTX_NO_PUSH_POP_TRACKING;
}

HEDDLE_NVTX_ void nvtxNameCategoryA(uint32_t category, const char* name) { (void)category, (void)name; }
HEDDLE_NVTX_ void nvtxNameCategoryW(uint32_t category, const wchar_t* name) { (void)category, (void)name; }
HEDDLE_NVTX_ void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char* name) {
  (void)domain, (void)category, (void)name;
}
HEDDLE_NVTX_ void nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t* name) {
  (void)domain, (void)category, (void)name;
}
HEDDLE_NVTX_ void nvtxNameOsThreadA(uint32_t thread, const char* name) { (void)thread, (void)name; }
HEDDLE_NVTX_ void nvtxNameOsThreadW(uint32_t thread, const wchar_t* name) { (void)thread, (void)name; }

#ifdef UNICODE
#define nvtxMark nvtxMarkW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxRangePush nvtxRangePushW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#define nvtxDomainNameCategory nvtxDomainNameCategoryW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#endif

#endif
