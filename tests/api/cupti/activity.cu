// CUPTI as profilers use it (Kineto's sequence): buffers of the program, records of calls, kernels, copies,
// fills and waiting, joined by correlation ids, and ids of the program's own.
// RUN: %nvcc %s -o %t -lcupti -lcuda
// RUN: %t && env HEDDLE_EXECUTOR=interp %t && env HEDDLE_CLOCK=device %t
#include <cupti.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "Inputs/check.h"

__global__ void scale(float* values, float by) {
  values[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] *= by;
}

static int requested, completed;
static bool refuse;
static std::vector<std::vector<char>> records;  // whole ones, in their order

static void CUPTIAPI request(uint8_t** buffer, size_t* size, size_t* most) {
  ++requested;
  *most = 0;
  *size = refuse ? 0 : 4096;
  *buffer = refuse ? nullptr : static_cast<uint8_t*>(std::aligned_alloc(8, 4096));
}
static void CUPTIAPI complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  ++completed;
  CUpti_Activity* record = nullptr;
  CUptiResult result;
  while ((result = cuptiActivityGetNextRecord(buffer, valid, &record)) == CUPTI_SUCCESS) {
    const char* end = reinterpret_cast<const char*>(record) + 248;  // the longest; enough of it is ours
    const char* buffer_end = reinterpret_cast<const char*>(buffer) + 4096;
    std::vector<char> copy(reinterpret_cast<const char*>(record), end < buffer_end ? end : buffer_end);
    copy.resize(248);
    records.push_back(copy);
  }
  CHECK(result == CUPTI_ERROR_MAX_LIMIT_REACHED);
  std::free(buffer);
}

template <class T>
static std::vector<const T*> all(std::initializer_list<CUpti_ActivityKind> kinds) {
  std::vector<const T*> found;
  for (const auto& record : records)
    for (const CUpti_ActivityKind kind : kinds)
      if (reinterpret_cast<const CUpti_Activity*>(record.data())->kind == kind)
        found.push_back(reinterpret_cast<const T*>(record.data()));
  return found;
}
static const CUpti_ActivityAPI* call_of(uint32_t correlation) {
  for (const auto* call : all<CUpti_ActivityAPI>({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER}))
    if (call->correlationId == correlation) return call;
  return nullptr;
}
static std::string name_of(const CUpti_ActivityAPI* call) {
  const char* name = nullptr;
  if (call == nullptr) return "none";
  const CUpti_CallbackDomain domain =
      call->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
  CHECK(cuptiGetCallbackName(domain, call->cbid, &name) == CUPTI_SUCCESS);
  return name;
}

