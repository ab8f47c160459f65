#include "runtime/event.h"

#include "runtime/system.h"

namespace heddle::runtime {

Done Event::record(Stream& stream) {
  auto task = stream.mark();
  if (!task) return task.error();
  if (*task == nullptr) return Unit{};  // captured
  reached_with(std::move(*task));
  return Unit{};
}

void Event::reached_with(TaskRef task) {
  const std::lock_guard lock(mutex_);
  last_ = std::move(task);
}

TaskRef Event::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

Done Event::query() const {
  if (Done state = context_->check(); !state) return state;
  context_->system().scheduler().host_asks();
  const TaskRef task = last();
  if (task != nullptr && !task->done()) return error(ErrorCode::not_ready, "the event is not reached");
  if (task != nullptr) context_->system().host_waited(*task);
  return context_->result();
}

Done Event::synchronize() const {
  if (Scheduler::current() != nullptr)
    return error(ErrorCode::not_permitted, "a host callback cannot wait for an event");
  if (const TaskRef task = last()) {
    context_->system().scheduler().wait(task);
    context_->system().host_waited(*task);
  }
  context_->flush_output();
  return context_->result();
}

Outcome<int64_t> Event::elapsed(const Event& start, const Event& end) {
  const TaskRef first = start.last(), second = end.last();
  if (!start.timing_ || !end.timing_) return error(ErrorCode::invalid_handle, "an event that keeps no time");
  if (first == nullptr || second == nullptr)
    return error(ErrorCode::invalid_handle, "an event that was never recorded");
  if (!first->done() || !second->done()) return error(ErrorCode::not_ready, "an event is not reached");
  const System& system = start.context_->system();
  system.host_waited(*first), system.host_waited(*second);
  return system.times_of(*second).ended - system.times_of(*first).ended;
}

}  // namespace heddle::runtime
