// What was enqueued, or a program's own event; and the lists of them that a command waits for.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "api/opencl/handle.h"
#include "runtime/task.h"

namespace heddle::opencl {

class Event : public Object {
 public:
  // A command's. The queue may be nullptr for a program's own event.
  Event(ContextRef context, QueueRef queue, cl_command_type type, runtime::TaskRef task);
  ~Event() override;

  const ContextRef& context() const { return context_; }
  const QueueRef& queue() const { return queue_; }
  cl_command_type type() const { return type_; }
  const runtime::TaskRef& task() const { return task_; }
  bool is_user() const { return queue_ == nullptr; }
  // CL_COMPLETE, CL_RUNNING, CL_SUBMITTED, or negative: what went wrong.
  cl_int status() const;
  runtime::TaskTimes times() const;

  // What clSetUserEventStatus does; false when it was set before.
  bool set_status(cl_int status);
  // Called once the event is at `at` or past it.
  void on_status(cl_int at, void(CL_CALLBACK* callback)(cl_event, cl_int, void*), void* user_data);

 private:
  const ContextRef context_;
  const QueueRef queue_;
  const cl_command_type type_;
  const runtime::TaskRef task_;
  std::atomic<cl_int> user_status_{CL_SUBMITTED};
};

// The error that ended a task, as event statuses and blocking calls show it.
cl_int status_of(const runtime::Error& error);

// The events that a command waits for. Most wait for none.
class WaitList {
 public:
  Status read(cl_uint count, const cl_event* events);
  bool empty() const { return tasks_.empty(); }
  const std::vector<runtime::TaskRef>& tasks() const { return tasks_; }
  // Events of another context than the command's: CL_INVALID_CONTEXT.
  Status check(const ContextRef& context) const;

 private:
  std::vector<runtime::TaskRef> tasks_;
  std::vector<EventRef> events_;
};

}  // namespace heddle::opencl
