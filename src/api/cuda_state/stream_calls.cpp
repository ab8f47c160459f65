#include "api/cuda_state/stream_calls.h"

#include <utility>

namespace heddle::cuda {
namespace {

Answer<CaptureMode> mode_of(int mode) {
  if (mode < static_cast<int>(CaptureMode::global) || mode > static_cast<int>(CaptureMode::relaxed))
    return invalid_value("no capture mode has the number " + std::to_string(mode));
  return static_cast<CaptureMode>(mode);
}

}  // namespace

Status begin_capture(const Answer<StreamRef>& stream, int mode) {
  auto known = mode_of(mode);
  if (!known) return known.error();
  if (!stream) return stream.error();
  return Capture::begin(*stream, *known);
}

Status begin_capture(const Answer<StreamRef>& stream, GraphHandle handle, const NodeHandle* dependencies,
                     const void* data, std::size_t count, int mode) {
  auto known = mode_of(mode);
  if (!known) return known.error();
  if (!stream) return stream.error();
  auto graph = find_graph(Process::get(), handle);
  if (!graph) return graph.error();
  auto nodes = find_nodes(dependencies, count);
  if (!nodes) return nodes.error();
  if (Status good = check_edge_data(data, count); !good) return good;
  for (const NodeRef& node : *nodes)
    if (node->graph() != *graph) return invalid_value("a dependency is no node of the graph");
  return Capture::begin(*stream, *known, *graph, *nodes);
}

Status end_capture(const Answer<StreamRef>& stream, GraphHandle* out) {
  if (out != nullptr) *out = nullptr;
  if (!stream) return stream.error();
  const auto capture = (*stream)->capture();
  if (out == nullptr && (capture == nullptr || capture->has_new_graph()))
    return invalid_value("no place for the graph");
  auto graph = Capture::end(**stream);
  if (!graph) return graph.error();
  if (out != nullptr) *out = as_handle<GraphHandle>((*graph)->handle());
  return Unit{};
}

Status exchange_capture_mode(int& mode) {
  auto known = mode_of(mode);
  if (!known) return known.error();
  mode = static_cast<int>(std::exchange(thread().capture_mode, *known));
  return Unit{};
}

Status update_capture(const Answer<StreamRef>& stream, const NodeHandle* dependencies, const void* data,
                      std::size_t count, unsigned flags) {
  constexpr unsigned add = 0, set = 1;
  if (flags > set) return invalid_value("flags " + std::to_string(flags));
  if (!stream) return stream.error();
  const auto capture = (*stream)->capture();
  if (capture == nullptr) return failure(Code::illegal_state, "the stream is not being captured");
  auto nodes = find_nodes(dependencies, count);
  if (!nodes) return nodes.error();
  if (Status good = check_edge_data(data, count); !good) return good;
  for (const NodeRef& node : *nodes)
    if (node->graph() != capture->graph()) return invalid_value("a dependency is no node of the graph");
  return capture->set_dependencies(**stream, *nodes, flags == add);
}

Answer<CaptureStatus> capture_status(const Answer<StreamRef>& stream) {
  if (!stream) return stream.error();
  if ((*stream)->legacy())
    if (Status free = no_blocking_capture((*stream)->context()); !free) return free.error();
  const auto capture = (*stream)->capture();
  if (capture == nullptr) return CaptureStatus::none;
  return capture->valid() ? CaptureStatus::active : CaptureStatus::invalidated;
}

Answer<CaptureInfo> capture_info(const Answer<StreamRef>& stream) {
  auto status = capture_status(stream);
  if (!status) return status.error();
  CaptureInfo info;
  info.status = *status;
  if (info.status != CaptureStatus::active) return info;
  const auto capture = (*stream)->capture();
  info.id = capture->id();
  info.graph = as_handle<GraphHandle>(capture->graph()->handle());
  thread_local std::vector<NodeHandle> answer;
  answer.clear();
  for (const NodeRef& node : capture->dependencies(**stream))
    answer.push_back(as_handle<NodeHandle>(node->handle()));
  info.dependencies = answer;
  return info;
}

Status copy_stream_attributes(const Answer<StreamRef>& to, const Answer<StreamRef>& from) {
  if (!to) return to.error();
  if (!from) return from.error();
  (*to)->set_attributes((*from)->attributes());
  return Unit{};
}

Status get_stream_attribute(const Answer<StreamRef>& stream, int attribute, void* value) {
  if (!stream) return stream.error();
  if (!of_streams(attribute)) return invalid_value("streams have no attribute " + std::to_string(attribute));
  const LaunchAttributes attributes = (*stream)->attributes();
  attributes.get(attribute, value);
  if (attributes.has(attribute)) return Unit{};
  if (static_cast<LaunchAttribute>(attribute) == LaunchAttribute::priority) {
    const int priority = (*stream)->priority();
    std::memcpy(value, &priority, sizeof priority);
  }
  if (static_cast<LaunchAttribute>(attribute) == LaunchAttribute::synchronization_policy) {
    constexpr int automatic = 1;
    std::memcpy(value, &automatic, sizeof automatic);
  }
  return Unit{};
}

Status set_stream_attribute(const Answer<StreamRef>& stream, int attribute, const void* value) {
  if (value == nullptr) return invalid_value("the value is NULL");
  if (!stream) return stream.error();
  if (!of_streams(attribute)) return invalid_value("streams have no attribute " + std::to_string(attribute));
  LaunchAttributes attributes = (*stream)->attributes();
  attributes.set(attribute, value);
  (*stream)->set_attributes(attributes);
  return Unit{};
}

Status submit_batch(const Answer<StreamRef>& stream, const BatchWork& work, unsigned flags) {
  if (flags != 0) return invalid_value("flags " + std::to_string(flags) + ", must be 0");
  if (!stream) return stream.error();
  // What is wrong with it is said now, in a capture too.
  if (auto made = make_batch((*stream)->context(), work); !made) return made.error();
  return submit(**stream, work);
}

}  // namespace heddle::cuda
