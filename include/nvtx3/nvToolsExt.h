// NVTX, the annotations that profilers show. The first call looks for a tool: a library that the variable
// NVTX_INJECTION64_PATH names (`heddle profile` and its like set it), or one that is in the process already.
// The tool says which functions it wants to be called; all others do nothing.
#ifndef NVTOOLSEXT_H_
#define NVTOOLSEXT_H_

#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

// ---- the tool. Functions have a module and a number in it, which programs and tools of all makers agree
// upon.
typedef void (*heddle_nvtx_function_)(void);
enum { heddle_nvtx_modules_ = 7, heddle_nvtx_numbers_ = 17 };
struct heddle_nvtx_state_ {
  int begun;  // 0: not yet, 1: somebody is at it, 2: it is known what to call
  heddle_nvtx_function_ functions[heddle_nvtx_modules_][heddle_nvtx_numbers_];
  heddle_nvtx_function_* places[heddle_nvtx_modules_][heddle_nvtx_numbers_];
};
#ifdef __cplusplus
extern "C" {
#endif
// One for all sources of a program or library.
__attribute__((weak, visibility("hidden"))) struct heddle_nvtx_state_ heddle_nvtx_tool_;
// A tool inside the program says so by defining it.
extern __attribute__((weak)) int (*InitializeInjectionNvtx2_fnptr)(const void* (*)(uint32_t));
#ifdef __cplusplus
}
#endif

static inline __attribute__((unused)) int heddle_nvtx_table_(uint32_t module, heddle_nvtx_function_*** table,
                                                             unsigned int* size) {
  // How many numbers each module has, with 0, which is none.
  static const unsigned int sizes[heddle_nvtx_modules_] = {0, 16, 9, 15, 7, 16, 7};
  if (module == 0 || module >= heddle_nvtx_modules_) return 0;
  for (unsigned int i = 0; i < sizes[module]; ++i)
    heddle_nvtx_tool_.places[module][i] = &heddle_nvtx_tool_.functions[module][i];
  if (table != 0) *table = heddle_nvtx_tool_.places[module];
  if (size != 0) *size = sizes[module];
  return 1;
}
static inline __attribute__((unused)) void heddle_nvtx_tool_version_(uint32_t version) { (void)version; }
static inline __attribute__((unused)) const void* heddle_nvtx_export_(uint32_t table) {
  static const struct {
    size_t bytes;
    int (*table)(uint32_t, heddle_nvtx_function_***, unsigned int*);
  } callbacks = {sizeof callbacks, heddle_nvtx_table_};
  static const struct {
    size_t bytes;
    uint32_t version, reserved;
    void (*set)(uint32_t);
  } version = {sizeof version, NVTX_VERSION, 0, heddle_nvtx_tool_version_};
  return table == 1 ? (const void*)&callbacks : table == 3 ? (const void*)&version : 0;
}
static __attribute__((unused, noinline)) void heddle_nvtx_begin_(void) {
  int fresh = 0;
  if (!__atomic_compare_exchange_n(&heddle_nvtx_tool_.begun, &fresh, 1, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_ACQUIRE)) {
    while (__atomic_load_n(&heddle_nvtx_tool_.begun, __ATOMIC_ACQUIRE) != 2) sched_yield();
    return;
  }
  typedef int (*initialize_type)(const void* (*)(uint32_t));
  initialize_type initialize =
      (initialize_type)dlsym(0, "InitializeInjectionNvtx2");  // in every library that is there
  const char* path = getenv("NVTX_INJECTION64_PATH");
  if (initialize == 0 && path != 0) {
    void* library = dlopen(path, RTLD_LAZY);
    if (library != 0) initialize = (initialize_type)dlsym(library, "InitializeInjectionNvtx2");
  }
  if (initialize == 0 && &InitializeInjectionNvtx2_fnptr != 0) initialize = InitializeInjectionNvtx2_fnptr;
  if (initialize != 0 && initialize(heddle_nvtx_export_) == 0)  // it wants nothing after all
    for (int i = 0; i < heddle_nvtx_modules_; ++i)
      for (int j = 0; j < heddle_nvtx_numbers_; ++j) heddle_nvtx_tool_.functions[i][j] = 0;
  __atomic_store_n(&heddle_nvtx_tool_.begun, 2, __ATOMIC_RELEASE);
}
// What to call instead; NULL: nothing.
static inline __attribute__((unused)) heddle_nvtx_function_ heddle_nvtx_wanted_(int module, int number) {
#ifdef NVTX_DISABLE
  (void)module, (void)number;
  return 0;
#else
  if (__builtin_expect(__atomic_load_n(&heddle_nvtx_tool_.begun, __ATOMIC_ACQUIRE) != 2, 0))
    heddle_nvtx_begin_();
  return heddle_nvtx_tool_.functions[module][number];
#endif
}
#define HEDDLE_NVTX_VOID_(module, number, name, parameters, arguments)           \
  HEDDLE_NVTX_ void name parameters {                                            \
    typedef void(*function_type) parameters;                                     \
    function_type function = (function_type)heddle_nvtx_wanted_(module, number); \
    if (function != 0) function arguments;                                       \
  }
