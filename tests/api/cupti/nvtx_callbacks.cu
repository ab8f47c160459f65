// A subscriber of NVTX's functions: called once behind each, with its parameters and what it returned.
// RUN: %nvcc %s -o %t -lcupti && %t
#include <cupti.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "Inputs/check.h"

static std::string told;
static int depth = -7;

static void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* facts) {
  CHECK(domain == CUPTI_CB_DOMAIN_NVTX);
  const auto* call = static_cast<const CUpti_NvtxData*>(facts);
  told += std::string(call->functionName) + " ";
  switch (id) {
    case CUPTI_CBID_NVTX_nvtxRangePushA: {
      struct Parameters {
        const char* message;
      };
      CHECK(std::strcmp(static_cast<const Parameters*>(call->functionParams)->message, "one") == 0);
      depth = *static_cast<const int*>(call->functionReturnValue);
      return;
    }
    case CUPTI_CBID_NVTX_nvtxMarkA: CHECK(call->functionReturnValue == nullptr); return;
    case CUPTI_CBID_NVTX_nvtxRangePop: depth = *static_cast<const int*>(call->functionReturnValue); return;
    case CUPTI_CBID_NVTX_nvtxDomainCreateA: CHECK(call->functionReturnValue != nullptr); return;
    default: return;
  }
}

int main() {
  CUpti_SubscriberHandle subscriber;
  CHECK(cuptiSubscribe(&subscriber, called, nullptr) == CUPTI_SUCCESS);
  nvtxMarkA("nobody asked");
  CHECK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_NVTX) == CUPTI_SUCCESS);
  nvtxRangePushA("one");
  CHECK(depth == 0);
  nvtxMarkA("mark");
  nvtxRangePop();
  CHECK(depth == 0);
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxDomainRangePop(domain);
  CHECK(told == "nvtxRangePushA nvtxMarkA nvtxRangePop nvtxDomainCreateA nvtxDomainRangePushEx nvtxDomainRangePop ");
  CHECK(cuptiEnableCallback(0, subscriber, CUPTI_CB_DOMAIN_NVTX, CUPTI_CBID_NVTX_nvtxMarkA) == CUPTI_SUCCESS);
  nvtxMarkA("not wanted");
  CHECK(cuptiUnsubscribe(subscriber) == CUPTI_SUCCESS);
  nvtxRangePop();
  CHECK(told.size() == std::strlen("nvtxRangePushA nvtxMarkA nvtxRangePop nvtxDomainCreateA nvtxDomainRangePushEx nvtxDomainRangePop "));
  std::puts("passed");
  return 0;
}
