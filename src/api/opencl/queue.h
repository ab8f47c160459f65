// A command queue: a stream of a device, and how commands get into it.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "api/opencl/context.h"
#include "api/opencl/event.h"
#include "runtime/stream.h"

namespace heddle::opencl {

class Queue : public Object {
 public:
  Queue(ContextRef context, DeviceRef device, cl_command_queue_properties properties,
        std::vector<cl_queue_properties> given, std::shared_ptr<runtime::Stream> stream)
      : context_(std::move(context)),
        device_(std::move(device)),
        properties_(properties),
        given_(std::move(given)),
        stream_(std::move(stream)),
        state_(*stream_->context()) {}
  ~Queue() override;

  const ContextRef& context() const { return context_; }
  const DeviceRef& device() const { return device_; }
  cl_command_queue_properties properties() const { return properties_.load(std::memory_order_relaxed); }
  // Waits for what was enqueued before.
  Status set_properties(cl_command_queue_properties properties);
  const std::vector<cl_queue_properties>& given_properties() const { return given_; }
  runtime::Context& state() const { return state_; }
  bool profiles() const { return (properties() & CL_QUEUE_PROFILING_ENABLE) != 0; }

  // Enqueues. No operation: a mark, reached when everything before it is done. `event` may be nullptr.
  Status enqueue(cl_command_type type, runtime::OperationRef operation, const WaitList& waits,
                 cl_event* event, bool blocking = false);
  // One command made of several operations, which may run beside each other.
  Status enqueue_all(cl_command_type type, std::vector<runtime::OperationRef> operations,
                     const WaitList& waits, cl_event* event);
  // A mark behind everything that was enqueued, or behind the events alone; a barrier holds back what
  // follows, too.
  Status enqueue_marker(const WaitList& waits, cl_event* event);
  Status enqueue_barrier(cl_command_type type, const WaitList& waits, cl_event* event);
  Status finish();

 private:
  Status submitted(cl_command_type type, const runtime::Outcome<runtime::TaskRef>& task, cl_event* event,
                   bool blocking);
  const ContextRef context_;
  const DeviceRef device_;
  std::atomic<cl_command_queue_properties> properties_;
  const std::vector<cl_queue_properties> given_;
  const std::shared_ptr<runtime::Stream> stream_;
  runtime::Context& state_;
};

// Waits for the task; the error that ended it.
Status wait_for(Context& context, const runtime::TaskRef& task);

}  // namespace heddle::opencl
