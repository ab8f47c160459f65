#include "api/cuda_state/event.h"

#include "api/cuda_state/capture.h"

namespace heddle::cuda {

namespace {

class WaitForProcess final : public runtime::Operation {
 public:
  WaitForProcess(std::shared_ptr<SharedEvent> event, uint64_t record)
      : event_(std::move(event)), record_(record) {}
  runtime::Done run(runtime::Context& context, runtime::Task&) const override {
    runtime::Done waited = event_->wait(record_, context);
    if (!waited) context.fail(waited.error());
    return waited;
  }

 private:
  const std::shared_ptr<SharedEvent> event_;
  const uint64_t record_;
};

}  // namespace

Event::Event(ContextRef context, unsigned flags, bool timing, std::shared_ptr<SharedEvent> shared)
    : context_(std::move(context)),
      flags_(flags),
      shared_(std::move(shared)),
      runtime_(context_->runtime(), timing) {}

Answer<EventRef> Event::create(const ContextRef& context, unsigned flags, bool timing,
                               std::shared_ptr<SharedEvent> shared) {
  if (Status state = context->check(); !state) return state.error();
  if ((flags & interprocess_flag) != 0 && shared == nullptr) {
    auto made = SharedEvent::create();
    if (!made) return made.error();
    shared = std::move(*made);
  }
  auto event = std::make_shared<Event>(context, flags, timing, std::move(shared));
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
  if (shared_ != nullptr) {
    const uint64_t number = shared_->record();
    // Whatever comes of the work: who waits for it must not wait for ever.
    Status told = status_of(stream.runtime().host_callback(
        [shared = shared_, number](const runtime::Done&) { shared->reach(number); }));
    if (!told) {
      shared_->reach(number);
      return told;
    }
  }
  return status_of(runtime_.record(stream.runtime()));
}

Status Event::query() {
  if (capture_point()) return failure(Code::captured_event, "the event was recorded in a capture");
  if (Status here = status_of(runtime_.query()); !here) return here;
  if (shared_ != nullptr && !shared_->reached(shared_->last()))
    return failure(Code::not_ready, "another process has not reached the event");
  return Unit{};
}

Status Event::synchronize() {
  if (capture_point()) return failure(Code::captured_event, "the event was recorded in a capture");
  if (Status here = status_of(runtime_.synchronize()); !here || shared_ == nullptr) return here;
  return status_of(shared_->wait(shared_->last(), *context_->runtime()));
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
  if (const auto& shared = event.shared()) {
    const uint64_t last = shared->last();
    if (shared->reached(last)) return event.context()->check();
    return status_of(stream.runtime().submit(std::make_shared<WaitForProcess>(shared, last)));
  }
  return status_of(stream.runtime().wait(event.runtime()));
}

}  // namespace heddle::cuda
