// Which records are made, and how the program gets them.
#include <unistd.h>

#include "api/cupti/functions.gen.h"
#include "api/cupti/layouts.h"
#include "api/cupti/objects.h"
#include "api/cupti/session.h"
#include "api/cupti/watch.h"
#include "runtime/scheduler.h"

namespace heddle::cupti {

// ---- kinds

Status cuptiActivityEnable(CUpti_ActivityKind kind) { return Session::get().enable(kind, true); }
Status cuptiActivityDisable(CUpti_ActivityKind kind) { return Session::get().enable(kind, false); }

// Records of what is there are made whenever a kind is enabled.
Status cuptiActivityEnableAndDump(CUpti_ActivityKind kind) { return Session::get().enable(kind, true); }

Status cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind) {
  if (context == nullptr) return failure(CUPTI_ERROR_INVALID_CONTEXT, "context is NULL");
  const auto found = find_context(context);
  if (!found) return found.error();
  return Session::get().enable_in((*found)->id(), kind, true);
}

Status cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind) {
  if (context == nullptr) return failure(CUPTI_ERROR_INVALID_CONTEXT, "context is NULL");
  const auto found = find_context(context);
  if (!found) return found.error();
  return Session::get().enable_in((*found)->id(), kind, false);
}

namespace {

Status want_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on) {
  if (id >= calls_of(domain).size()) return invalid_parameter("there is no function " + std::to_string(id));
  // Who wants one function alone need not have asked for all.
  Session::get().want_call({domain, id}, on);
  return Unit{};
}

}  // namespace

Status cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t enable) {
  return want_call(CUPTI_CB_DOMAIN_DRIVER_API, cbid, enable != 0);
}
Status cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t enable) {
  return want_call(CUPTI_CB_DOMAIN_RUNTIME_API, cbid, enable != 0);
}

// ---- what no record has: it cannot be asked for, and is off

namespace {

Status cannot_be_on(uint8_t enable, const char* what) {
  if (enable == 0) return Unit{};
  return failure(CUPTI_ERROR_NOT_SUPPORTED, std::string("no records have ") + what);
}

}  // namespace

Status cuptiActivityEnableLatencyTimestamps(uint8_t enable) {
  return cannot_be_on(enable, "the time when a kernel was queued");
}
Status cuptiActivityEnableLaunchAttributes(uint8_t enable) {
  return cannot_be_on(enable, "attributes of launches");
}
Status cuptiActivityEnableDeviceGraph(uint8_t enable) {
  return cannot_be_on(enable, "graphs that kernels launch");
}
Status cuptiActivityEnableHWTrace(uint8_t enable) { return cannot_be_on(enable, "the hardware's own times"); }
Status cuptiActivityEnableAllocationSource(uint8_t enable) {
  return cannot_be_on(enable, "who asked for memory");
}
Status cuptiActivityEnableAllSyncRecords(uint8_t enable) {
  return cannot_be_on(enable, "waiting that found nothing to wait for");
}
Status cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable) {
  return cannot_be_on(enable, "the time when an event came");
}

// ---- buffers

Status cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                      CUpti_BuffersCallbackCompleteFunc funcBufferCompleted) {
  if (funcBufferRequested == nullptr) return missing("funcBufferRequested");
  if (funcBufferCompleted == nullptr) return missing("funcBufferCompleted");
  Session::get().records().set_callbacks({funcBufferRequested, funcBufferCompleted});
  return Unit{};
}

Status cuptiActivityFlushAll(uint32_t) {
  Session& session = Session::get();
  if (!session.records().has_callbacks()) return Unit{};  // nobody to hand them to
  CUpti_ActivityOverhead3 record{};
  record.start = static_cast<uint64_t>(runtime::steady_nanoseconds());
  session.records().flush();
  if (!session.wants(CUPTI_ACTIVITY_KIND_OVERHEAD)) return Unit{};
  record.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  record.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.processId = static_cast<uint32_t>(getpid());
  record.objectId.pt.threadId = session.thread_id();
  record.end = static_cast<uint64_t>(runtime::steady_nanoseconds());
  session.records().add(record);
  return Unit{};
}

Status cuptiActivityFlush(CUcontext context, uint32_t, uint32_t flag) {
  if (context != nullptr)
    if (const auto found = find_context(context); !found) return found.error();
  return cupti::cuptiActivityFlushAll(flag);
}

Status cuptiActivityFlushPeriod(uint32_t time) {
  Session::get().records().set_period(time);
  return Unit{};
}

Status cuptiActivityGetNextRecord(uint8_t* buffer, size_t validBufferSizeBytes, CUpti_Activity** record) {
  // In numbers: what a caller says of the size may lead beyond all addresses.
  std::size_t at = 0;
  if (*record != nullptr) {
    const Layout* layout = layout_of((*record)->kind);
    if (layout == nullptr) return failure(CUPTI_ERROR_INVALID_KIND, "'record' is none of CUPTI's");
    at = reinterpret_cast<uintptr_t>(*record) - reinterpret_cast<uintptr_t>(buffer) + layout->bytes;
  }
  if (at >= validBufferSizeBytes)
    return failure(CUPTI_ERROR_MAX_LIMIT_REACHED, "there are no more records in the buffer");
  const std::size_t left = validBufferSizeBytes - at;
  auto* found = reinterpret_cast<CUpti_Activity*>(buffer + at);
  const Layout* layout = left < sizeof found->kind ? nullptr : layout_of(found->kind);
  if (layout == nullptr || layout->bytes > left)
    return failure(CUPTI_ERROR_INVALID_KIND, "there is no record of CUPTI's in the buffer");
  *record = found;
  return Unit{};
}

