// An event as programs see it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "api/cuda_state/shared_event.h"
#include "api/cuda_state/stream.h"
#include "runtime/event.h"

namespace heddle::cuda {

class Event : public std::enable_shared_from_this<Event> {
 public:
  // As both APIs number them.
  static constexpr unsigned no_timing_flag = 2, interprocess_flag = 4;
  // One for several processes has something that they share: `shared`, or a new one.
  static Answer<EventRef> create(const ContextRef& context, unsigned flags, bool timing,
                                 std::shared_ptr<SharedEvent> shared = nullptr);
  Event(ContextRef context, unsigned flags, bool timing, std::shared_ptr<SharedEvent> shared);

  const ContextRef& context() const { return context_; }
  runtime::Event& runtime() { return runtime_; }
  uint64_t handle() const { return handle_; }
  unsigned flags() const { return flags_; }
  const std::shared_ptr<SharedEvent>& shared() const { return shared_; }
  Status destroy();

  Status record(Stream& stream);
  Status record_all();  // the work of every stream of its context
  Status query();
  Status synchronize();
  static Answer<int64_t> elapsed(Event& start, Event& end);  // nanoseconds

  // ---- recorded in a stream that is captured: the nodes before it, and of which capture
  struct CapturePoint {
    std::weak_ptr<Capture> capture;
    std::vector<std::shared_ptr<GraphNode>> nodes;
  };
  std::optional<CapturePoint> capture_point() const;
  void set_capture_point(std::optional<CapturePoint> point);

 private:
  Status may_be_asked() const;
  const ContextRef context_;
  const unsigned flags_;
  const std::shared_ptr<SharedEvent> shared_;
  uint64_t handle_ = 0;
  runtime::Event runtime_;
  mutable std::mutex mutex_;
  std::optional<CapturePoint> point_;
};

Answer<EventRef> find_event(Process& process, const void* handle);
// What comes after it in the stream waits for the event's last record.
Status wait_for(Stream& stream, Event& event);
// So does what comes next in every stream of the context, and in those that it has later.
Status all_wait_for(Context& context, Event& event);

}  // namespace heddle::cuda