int main() {
  const bool device_clock = std::getenv("HEDDLE_CLOCK") != nullptr;  // work has times of its own
  uint32_t version = 0;
  CHECK(cuptiGetVersion(&version) == CUPTI_SUCCESS && version == CUPTI_API_VERSION);
  CHECK(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);  // nobody to hand anything to
  CHECK(cuptiActivityRegisterCallbacks(request, complete) == CUPTI_SUCCESS);
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
        CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_CUDA_EVENT, CUPTI_ACTIVITY_KIND_OVERHEAD,
        CUPTI_ACTIVITY_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_STREAM})
    CHECK(cuptiActivityEnable(kind) == CUPTI_SUCCESS);
  CHECK(cuptiActivityEnable(static_cast<CUpti_ActivityKind>(1000)) == CUPTI_ERROR_INVALID_KIND);
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_NVLINK) == CUPTI_ERROR_NOT_COMPATIBLE);
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_METRIC) == CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED);
  CHECK(cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, 0) == CUPTI_SUCCESS);

  uint64_t before = 0, after = 0;
  CHECK(cuptiGetTimestamp(&before) == CUPTI_SUCCESS);
  const int n = 1024;
  std::vector<float> host(n, 1.0f);
  float* device = nullptr;
  int which = 0;
  cudaGetDevice(&which);
  CHECK(cudaMalloc(&device, n * sizeof(float)) == cudaSuccess);
  cudaMemset(device, 0xAB, 64);
  cudaMemcpy(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaStream_t stream;
  cudaEvent_t event;
  CHECK(cudaStreamCreate(&stream) == cudaSuccess && cudaEventCreate(&event) == cudaSuccess);
  CHECK(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 77) == CUPTI_SUCCESS);
  scale<<<dim3(2, 2, 1), 256, 512, stream>>>(device, 3.0f);
  uint64_t id = 0;
  CHECK(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id) == CUPTI_SUCCESS);
  CHECK(id == 77);
  CHECK(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, nullptr) ==
        CUPTI_ERROR_QUEUE_EMPTY);
  cudaEventRecord(event, stream);
  cudaMemcpyAsync(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamWaitEvent(stream, event, 0);
  cudaEventSynchronize(event);
  cudaStreamSynchronize(stream);
  cudaFree(nullptr);
  cudaSetDevice(1000);
  cudaDeviceSynchronize();
  CHECK(cuptiGetTimestamp(&after) == CUPTI_SUCCESS && after > before);
  CHECK(host[0] == 3.0f);
  CHECK(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) == CUPTI_SUCCESS);
  CHECK(requested > 0 && completed == requested);

  uint32_t context = 0, stream_id = 0, null_stream = 0, number = 9;
  CUcontext current = nullptr;
  cuCtxGetCurrent(&current);
  CHECK(cuptiGetContextId(current, &context) == CUPTI_SUCCESS && context != 0);
  CHECK(cuptiGetStreamId(current, stream, &stream_id) == CUPTI_SUCCESS && stream_id != 0);
  CHECK(cuptiGetStreamId(current, nullptr, &null_stream) == CUPTI_SUCCESS && null_stream != stream_id);
  CHECK(cuptiGetDeviceId(current, &number) == CUPTI_SUCCESS && number == 0);
  CHECK(cuptiGetContextId(reinterpret_cast<CUcontext>(12345), &context) == CUPTI_ERROR_INVALID_CONTEXT);
  CHECK(cuptiGetStreamId(current, reinterpret_cast<CUstream>(12345), &context) == CUPTI_ERROR_INVALID_STREAM);
  CHECK(cuptiGetContextId(nullptr, nullptr) == CUPTI_ERROR_INVALID_PARAMETER);
  CHECK(cuptiGetLastError() == CUPTI_ERROR_INVALID_PARAMETER && cuptiGetLastError() == CUPTI_SUCCESS);

  // The kernel, by the layouts of several versions.
  const auto kernels = all<CUpti_ActivityKernel9>({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  CHECK(kernels.size() == 1);
  const CUpti_ActivityKernel9& kernel = *kernels[0];
  const auto& older = reinterpret_cast<const CUpti_ActivityKernel4&>(kernel);
  CHECK(std::strcmp(kernel.name, "_Z5scalePff") == 0 && older.name == kernel.name);
  CHECK(kernel.gridX == 2 && kernel.gridY == 2 && kernel.gridZ == 1 && kernel.blockX == 256 &&
        older.blockY == 1);
  CHECK(kernel.dynamicSharedMemory == 512 && kernel.staticSharedMemory == 0 && kernel.registersPerThread > 0);
  CHECK(kernel.contextId == context && kernel.streamId == stream_id && kernel.deviceId == 0);
  CHECK(kernel.start < kernel.end && older.start == kernel.start);
  if (!device_clock) CHECK(kernel.start >= before && kernel.end <= after);
  const CUpti_ActivityAPI* launch = call_of(kernel.correlationId);
  CHECK(name_of(launch) == "cudaLaunchKernel_v7000");
  CHECK(launch->start >= before && launch->start < launch->end && launch->end <= after);
  if (!device_clock) CHECK(launch->start <= kernel.start);
  CHECK(launch->processId != 0 && launch->threadId == static_cast<uint32_t>(pthread_self()));

  const auto externals = all<CUpti_ActivityExternalCorrelation>({CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION});
  bool found = false;
  for (const auto* external : externals) {
    CHECK(external->externalId == 77 && external->externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
    found |= external->correlationId == kernel.correlationId;
  }
  CHECK(found);

  const auto copies = all<CUpti_ActivityMemcpy5>({CUPTI_ACTIVITY_KIND_MEMCPY});
  CHECK(copies.size() == 2);
  CHECK(copies[0]->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD && copies[0]->bytes == n * sizeof(float));
  CHECK(copies[0]->srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE &&
        copies[0]->dstKind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE && copies[0]->flags == 0);
  CHECK(copies[0]->streamId == null_stream && copies[1]->streamId == stream_id);
  CHECK(copies[1]->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH &&
        copies[1]->flags == CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC);
  CHECK(name_of(call_of(copies[0]->correlationId)) == "cudaMemcpy_v3020");
  CHECK(name_of(call_of(copies[1]->correlationId)) == "cudaMemcpyAsync_v3020");
  CHECK(copies[1]->start >= kernel.end);
  const auto fills = all<CUpti_ActivityMemset4>({CUPTI_ACTIVITY_KIND_MEMSET});
  CHECK(fills.size() == 1 && fills[0]->bytes == 64 && fills[0]->value == 0xAB);
  CHECK(fills[0]->memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE && fills[0]->start <= fills[0]->end);

  // Waiting: an event, a stream and the device, and a stream for an event.
  std::map<int, const CUpti_ActivitySynchronization*> waits;
  for (const auto* wait : all<CUpti_ActivitySynchronization>({CUPTI_ACTIVITY_KIND_SYNCHRONIZATION}))
    waits[wait->type] = wait;
  CHECK(waits.size() == 4);
  const auto events = all<CUpti_ActivityCudaEvent>({CUPTI_ACTIVITY_KIND_CUDA_EVENT});
  CHECK(events.size() == 1 && events[0]->streamId == stream_id);
  const auto* by_event = waits[CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE];
  const auto* of_stream = waits[CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT];
  const auto* by_stream = waits[CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE];
  const auto* by_device = waits[CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE];
  CHECK(by_event->cudaEventId == events[0]->eventId && of_stream->cudaEventId == events[0]->eventId);
  CHECK(by_stream->streamId == stream_id && of_stream->streamId == stream_id);
  CHECK(by_device->streamId == static_cast<uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE));
  CHECK(name_of(call_of(by_device->correlationId)) == "cudaDeviceSynchronize_v3020");
  CHECK(by_device->contextId == context);

  // Calls: what failed says so; what the program does not want is not there.
  std::set<std::string> names;
  for (const auto* call : all<CUpti_ActivityAPI>({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER})) {
    names.insert(name_of(call));
    if (name_of(call) == "cudaSetDevice_v3020") CHECK(call->returnValue == cudaErrorInvalidDevice);
  }
  CHECK(names.count("cudaSetDevice_v3020") == 1 && names.count("cudaGetDevice_v3020") == 0);
  const auto contexts = all<CUpti_ActivityContext3>({CUPTI_ACTIVITY_KIND_CONTEXT});
  CHECK(contexts.size() == 1 && contexts[0]->contextId == context &&
        contexts[0]->nullStreamId == null_stream);
  const auto streams = all<CUpti_ActivityStream>({CUPTI_ACTIVITY_KIND_STREAM});
  CHECK(streams.size() >= 1 && streams.back()->streamId == stream_id);

  // Disabled kinds make no records; buffers that are not given drop them.
  records.clear();
  for (int kind = 1; kind < CUPTI_ACTIVITY_KIND_COUNT; ++kind)
    cuptiActivityDisable(static_cast<CUpti_ActivityKind>(kind));
  scale<<<1, 32>>>(device, 1.0f);
  cudaDeviceSynchronize();
  CHECK(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  CHECK(all<CUpti_ActivityAPI>({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL}).empty());
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DEVICE) == CUPTI_SUCCESS);
  CHECK(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  const auto devices = all<CUpti_ActivityDevice5>({CUPTI_ACTIVITY_KIND_DEVICE});
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  CHECK(devices.size() == 1 && std::strcmp(devices[0]->name, properties.name) == 0);
  CHECK(static_cast<int>(devices[0]->numMultiprocessors) == properties.multiProcessorCount);
  CHECK(static_cast<int>(devices[0]->computeCapabilityMajor) == properties.major);
  CHECK(devices[0]->globalMemorySize == properties.totalGlobalMem);
  CHECK(std::memcmp(&devices[0]->uuid, &properties.uuid, 16) == 0);

  // Memory that programs ask for. A buffer is asked for before anything is handed over.
  records.clear();
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMORY2) == CUPTI_SUCCESS);
  void* some = nullptr;
  CHECK(cudaMalloc(&some, 1000) == cudaSuccess && requested == completed + 1);
  CHECK(cudaFree(some) == cudaSuccess);
  CHECK(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMORY2) == CUPTI_SUCCESS);
  CHECK(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  const auto memory = all<CUpti_ActivityMemory4>({CUPTI_ACTIVITY_KIND_MEMORY2});
  CHECK(memory.size() == 2 && memory[0]->memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
  CHECK(memory[0]->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
  CHECK(memory[1]->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE);
  for (const auto* one : memory)
    CHECK(one->address == reinterpret_cast<uint64_t>(some) && one->bytes == 1000 && one->correlationId != 0);
  CHECK(memory[0]->timestamp <= memory[1]->timestamp && !memory[0]->isAsync);

  refuse = true;
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL);
  for (int i = 0; i < 3; ++i) scale<<<1, 32>>>(device, 1.0f);
  cudaDeviceSynchronize();
  CHECK(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  size_t dropped = 0;
  CHECK(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS && dropped == 3);
  CHECK(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS && dropped == 0);
  refuse = false;

  // More than a buffer holds, and more than waits for a flush.
  records.clear();
  const int before_many = completed;
  for (int i = 0; i < 3000; ++i) scale<<<1, 32>>>(device, 1.0f);
  cudaDeviceSynchronize();
  CHECK(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  CHECK(all<CUpti_ActivityKernel9>({CUPTI_ACTIVITY_KIND_KERNEL}).size() == 3000);
  CHECK(completed - before_many >= 3000 / 16);

  // The program's own clock.
  CHECK(cuptiActivityRegisterTimestampCallback([]() -> uint64_t {
          timespec now;
          clock_gettime(CLOCK_MONOTONIC, &now);
          return (static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec)) / 3;
        }) == CUPTI_SUCCESS);
  records.clear();
  cuptiGetTimestamp(&before);
  scale<<<1, 32>>>(device, 1.0f);
  cudaDeviceSynchronize();
  cuptiGetTimestamp(&after);
  CHECK(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  const auto timed = all<CUpti_ActivityKernel9>({CUPTI_ACTIVITY_KIND_KERNEL});
  CHECK(timed.size() == 1);
  if (!device_clock) CHECK(timed[0]->start + 2000 >= before && timed[0]->end <= after + 2000);
  CHECK(cuptiFinalize() == CUPTI_SUCCESS);
  std::puts("passed");
  return 0;
}
