#include "api/opencl/event.h"

#include "api/opencl/context.h"
#include "api/opencl/functions.gen.h"
#include "api/opencl/queue.h"

namespace heddle::opencl {

namespace {

runtime::Scheduler& scheduler_of(const runtime::Task& task) { return task.context()->system().scheduler(); }

// Where what happened to a user event is kept: the code that the program gave, through the runtime's error.
constexpr std::string_view user_error = "the program ended its event with ";

}  // namespace

cl_int status_of(const runtime::Error& error) {
  const Failure failure = failure_of(error);
  return failure.code < 0 ? failure.code : CL_OUT_OF_RESOURCES;
}

Event::Event(ContextRef context, QueueRef queue, cl_command_type type, runtime::TaskRef task)
    : context_(std::move(context)), queue_(std::move(queue)), type_(type), task_(std::move(task)) {}

// Nobody can end it any more, and nothing that waits for it should wait for ever.
Event::~Event() {
  if (is_user() && !task_->done()) (void)set_status(CL_INVALID_EVENT);
}

cl_int Event::status() const {
  if (is_user()) return user_status_.load(std::memory_order_acquire);
  scheduler_of(*task_).host_asks();
  if (task_->done()) {
    task_->context()->system().host_waited(*task_);
    return task_->error() ? status_of(*task_->error()) : CL_COMPLETE;
  }
  return scheduler_of(*task_).running(*task_) ? CL_RUNNING : CL_SUBMITTED;
}

runtime::TaskTimes Event::times() const { return task_->context()->system().times_of(*task_); }

bool Event::set_status(cl_int status) {
  cl_int before = CL_SUBMITTED;
  if (!user_status_.compare_exchange_strong(before, status, std::memory_order_acq_rel)) return false;
  std::optional<runtime::Error> error;
  if (status < 0)
    error = runtime::error(runtime::ErrorCode::callback, std::string(user_error) + std::to_string(status));
  (void)scheduler_of(*task_).complete(task_, std::move(error));
  return true;
}

void Event::on_status(cl_int at, void(CL_CALLBACK* callback)(cl_event, cl_int, void*), void* user_data) {
  // The event must last until the callback has been called.
  auto self = std::static_pointer_cast<Event>(shared_from_this());
  const auto call = [self, at, callback, user_data](const runtime::Task&) {
    const cl_int status = self->status();
    callback(handle_as<cl_event>(*self), status < 0 ? status : at, user_data);
  };
  if (at == CL_SUBMITTED && !is_user())
    call(*task_);  // everything that is enqueued is submitted
  else
    scheduler_of(*task_).on_done(task_, call);
}

Status WaitList::read(cl_uint count, const cl_event* events) {
  if ((count == 0) != (events == nullptr))
    return failure(CL_INVALID_EVENT_WAIT_LIST, "num_events_in_wait_list is " + std::to_string(count) +
                                                   ", event_wait_list is " +
                                                   (events == nullptr ? "NULL" : "not NULL"));
  for (cl_uint i = 0; i < count; ++i) {
    EventRef event = find(events[i]);
    if (event == nullptr)
      return failure(CL_INVALID_EVENT_WAIT_LIST, no_such("an event of the wait list", events[i]).message);
    tasks_.push_back(event->task());
    events_.push_back(std::move(event));
  }
  return Unit{};
}

Status WaitList::check(const ContextRef& context) const {
  for (const EventRef& event : events_)
    if (event->context() != context)
      return failure(CL_INVALID_CONTEXT, "an event of the wait list belongs to another context");
  return Unit{};
}

Answer<cl_event> clCreateUserEvent(const ContextRef& context) {
  runtime::Context& state = context->home();
  if (const auto good = state.begin(runtime::Site::operation); !good) return context->failed(good.error());
  auto task =
      std::make_shared<runtime::Task>(std::make_shared<runtime::Lane>(state.shared_from_this()), nullptr);
  state.system().scheduler().hold(task);
  return published<cl_event>(std::make_shared<Event>(context, nullptr, CL_COMMAND_USER, std::move(task)));
}

Status clSetUserEventStatus(const EventRef& event, cl_int execution_status) {
  if (!event->is_user()) return failure(CL_INVALID_EVENT, "it is a command's event");
  if (execution_status > CL_COMPLETE)
    return invalid_value("the status is " + std::to_string(execution_status) +
                         ", not CL_COMPLETE or an error");
  if (!event->set_status(execution_status)) return failure(CL_INVALID_OPERATION, "the status was set before");
  return Unit{};
}

Status clSetEventCallback(const EventRef& event, cl_int command_exec_callback_type,
                          void(CL_CALLBACK* pfn_notify)(cl_event, cl_int, void*), void* user_data) {
  if (pfn_notify == nullptr) return invalid_value("pfn_notify is NULL");
  if (command_exec_callback_type != CL_COMPLETE && command_exec_callback_type != CL_RUNNING &&
      command_exec_callback_type != CL_SUBMITTED)
    return invalid_value("callbacks are for CL_SUBMITTED, CL_RUNNING and CL_COMPLETE");
  event->on_status(command_exec_callback_type, pfn_notify, user_data);
  return Unit{};
}

Status clWaitForEvents(cl_uint num_events, const cl_event* event_list) {
  if (num_events == 0 || event_list == nullptr) return invalid_value("there are no events to wait for");
  std::vector<EventRef> events;
  for (cl_uint i = 0; i < num_events; ++i) {
    EventRef event = find(event_list[i]);
    if (event == nullptr) return no_such("an event", event_list[i]);
    if (!events.empty() && events.front()->context() != event->context())
      return failure(CL_INVALID_CONTEXT, "the events belong to different contexts");
    events.push_back(std::move(event));
  }
  Status result = Unit{};
  for (const EventRef& event : events) {
    const Status status = wait_for(*event->context(), event->task());
    if (!status.ok() && result.ok())
      result = failure(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status.error().message);
  }
  return result;
}

Status clEnqueueMarkerWithWaitList(const QueueRef& command_queue, const WaitList& waits, cl_event* event) {
  return command_queue->enqueue_marker(waits, event);
}
Status clEnqueueBarrierWithWaitList(const QueueRef& command_queue, const WaitList& waits, cl_event* event) {
  return command_queue->enqueue_barrier(CL_COMMAND_BARRIER, waits, event);
}
Status clEnqueueMarker(const QueueRef& command_queue, cl_event* event) {
  if (event == nullptr) return invalid_value("event is NULL");
  return command_queue->enqueue_marker({}, event);
}
Status clEnqueueBarrier(const QueueRef& command_queue) {
  return command_queue->enqueue_barrier(CL_COMMAND_BARRIER, {}, nullptr);
}
Status clEnqueueWaitForEvents(const QueueRef& command_queue, cl_uint num_events, const cl_event* event_list) {
  if (num_events == 0 || event_list == nullptr) return invalid_value("there are no events to wait for");
  WaitList waits;
  if (Status good = waits.read(num_events, event_list); !good)
    return failure(CL_INVALID_EVENT, good.error().message);
  return command_queue->enqueue_barrier(CL_COMMAND_BARRIER, waits, nullptr);
}

}  // namespace heddle::opencl
