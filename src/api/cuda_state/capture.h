// Streams that record what they are given into a graph instead of running it (CUDA C++ Programming Guide,
// "Creating a graph using stream capture").
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "api/cuda_state/event.h"
#include "api/cuda_state/graph.h"
#include "api/cuda_state/thread.h"
#include "api/cuda_state/work.h"

namespace heddle::cuda {

class Capture : public std::enable_shared_from_this<Capture> {
 public:
  // Into a new graph, or behind nodes of one that there is.
  static Status begin(const StreamRef& origin, CaptureMode mode, std::shared_ptr<Graph> graph = nullptr,
                      std::span<const NodeRef> dependencies = {});
  // The graph, when the stream is the one where the capture began and the others have come back to it.
  static Answer<std::shared_ptr<Graph>> end(Stream& stream);

  Capture(const StreamRef& origin, CaptureMode mode, std::shared_ptr<Graph> graph, bool new_graph);

  uint64_t id() const { return id_; }
  bool valid() const;
  const std::shared_ptr<Graph>& graph() const { return graph_; }
  bool has_new_graph() const { return new_graph_; }  // whom nobody else knows yet
  // After it every call on its streams fails until the capture is ended.
  void invalidate();
  // One of its streams is destroyed: what it did stays part of the graph. Without the first one it cannot
  // end, and is over.
  void abandon(const Stream& stream);
  // Its streams are of a context that goes.
  void abandon(const Context& context);
  bool has_stream_of(const Context& context) const;

  Status add(Stream& stream, Work work);
  Status record(Stream& stream, Event& event);
  Status join(Stream& stream, const Event::CapturePoint& point);

  // What the next node of the stream would come after.
  std::vector<NodeRef> dependencies(const Stream& stream) const;
  Status set_dependencies(const Stream& stream, std::span<const NodeRef> nodes, bool add);

 private:
  struct Branch {
    StreamRef stream;
    std::vector<NodeRef> last;
  };
  void leave();
  Status check_locked() const;

  const uint64_t id_;
  const CaptureMode mode_;
  const std::shared_ptr<Graph> graph_;
  const bool new_graph_;
  const std::shared_ptr<std::atomic<int>> thread_captures_;  // of the thread that began it
  Stream* const origin_;
  bool blocking_ = false;  // a blocking stream is part of it
  mutable std::mutex mutex_;
  bool valid_ = true;
  std::map<const Stream*, Branch> branches_;
};

Status join_capture(Stream& stream, const Event::CapturePoint& point);

// Those that were begun in the context are over.
void abandon_captures(const Context& context);

// ---- what is not allowed meanwhile; each refusal ends the capture's validity
// A call on a stream that is captured which cannot be recorded.
Status refuse_while_capturing(Stream& stream);
// The legacy stream waits for all blocking streams, which it cannot while one is captured.
Status no_blocking_capture(Context& context);
// All of a context's streams are meant.
Status no_capture_in(const Context& context);
// A call that might wait for the device: it depends on the modes of the captures and of the thread.
Status no_capture_forbids();

}  // namespace heddle::cuda
