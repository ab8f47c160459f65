#include "api/opencl/queue.h"

#include "api/opencl/functions.gen.h"

namespace heddle::opencl {

namespace {

constexpr cl_command_queue_properties host_properties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

Answer<cl_command_queue> create(const ContextRef& context, const DeviceRef& device,
                                cl_command_queue_properties properties,
                                std::vector<cl_queue_properties> given) {
  if (!context->has(*device)) return failure(CL_INVALID_DEVICE, "the device is none of the context's");
  if ((properties & ~(host_properties | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)) != 0)
    return invalid_value("there is no command queue property " + std::to_string(properties));
  if ((properties & ~host_properties) != 0)
    return failure(CL_INVALID_QUEUE_PROPERTIES, "the device has no queues of its own");
  runtime::StreamOptions options;
  options.blocking = false;
  options.in_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  auto stream = context->on(*device).create_stream(options);
  if (!stream) return context->failed(stream.error());
  return published<cl_command_queue>(
      std::make_shared<Queue>(context, device, properties, std::move(given), std::move(*stream)));
}

}  // namespace

Queue::~Queue() { stream_->destroy(); }

Status wait_for(Context& context, const runtime::TaskRef& task) {
  runtime::Context& state = *task->context();
  state.system().scheduler().wait(task);
  state.system().host_waited(*task);
  state.flush_output();
  if (task->error()) return context.failed(*task->error());
  return Unit{};
}

Status Queue::submitted(cl_command_type type, const runtime::Outcome<runtime::TaskRef>& task, cl_event* event,
                        bool blocking) {
  if (!task) return context_->failed(task.error());
  if (event != nullptr) {
    auto made = published<cl_event>(
        std::make_shared<Event>(context_, std::static_pointer_cast<Queue>(shared_from_this()), type, *task));
    if (!made) return made.error();
    *event = *made;
  }
  return blocking ? wait_for(*context_, *task) : Status(Unit{});
}

Status Queue::enqueue(cl_command_type type, runtime::OperationRef operation, const WaitList& waits,
                      cl_event* event, bool blocking) {
  if (!waits.empty())
    if (Status good = waits.check(context_); !good) return good;
  runtime::SubmitOptions options;
  options.after = waits.tasks();
  options.inherits_errors = !waits.empty();
  return submitted(type, stream_->submit(std::move(operation), std::move(options)), event, blocking);
}

Status Queue::enqueue_all(cl_command_type type, std::vector<runtime::OperationRef> operations,
                          const WaitList& waits, cl_event* event) {
  if (operations.size() == 1) return enqueue(type, std::move(operations.front()), waits, event);
  if (Status good = waits.check(context_); !good) return good;
  std::vector<runtime::TaskRef> pieces;
  for (runtime::OperationRef& operation : operations) {
    runtime::SubmitOptions options;
    options.after = waits.tasks();
    options.inherits_errors = !waits.empty();
    auto piece = stream_->submit(std::move(operation), std::move(options));
    if (!piece) return context_->failed(piece.error());
    pieces.push_back(std::move(*piece));
  }
  runtime::SubmitOptions options;
  options.after = pieces;
  options.inherits_errors = true;
  return submitted(type, stream_->mark(std::move(options)), event, false);
}

// "If event_wait_list is empty, waits for all commands before it" (OpenCL 3.0, clEnqueueMarkerWithWaitList).
Status Queue::enqueue_marker(const WaitList& waits, cl_event* event) {
  if (waits.empty() && (properties() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    return submitted(CL_COMMAND_MARKER, stream_->mark_behind_all(), event, false);
  return enqueue(CL_COMMAND_MARKER, nullptr, waits, event);
}

Status Queue::enqueue_barrier(cl_command_type type, const WaitList& waits, cl_event* event) {
  if (Status good = waits.check(context_); !good) return good;
  runtime::SubmitOptions options;
  options.after = waits.tasks();
  options.inherits_errors = !waits.empty();
  return submitted(type, stream_->barrier(std::move(options)), event, false);
}

Status Queue::finish() {
  if (const auto done = stream_->synchronize(); !done) return context_->failed(done.error());
  return Unit{};
}

Status Queue::set_properties(cl_command_queue_properties properties) {
  if (properties == this->properties()) return Unit{};
  if (Status done = finish(); !done) return done;
  stream_->set_in_order((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0);
  properties_.store(properties, std::memory_order_relaxed);
  return Unit{};
}

Answer<cl_command_queue> clCreateCommandQueue(const ContextRef& context, const DeviceRef& device,
                                              cl_command_queue_properties properties) {
  return create(context, device, properties, {});
}

Answer<cl_command_queue> clCreateCommandQueueWithProperties(const ContextRef& context,
                                                            const DeviceRef& device,
                                                            const cl_queue_properties* properties) {
  std::vector<cl_queue_properties> given;
  cl_command_queue_properties flags = 0;
  bool size = false;
  if (properties != nullptr) {
    const cl_queue_properties* p = properties;
    for (; *p != 0; p += 2) {
      if (p[0] == CL_QUEUE_PROPERTIES)
        flags = p[1];
      else if (p[0] == CL_QUEUE_SIZE)
        size = true;
      else
        return invalid_value("there is no command queue property " + std::to_string(p[0]));
      given.insert(given.end(), {p[0], p[1]});
    }
    given.push_back(0);
  }
  // "Only if CL_QUEUE_ON_DEVICE is set."
  if (size && (flags & CL_QUEUE_ON_DEVICE) == 0)
    return invalid_value("CL_QUEUE_SIZE is given for a queue of the host");
  return create(context, device, flags, std::move(given));
}

Answer<cl_command_queue> clCreateCommandQueueWithPropertiesKHR(const ContextRef& context,
                                                               const DeviceRef& device,
                                                               const cl_queue_properties_khr* properties) {
  return opencl::clCreateCommandQueueWithProperties(context, device, properties);
}

// OpenCL 1.0's, deprecated since 1.1: "will block until all previously queued commands have completed".
Status clSetCommandQueueProperty(const QueueRef& command_queue, cl_command_queue_properties properties,
                                 cl_bool enable, cl_command_queue_properties* old_properties) {
  if ((properties & ~host_properties) != 0) return invalid_value("there is no such command queue property");
  if (old_properties != nullptr) *old_properties = command_queue->properties();
  const cl_command_queue_properties now = command_queue->properties();
  return command_queue->set_properties(enable != CL_FALSE ? now | properties : now & ~properties);
}

Status clSetDefaultDeviceCommandQueue(const ContextRef& context, const DeviceRef& device, const QueueRef&) {
  if (!context->has(*device)) return failure(CL_INVALID_DEVICE, "the device is none of the context's");
  return failure(CL_INVALID_OPERATION, "the device has no queues of its own");
}

// What is enqueued runs as soon as it can.
Status clFlush(const QueueRef& command_queue) {
  if (const auto state = command_queue->state().check(); !state)
    return command_queue->context()->failed(state.error());
  return Unit{};
}

Status clFinish(const QueueRef& command_queue) { return command_queue->finish(); }

}  // namespace heddle::opencl