#define HEDDLE_NVTX_VALUE_(module, number, type, otherwise, name, parameters, arguments) \
  HEDDLE_NVTX_ type name parameters {                                                    \
    typedef type(*function_type) parameters;                                             \
    function_type function = (function_type)heddle_nvtx_wanted_(module, number);         \
    return function != 0 ? function arguments : (type)(otherwise);                       \
  }

// ---- ranges, moments and names without a domain
HEDDLE_NVTX_VOID_(5, 15, nvtxInitialize, (const void* reserved), (reserved))
HEDDLE_NVTX_VOID_(1, 1, nvtxMarkEx, (const nvtxEventAttributes_t* event), (event))
HEDDLE_NVTX_VOID_(1, 2, nvtxMarkA, (const char* message), (message))
HEDDLE_NVTX_VOID_(1, 3, nvtxMarkW, (const wchar_t* message), (message))
HEDDLE_NVTX_VALUE_(1, 4, nvtxRangeId_t, 0, nvtxRangeStartEx, (const nvtxEventAttributes_t* event), (event))
HEDDLE_NVTX_VALUE_(1, 5, nvtxRangeId_t, 0, nvtxRangeStartA, (const char* message), (message))
HEDDLE_NVTX_VALUE_(1, 6, nvtxRangeId_t, 0, nvtxRangeStartW, (const wchar_t* message), (message))
HEDDLE_NVTX_VOID_(1, 7, nvtxRangeEnd, (nvtxRangeId_t id), (id))
HEDDLE_NVTX_VALUE_(1, 8, int, NVTX_NO_PUSH_POP_TRACKING, nvtxRangePushEx,
                   (const nvtxEventAttributes_t* event), (event))
HEDDLE_NVTX_VALUE_(1, 9, int, NVTX_NO_PUSH_POP_TRACKING, nvtxRangePushA, (const char* message), (message))
HEDDLE_NVTX_VALUE_(1, 10, int, NVTX_NO_PUSH_POP_TRACKING, nvtxRangePushW, (const wchar_t* message), (message))
HEDDLE_NVTX_VALUE_(1, 11, int, NVTX_NO_PUSH_POP_TRACKING, nvtxRangePop, (void), ())
HEDDLE_NVTX_VOID_(1, 12, nvtxNameCategoryA, (uint32_t category, const char* name), (category, name))
HEDDLE_NVTX_VOID_(1, 13, nvtxNameCategoryW, (uint32_t category, const wchar_t* name), (category, name))
HEDDLE_NVTX_VOID_(1, 14, nvtxNameOsThreadA, (uint32_t thread, const char* name), (thread, name))
HEDDLE_NVTX_VOID_(1, 15, nvtxNameOsThreadW, (uint32_t thread, const wchar_t* name), (thread, name))

// ---- in a domain
HEDDLE_NVTX_VOID_(5, 1, nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event),
                  (domain, event))
HEDDLE_NVTX_VALUE_(5, 2, nvtxRangeId_t, 0, nvtxDomainRangeStartEx,
                   (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event), (domain, event))
HEDDLE_NVTX_VOID_(5, 3, nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t id), (domain, id))
HEDDLE_NVTX_VALUE_(5, 4, int, NVTX_NO_PUSH_POP_TRACKING, nvtxDomainRangePushEx,
                   (nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event), (domain, event))
HEDDLE_NVTX_VALUE_(5, 5, int, NVTX_NO_PUSH_POP_TRACKING, nvtxDomainRangePop, (nvtxDomainHandle_t domain),
                   (domain))
HEDDLE_NVTX_VALUE_(5, 6, nvtxResourceHandle_t, 0, nvtxDomainResourceCreate,
                   (nvtxDomainHandle_t domain, nvtxResourceAttributes_t* resource), (domain, resource))
HEDDLE_NVTX_VOID_(5, 7, nvtxDomainResourceDestroy, (nvtxResourceHandle_t resource), (resource))
HEDDLE_NVTX_VOID_(5, 8, nvtxDomainNameCategoryA,
                  (nvtxDomainHandle_t domain, uint32_t category, const char* name), (domain, category, name))
HEDDLE_NVTX_VOID_(5, 9, nvtxDomainNameCategoryW,
                  (nvtxDomainHandle_t domain, uint32_t category, const wchar_t* name),
                  (domain, category, name))
HEDDLE_NVTX_VALUE_(5, 10, nvtxStringHandle_t, 0, nvtxDomainRegisterStringA,
                   (nvtxDomainHandle_t domain, const char* string), (domain, string))
HEDDLE_NVTX_VALUE_(5, 11, nvtxStringHandle_t, 0, nvtxDomainRegisterStringW,
                   (nvtxDomainHandle_t domain, const wchar_t* string), (domain, string))
HEDDLE_NVTX_VALUE_(5, 12, nvtxDomainHandle_t, 0, nvtxDomainCreateA, (const char* name), (name))
HEDDLE_NVTX_VALUE_(5, 13, nvtxDomainHandle_t, 0, nvtxDomainCreateW, (const wchar_t* name), (name))
HEDDLE_NVTX_VOID_(5, 14, nvtxDomainDestroy, (nvtxDomainHandle_t domain), (domain))

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
