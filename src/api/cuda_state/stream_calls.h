// What both APIs do with streams and their captures.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "api/cuda_state/capture.h"
#include "api/cuda_state/graph_calls.h"
#include "api/cuda_state/handles.h"

namespace heddle::cuda {

// ---- captures. What edges say is checked and not kept: Heddle always waits for whole nodes.
Status begin_capture(const Answer<StreamRef>& stream, int mode);
Status begin_capture(const Answer<StreamRef>& stream, GraphHandle graph, const NodeHandle* dependencies,
                     const void* data, std::size_t count, int mode);
// `out` may be NULL where the program has the graph that was captured into.
Status end_capture(const Answer<StreamRef>& stream, GraphHandle* out);
Status exchange_capture_mode(int& mode);
template <class Mode>
Status exchange_capture_mode(Mode* mode) {
  int number = static_cast<int>(*mode);
  Status exchanged = exchange_capture_mode(number);
  *mode = static_cast<Mode>(number);
  return exchanged;
}
Status update_capture(const Answer<StreamRef>& stream, const NodeHandle* dependencies, const void* data,
                      std::size_t count, unsigned flags);

enum class CaptureStatus : int { none = 0, active = 1, invalidated = 2 };  // as both APIs number them
Answer<CaptureStatus> capture_status(const Answer<StreamRef>& stream);
template <class Out>
Status is_capturing(const Answer<StreamRef>& stream, Out* out) {
  auto status = capture_status(stream);
  if (!status) return status.error();
  *out = static_cast<Out>(*status);
  return Unit{};
}
struct CaptureInfo {
  CaptureStatus status = CaptureStatus::none;
  uint64_t id = 0;
  GraphHandle graph = nullptr;
  std::span<const NodeHandle> dependencies;  // good until the thread asks again
};
Answer<CaptureInfo> capture_info(const Answer<StreamRef>& stream);
template <class Out, class Id, class Data>
Status capture_info(const Answer<StreamRef>& stream, Out* status, Id* id, GraphHandle* graph,
                    const NodeHandle** dependencies, const Data** data, std::size_t* count) {
  auto info = capture_info(stream);
  if (!info) return info.error();
  *status = static_cast<Out>(info->status);
  if (info->status != CaptureStatus::active) return Unit{};
  if (id != nullptr) *id = info->id;
  if (graph != nullptr) *graph = info->graph;
  if (dependencies != nullptr) *dependencies = info->dependencies.data();
  if (data != nullptr) *data = nullptr;  // edges say nothing besides
  if (count != nullptr) *count = info->dependencies.size();
  return Unit{};
}

// ---- attributes: advice about caches and priorities, kept and told again
Status copy_stream_attributes(const Answer<StreamRef>& to, const Answer<StreamRef>& from);
Status get_stream_attribute(const Answer<StreamRef>& stream, int attribute, void* value);
Status set_stream_attribute(const Answer<StreamRef>& stream, int attribute, const void* value);

// ---- words of memory that the stream waits for or writes
Status submit_batch(const Answer<StreamRef>& stream, const BatchWork& work, unsigned flags);
inline Status submit_operation(const Answer<StreamRef>& stream, MemoryOperation::Kind kind, uint64_t address,
                               uint64_t value, unsigned flags) {
  return submit_batch(stream, BatchWork{{{kind, address, value, flags}}}, 0);
}

}  // namespace heddle::cuda
