// A subscriber of CUPTI: called before and behind the functions that it asks for.
// RUN: %nvcc %s -o %t -lcupti -lcuda && %t
#include <cupti.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "Inputs/check.h"

__global__ void kernel(int* p) { *p = 5; }

static int entered, left;
static uint32_t correlation;

static void CUPTIAPI called(void* data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* facts) {
  CHECK(data == &entered);
  const auto* call = static_cast<const CUpti_CallbackData*>(facts);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    CHECK(id == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    CHECK(std::strcmp(call->functionName, "cuMemAlloc_v2") == 0);
    const auto* parameters = static_cast<const cuMemAlloc_v2_params*>(call->functionParams);
    CHECK(parameters->bytesize == 16 && parameters->dptr != nullptr);
    CHECK(call->symbolName == nullptr);
    if (call->callbackSite == CUPTI_API_EXIT) CHECK(*parameters->dptr != 0);
  } else {
    CHECK(domain == CUPTI_CB_DOMAIN_RUNTIME_API && id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
    const auto* parameters = static_cast<const cudaLaunchKernel_v7000_params*>(call->functionParams);
    CHECK(parameters->gridDim.x == 3 && parameters->gridDim.z == 1 && parameters->blockDim.y == 2);
    CHECK(std::strcmp(call->symbolName, "_Z6kernelPi") == 0);
    CHECK(parameters->args != nullptr && parameters->sharedMem == 64 && parameters->stream == nullptr);
  }
  int device = 0;
  cudaGetDevice(&device);  // tells nobody
  if (call->callbackSite == CUPTI_API_ENTER) {
    ++entered;
    CHECK(call->functionReturnValue == nullptr);
    *call->correlationData = 4711;
    correlation = call->correlationId;
  } else {
    ++left;
    CHECK(*call->correlationData == 4711 && call->correlationId == correlation && correlation != 0);
    CHECK(*static_cast<const int*>(call->functionReturnValue) == 0);
    CHECK(call->context != nullptr && call->contextUid != 0);
  }
}

int main() {
  CUpti_SubscriberHandle subscriber, second;
  CHECK(cuptiSubscribe(&subscriber, called, &entered) == CUPTI_SUCCESS);
  CHECK(cuptiSubscribe(&second, called, nullptr) == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  const auto launch = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
  CHECK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, launch) == CUPTI_SUCCESS);
  CHECK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                            CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2) == CUPTI_SUCCESS);
  CHECK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, 100000) ==
        CUPTI_ERROR_INVALID_PARAMETER);
  CHECK(cuptiEnableCallback(1, nullptr, CUPTI_CB_DOMAIN_RUNTIME_API, launch) ==
        CUPTI_ERROR_INVALID_PARAMETER);
  uint32_t on = 0;
  CHECK(cuptiGetCallbackState(&on, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, launch) == CUPTI_SUCCESS &&
        on == 1);

  int* memory = nullptr;
  // A call of the runtime makes one of the driver.
  CHECK(cudaMalloc(&memory, 16) == cudaSuccess && entered == 1 && left == 1);
  CUdeviceptr other = 0;
  CHECK(cuMemAlloc(&other, 16) == CUDA_SUCCESS && entered == 2 && left == 2);
  kernel<<<3, dim3(1, 2), 64>>>(memory);
  cudaDeviceSynchronize();
  CHECK(entered == 3 && left == 3);
  CHECK(cuptiEnableDomain(0, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API) == CUPTI_SUCCESS);
  kernel<<<3, dim3(1, 2), 64>>>(memory);
  CHECK(entered == 3 && left == 3);

  size_t domains = 0;
  CUpti_DomainTable table = nullptr;
  CHECK(cuptiSupportedDomains(&domains, &table) == CUPTI_SUCCESS && domains == 6 && table != nullptr);
  CHECK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_NVTX, CUPTI_CBID_NVTX_nvtxDomainSyncUserCreate) ==
        CUPTI_ERROR_NOT_SUPPORTED);
  const char* name = nullptr;
  CHECK(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, launch, &name) == CUPTI_SUCCESS);
  CHECK(std::strcmp(name, "cudaLaunchKernel_v7000") == 0);
  CHECK(cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, 5000, &name) == CUPTI_ERROR_INVALID_PARAMETER);
  CHECK(cuptiGetResultString(CUPTI_ERROR_MAX_LIMIT_REACHED, &name) == CUPTI_SUCCESS);
  CHECK(std::strcmp(name, "CUPTI_ERROR_MAX_LIMIT_REACHED") == 0);
  CHECK(cuptiUnsubscribe(subscriber) == CUPTI_SUCCESS);
  CHECK(cuptiUnsubscribe(subscriber) == CUPTI_ERROR_INVALID_PARAMETER);
  CHECK(cuptiSubscribe(&second, called, nullptr) == CUPTI_SUCCESS &&
        cuptiUnsubscribe(second) == CUPTI_SUCCESS);
  std::puts("passed");
  return 0;
}
