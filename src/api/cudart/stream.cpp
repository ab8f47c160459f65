// Streams and their capture.
#include <algorithm>
#include <iterator>

#include "api/cuda_state/capture.h"
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {

Status cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  if (Status good = known_flags(flags, cudaStreamNonBlocking); !good) return good;
  auto context = working_context();
  if (!context) return context.error();
  auto made = cuda::Stream::create(*context, (flags & cudaStreamNonBlocking) == 0, priority);
  if (!made) return made.error();
  *pStream = as_handle<cudaStream_t>((*made)->handle());
  return Unit{};
}

Status cudaStreamDestroy(cudaStream_t stream) {
  auto found = find_stream(stream);
  return found ? (*found)->destroy() : Status(found.error());
}
Status cudaStreamSynchronize(cudaStream_t stream) {
  auto found = find_stream(stream);
  return found ? (*found)->synchronize() : Status(found.error());
}
Status cudaStreamQuery(cudaStream_t stream) {
  auto found = find_stream(stream);
  return found ? (*found)->query() : Status(found.error());
}

Status cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  if (Status good = known_flags(flags, cudaEventWaitExternal); !good) return good;
  auto on = find_stream(stream);
  if (!on) return on.error();
  auto found = find_event(event);
  if (!found) return found.error();
  if ((flags & cudaEventWaitExternal) != 0 && (*on)->capturing())
    return cuda::submit(**on, cuda::WaitWork{*found});
  return cuda::wait_for(**on, **found);
}

Status cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                             unsigned int flags) {
  if (callback == nullptr) return invalid_value("the callback is NULL");
  if (flags != 0) return invalid_value("flags " + std::to_string(flags) + ", must be 0");
  auto on = find_stream(stream);
  if (!on) return on.error();
  if ((*on)->capturing()) return cuda::refuse_while_capturing(**on);
  // It is called with the stream as the program named it, and in any case.
  return status_of((*on)->runtime().host_callback([=](const runtime::Done& state) {
    callback(stream, static_cast<cudaError_t>(cuda::code_of(status_of(state))), userData);
  }));
}

Status cudaStreamGetPriority(cudaStream_t hStream, int* priority) {
  auto found = find_stream(hStream);
  if (!found) return found.error();
  *priority = (*found)->priority();
  return Unit{};
}
Status cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags) {
  auto found = find_stream(hStream);
  if (!found) return found.error();
  *flags = (*found)->blocking() ? cudaStreamDefault : cudaStreamNonBlocking;
  return Unit{};
}
Status cudaStreamGetId(cudaStream_t hStream, unsigned long long* streamId) {
  auto found = find_stream(hStream);
  if (!found) return found.error();
  *streamId = (*found)->id();
  return Unit{};
}
Status cudaStreamGetDevice(cudaStream_t hStream, int* device) {
  auto found = find_stream(hStream);
  if (!found) return found.error();
  *device = (*found)->context().device().ordinal();
  return Unit{};
}

Status cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t, unsigned int flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
    return invalid_value("flags " + std::to_string(flags));
  auto found = find_stream(stream);
  if (!found) return found.error();
  const auto memory = Process::get().system().memory().find(number_of(devPtr));
  if (memory == nullptr || memory->kind != MemoryKind::managed)
    return invalid_value("no managed memory: " +
                         Process::get().system().memory().describe(number_of(devPtr)));
  return Unit{};  // managed memory is everybody's at any time
}

// Advice about caches and priorities, which changes nothing here.
Status cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  auto one = find_stream(dst);
  if (!one) return one.error();
  return status_of(find_stream(src));
}
namespace {
// Those that streams have (the macros cudaStreamAttribute...); other ones are launches' or graph nodes'.
Status is_of_streams(cudaLaunchAttributeID attribute) {
  constexpr cudaLaunchAttributeID known[] = {
      cudaStreamAttributeAccessPolicyWindow, cudaStreamAttributeSynchronizationPolicy,
      cudaStreamAttributeMemSyncDomainMap, cudaStreamAttributeMemSyncDomain, cudaStreamAttributePriority};
  if (std::find(std::begin(known), std::end(known), attribute) != std::end(known)) return Unit{};
  return invalid_value("streams have no attribute " + std::to_string(attribute));
}
}  // namespace

Status cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                              const cudaLaunchAttributeValue* value) {
  if (value == nullptr) return invalid_value("the value is NULL");
  if (Status good = is_of_streams(attr); !good) return good;
  return status_of(find_stream(hStream));
}
Status cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                              cudaLaunchAttributeValue* value_out) {
  if (Status good = is_of_streams(attr); !good) return good;
  auto found = find_stream(hStream);
  if (!found) return found.error();
  *value_out = {};
  if (attr == cudaLaunchAttributePriority) value_out->priority = (*found)->priority();
  if (attr == cudaLaunchAttributeSynchronizationPolicy) value_out->syncPolicy = cudaSyncPolicyAuto;
  return Unit{};
}

