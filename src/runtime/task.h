// A piece of work with what must come before it. Everything asynchronous is a task: launches, copies, host
// callbacks, the records of events, the nodes of graphs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/error.h"

namespace heddle::runtime {

class Context;
class Task;
struct Submission;
using TaskRef = std::shared_ptr<Task>;

// What a task does. Immutable, so that one can be run many times (graphs).
class Operation {
 public:
  virtual ~Operation() = default;
  virtual Done run(Context& context, Task& task) const = 0;
  virtual bool is_launch() const { return false; }      // takes one of the device's places for kernels
  virtual bool after_failure() const { return false; }  // runs even when the context has failed: callbacks
};
using OperationRef = std::shared_ptr<const Operation>;

// The kernels of one device that may run at a time.
struct GridSlots {
  uint32_t limit = 1, taken = 0;
  std::deque<TaskRef> waiting;
  std::atomic<bool> crowded{false};  // some wait
};

// Tasks of a context that belong together: those of one stream. Who waits for a stream helps to run its
// tasks.
struct Lane {
  explicit Lane(std::shared_ptr<Context> of, int lane_priority = 0)
      : context(std::move(of)), priority(lane_priority) {}
  const std::shared_ptr<Context> context;
  const int priority;  // 0 is the ordinary one, lower numbers go first
  // The scheduler's:
  int submitted_on = -1;            // the processor of who submitted to it when it was empty last
  std::atomic<bool> wanted{false};  // somebody who waits is about to run its tasks himself
  std::deque<TaskRef> ready;
  bool listed = false;
};
using LaneRef = std::shared_ptr<Lane>;

// When things happened to a task, on the system's clock, in nanoseconds.
struct TaskTimes {
  int64_t queued = 0, ready = 0, started = 0, ended = 0;
};

class Task {
 public:
  // Without an operation it is a mark in the order of things: done as soon as it is reached.
  Task(LaneRef lane, OperationRef operation);
  ~Task();
  bool done() const { return done_.load(std::memory_order_acquire); }
  // The following once it is done:
  const std::optional<Error>& error() const { return error_; }
  const TaskTimes& times() const { return times_; }

  const std::shared_ptr<Context>& context() const { return lane_->context; }
  const LaneRef& lane() const { return lane_; }
  const OperationRef& operation() const { return operation_; }
  const Submission* submission() const { return submission_.get(); }  // nullptr: nobody watched
  // Before it is submitted:
  bool inherits_errors = false;  // does not run when something that it waits for failed
  GridSlots* slots = nullptr;    // of the device, for launches
  void set_submission(std::unique_ptr<const Submission> submission);
  // Before it is submitted, or through Scheduler::on_done: called without locks, once it is done.
  std::vector<std::function<void(const Task&)>> callbacks;

 private:
  friend class Scheduler;
  // What comes behind it: the next task of its lane, if that waits for nothing else, and whether there is
  // more to look for under the scheduler's lock (followers_, waiters_, callbacks). `ended` is set last, once:
  // nothing can be added from then on.
  struct Behind {
    static constexpr uintptr_t watched = 1, ended = 2;
    static Task* next(uintptr_t behind) { return reinterpret_cast<Task*>(behind & ~(watched | ended)); }
  };

  bool has_work() const;  // no mark, and not skipped for what it inherits

  const LaneRef lane_;
  const OperationRef operation_;
  std::atomic<bool> done_{false};
  std::atomic<bool> running_{false};
  std::atomic<uintptr_t> behind_{0};
  TaskRef self_;  // as another one's next
  // Of who submits it until something stands before it, then of who ends that:
  uint32_t waiting_for_ = 0;
  bool has_slot_ = false;
  bool inherited_failure_ = false;
  std::optional<Error> error_;
  TaskTimes times_;
  std::unique_ptr<const Submission> submission_;
  // Under the scheduler's lock:
  std::vector<TaskRef> followers_;
  std::vector<std::condition_variable*> waiters_;
};

}  // namespace heddle::runtime
