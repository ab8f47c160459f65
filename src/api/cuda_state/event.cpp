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

// A record is reached whatever comes of the work before it: who waits for it must not wait for ever.
class ReachForProcesses final : public runtime::Operation {
 public:
  ReachForProcesses(std::shared_ptr<SharedEvent> event, uint64_t record)
      : event_(std::move(event)), record_(record) {}
  runtime::Done run(runtime::Context&, runtime::Task&) const override {
    event_->reach(record_);
    return Unit{};
  }
  bool after_failure() const override { return true; }

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
    Status told = status_of(stream.runtime().submit(std::make_shared<ReachForProcesses>(shared_, number)));
    if (!told) {
      shared_->reach(number);
      return told;
    }
  }
  return status_of(runtime_.record(stream.runtime()));
}

Status Event::record_all() {
  if (Status free = no_capture_in(*context_); !free) return free;
  set_capture_point({});
  runtime::OperationRef reached;
  uint64_t number = 0;
  if (shared_ != nullptr) {
    number = shared_->record();
    reached = std::make_shared<ReachForProcesses>(shared_, number);
  }
  auto task = context_->runtime()->submit_behind_all(std::move(reached));
  if (!task) {
    if (shared_ != nullptr) shared_->reach(number);
    return status_of(task);
  }
  runtime_.reached_with(std::move(*task));
  return Unit{};
}

// Whoever asks about an event or waits for it while work is only noted would ask in vain: the capture is lost
// (as an H200's is), also that of other streams unless their mode is relaxed.
Status Event::may_be_asked() const {
  if (const auto point = capture_point()) {
    if (const auto capture = point->capture.lock()) capture->invalidate();
    return failure(Code::captured_event, "the event was recorded in a capture");
  }
  return no_capture_forbids();
}

Status Event::query() {
  if (Status allowed = may_be_asked(); !allowed) return allowed;
  if (Status here = status_of(runtime_.query()); !here) return here;
  if (shared_ != nullptr && !shared_->reached(shared_->last()))
    return failure(Code::not_ready, "another process has not reached the event");
  return Unit{};
}

Status Event::synchronize() {
  if (Status allowed = may_be_asked(); !allowed) return allowed;
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

Status all_wait_for(Context& context, Event& event) {
  if (Status free = no_capture_in(context); !free) return free;
  if (const auto point = event.capture_point()) {
    if (const auto capture = point->capture.lock()) capture->invalidate();
    return failure(Code::capture_unsupported, "a context cannot wait for an event that is being captured");
  }
  runtime::TaskRef reached = event.runtime().last();
  if (const auto& shared = event.shared()) {
    const uint64_t last = shared->last();
    if (shared->reached(last)) return context.check();
    // Behind all, because a task of no stream is asked for; nothing that comes before it can wait for it.
    auto task = context.runtime()->submit_behind_all(std::make_shared<WaitForProcess>(shared, last));
    if (!task) return status_of(task);
    reached = std::move(*task);
  }
  if (reached == nullptr) return context.check();
  return status_of(context.runtime()->hold_until(std::move(reached)));
}

}  // namespace heddle::cuda
