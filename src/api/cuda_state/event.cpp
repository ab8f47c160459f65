#include "api/cuda_state/event.h"

#include "api/cuda_state/capture.h"

namespace heddle::cuda {

Event::Event(ContextRef context, unsigned flags, bool timing)
    : context_(std::move(context)), flags_(flags), runtime_(context_->runtime(), timing) {}

Answer<EventRef> Event::create(const ContextRef& context, unsigned flags, bool timing) {
  if (Status state = context->check(); !state) return state.error();
  auto event = std::make_shared<Event>(context, flags, timing);
  event->handle_ = context->process().handles().events.add(event);
  if (event->handle_ == 0) return failure(Code::out_of_memory, "too many events");
  return event;
}

Status Event::destroy() {
  if (context_->process().handles().events.remove(handle_) == nullptr)
    return failure(Code::invalid_handle, "the event was destroyed before");
  return Unit{};
}

Status Event::record(Stream& stream) {
  if (&stream.context() != context_.get())
    return failure(Code::invalid_handle, "the event belongs to another context than the stream");
  if (const auto capture = stream.capture()) return capture->record(stream, *this);
  if (stream.legacy())
    if (Status free = no_blocking_capture(stream.context()); !free) return free;
  set_capture_point({});
  return status_of(runtime_.record(stream.runtime()));
}

Status Event::query() {
  if (capture_point()) return failure(Code::captured_event, "the event was recorded in a capture");
  return status_of(runtime_.query());
}

Status Event::synchronize() {
  if (capture_point()) return failure(Code::captured_event, "the event was recorded in a capture");
  return status_of(runtime_.synchronize());
}

Answer<int64_t> Event::elapsed(Event& start, Event& end) {
  if (start.context_ != end.context_)
    return failure(Code::invalid_handle, "the events belong to two contexts");
  if (start.capture_point() || end.capture_point())
    return failure(Code::captured_event, "an event was recorded in a capture");
  if (Status state = start.context_->check(); !state) return state.error();
  const auto nanoseconds = runtime::Event::elapsed(start.runtime_, end.runtime_);
  if (!nanoseconds) return failure_of(nanoseconds.error());
  return *nanoseconds;
}

std::optional<Event::CapturePoint> Event::capture_point() const {
  const std::lock_guard lock(mutex_);
  return point_;
}

void Event::set_capture_point(std::optional<CapturePoint> point) {
  const std::lock_guard lock(mutex_);
  point_ = std::move(point);
}

Answer<EventRef> find_event(Process& process, const void* handle) {
  EventRef event = process.handles().events.find(handle);
  if (event == nullptr) return failure(Code::invalid_handle, "no such event");
  if (event->context()->destroyed())
    return failure(Code::context_is_destroyed, "the context of the event was destroyed");
  return event;
}

Status wait_for(Stream& stream, Event& event) {
  if (const auto point = event.capture_point()) return join_capture(stream, *point);
  if (const auto capture = stream.capture()) {
    // CUDA Runtime API, stream capture: waiting for an event that was recorded outside breaks the isolation.
    capture->invalidate();
    return failure(Code::capture_isolation, "a captured stream cannot wait for an event from outside");
  }
  return status_of(stream.runtime().wait(event.runtime()));
}

}  // namespace heddle::cuda