// Of all contexts: records wait in one place.
Status cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t, size_t* dropped) {
  if (context != nullptr)
    if (const auto found = find_context(context); !found) return found.error();
  *dropped = Session::get().records().take_dropped();
  return Unit{};
}

Status cuptiActivityGetEnabledKinds(CUpti_SubscriberHandle subscriber, CUpti_ActivityKind* buffer,
                                    uint32_t* bufferSize, uint32_t* enabledKindsCount) {
  if (const Status good = Session::get().check(reinterpret_cast<const Subscriber*>(subscriber)); !good)
    return good;
  uint32_t count = 0;
  for (int kind = 1; kind < CUPTI_ACTIVITY_KIND_COUNT; ++kind) {
    if (!Session::get().wants(static_cast<CUpti_ActivityKind>(kind))) continue;
    if (buffer != nullptr && count < *bufferSize) buffer[count] = static_cast<CUpti_ActivityKind>(kind);
    ++count;
  }
  *enabledKindsCount = count;
  return Unit{};
}

// ---- settings

Status cuptiActivitySetAttribute(CUpti_ActivityAttribute attr, size_t* valueSize, void* value) {
  return Session::get().set_attribute(attr, valueSize, value);
}
Status cuptiActivityGetAttribute(CUpti_ActivityAttribute attr, size_t* valueSize, void* value) {
  return Session::get().get_attribute(attr, valueSize, value);
}

Status cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  if (type != CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT && type != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM)
    return invalid_parameter("there is no type " + std::to_string(static_cast<int>(type)));
  Session::get().system_thread_ids = type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
  return Unit{};
}
Status cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  *type = Session::get().system_thread_ids ? CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
                                           : CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  return Unit{};
}

// ---- time

Status cuptiGetTimestamp(uint64_t* timestamp) {
  *timestamp = Session::get().clock().now();
  return Unit{};
}

Status cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc funcTimestamp) {
  if (funcTimestamp == nullptr) return missing("funcTimestamp");
  Session::get().clock().use(funcTimestamp);
  return Unit{};
}

// ---- correlation

namespace {

Status check_external(CUpti_ExternalCorrelationKind kind) {
  if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE)
    return invalid_parameter("there is no kind " + std::to_string(static_cast<int>(kind)));
  return Unit{};
}

}  // namespace

Status cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  if (const Status good = check_external(kind); !good) return good;
  push_external(kind, id);
  return Unit{};
}

// `lastId` may be NULL.
Status cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t* lastId) {
  if (const Status good = check_external(kind); !good) return good;
  uint64_t id = 0;
  const bool was = pop_external(kind, id);
  if (lastId != nullptr) *lastId = id;
  if (!was) return failure(CUPTI_ERROR_QUEUE_EMPTY, "the thread has pushed no id of this kind");
  return Unit{};
}

// ---- numbers of objects

Status cuptiGetContextId(CUcontext context, uint32_t* contextId) {
  const auto found = find_context(context);
  if (!found) return found.error();
  *contextId = static_cast<uint32_t>((*found)->id());
  return Unit{};
}

Status cuptiGetDeviceId(CUcontext context, uint32_t* deviceId) {
  const auto found = find_context(context);
  if (!found) return found.error();
  *deviceId = (*found)->runtime()->device().index;
  return Unit{};
}

Status cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t perThreadStream, uint32_t* streamId) {
  const auto found = find_context(context);
  if (!found) return found.error();
  const auto stream_found = find_stream(*found, stream, perThreadStream != 0);
  if (!stream_found) return stream_found.error();
  *streamId = static_cast<uint32_t>((*stream_found)->runtime().id());
  return Unit{};
}

Status cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t* streamId) {
  return cupti::cuptiGetStreamIdEx(context, stream, 0, streamId);
}

Status cuptiGetGraphId(CUgraph graph, uint32_t* pId) {
  if (const Status good = check_graph(graph); !good) return good;
  *pId = graph_number(reinterpret_cast<uint64_t>(graph));
  return Unit{};
}
Status cuptiGetGraphExecId(CUgraphExec graphExec, uint32_t* pId) {
  if (const Status good = check_graph_exec(graphExec); !good) return good;
  *pId = graph_number(reinterpret_cast<uint64_t>(graphExec));
  return Unit{};
}
Status cuptiGetGraphNodeId(CUgraphNode node, uint64_t* nodeId) {
  if (const Status good = check_graph_node(node); !good) return good;
  *nodeId = reinterpret_cast<uint64_t>(node);
  return Unit{};
}

Status cuptiGetCudaEventId(CUevent event, uint32_t* pEventId) {
  if (const Status good = check_event(event); !good) return good;
  *pEventId = event_number(reinterpret_cast<uint64_t>(event));
  return Unit{};
}

// ---- the whole

CUptiResult cuptiGetLastError() { return take_last_error(); }

Status cuptiFinalize() {
  Session::get().finalize();
  return Unit{};
}

}  // namespace heddle::cupti