// ---- capture
namespace {

Answer<cuda::CaptureMode> mode_of(cudaStreamCaptureMode mode) {
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
    return invalid_value("capture mode " + std::to_string(mode));
  return static_cast<cuda::CaptureMode>(mode);
}

Answer<std::vector<cuda::NodeRef>> nodes_of(const cudaGraphNode_t* handles, size_t count) {
  if (count != 0 && handles == nullptr) return invalid_value("the dependencies are NULL");
  std::vector<cuda::NodeRef> nodes;
  for (size_t i = 0; i < count; ++i) {
    auto node = cuda::find_node(Process::get(), handles[i]);
    if (!node) return node.error();
    nodes.push_back(*node);
  }
  return nodes;
}

cudaStreamCaptureStatus status_of_capture(const std::shared_ptr<cuda::Capture>& capture) {
  if (capture == nullptr) return cudaStreamCaptureStatusNone;
  return capture->valid() ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
}

}  // namespace

Status cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  auto known = mode_of(mode);
  if (!known) return known.error();
  auto on = find_stream(stream);
  if (!on) return on.error();
  return cuda::Capture::begin(*on, *known);
}

Status cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                                     size_t numDependencies, cudaStreamCaptureMode mode) {
  auto known = mode_of(mode);
  if (!known) return known.error();
  auto on = find_stream(stream);
  if (!on) return on.error();
  auto into = cuda::find_graph(Process::get(), graph);
  if (!into) return into.error();
  auto nodes = nodes_of(dependencies, numDependencies);
  if (!nodes) return nodes.error();
  return cuda::Capture::begin(*on, *known, *into, *nodes);
}

Status cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph) {
  *pGraph = nullptr;
  auto on = find_stream(stream);
  if (!on) return on.error();
  auto graph = cuda::Capture::end(**on);
  if (!graph) return graph.error();
  *pGraph = as_handle<cudaGraph_t>((*graph)->handle());
  return Unit{};
}

Status cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus) {
  auto on = find_stream(stream);
  if (!on) return on.error();
  if ((*on)->legacy())
    if (Status free = cuda::no_blocking_capture((*on)->context()); !free) return free;
  *pCaptureStatus = status_of_capture((*on)->capture());
  return Unit{};
}

Status cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  auto known = mode_of(*mode);
  if (!known) return known.error();
  *mode = static_cast<cudaStreamCaptureMode>(std::exchange(cuda::thread().capture_mode, *known));
  return Unit{};
}

Status cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
                                   unsigned long long* id_out, cudaGraph_t* graph_out,
                                   const cudaGraphNode_t** dependencies_out, size_t* numDependencies_out) {
  auto on = find_stream(stream);
  if (!on) return on.error();
  const auto capture = (*on)->capture();
  *captureStatus_out = status_of_capture(capture);
  if (*captureStatus_out != cudaStreamCaptureStatusActive) return Unit{};
  if (id_out != nullptr) *id_out = capture->id();
  if (graph_out != nullptr) *graph_out = as_handle<cudaGraph_t>(capture->graph()->handle());
  // "Valid until the next call that changes the capture": each thread's latest answer is kept.
  thread_local std::vector<cudaGraphNode_t> answer;
  answer.clear();
  for (const cuda::NodeRef& node : capture->dependencies(**on))
    answer.push_back(as_handle<cudaGraphNode_t>(node->handle()));
  if (dependencies_out != nullptr) *dependencies_out = answer.data();
  if (numDependencies_out != nullptr) *numDependencies_out = answer.size();
  return Unit{};
}

Status cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
                                   unsigned long long* id_out, cudaGraph_t* graph_out,
                                   const cudaGraphNode_t** dependencies_out,
                                   const cudaGraphEdgeData** edgeData_out, size_t* numDependencies_out) {
  if (edgeData_out != nullptr) *edgeData_out = nullptr;  // edges say nothing besides
  return cudart::cudaStreamGetCaptureInfo_v2(stream, captureStatus_out, id_out, graph_out, dependencies_out,
                                             numDependencies_out);
}

Status cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                           size_t numDependencies, unsigned int flags) {
  if (flags > cudaStreamSetCaptureDependencies) return invalid_value("flags " + std::to_string(flags));
  auto on = find_stream(stream);
  if (!on) return on.error();
  const auto capture = (*on)->capture();
  if (capture == nullptr) return failure(Code::illegal_state, "the stream is not being captured");
  auto nodes = nodes_of(dependencies, numDependencies);
  if (!nodes) return nodes.error();
  return capture->set_dependencies(**on, *nodes, flags == cudaStreamAddCaptureDependencies);
}
Status cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                              const cudaGraphEdgeData*, size_t numDependencies,
                                              unsigned int flags) {
  return cudart::cudaStreamUpdateCaptureDependencies(stream, dependencies, numDependencies, flags);
}

}  // namespace heddle::cudart
