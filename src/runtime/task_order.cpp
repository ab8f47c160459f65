// The order of tasks: what stands before a task, and what happens to those behind it when it ends.
#include <algorithm>
#include <utility>

#include "runtime/scheduler.h"
#include "runtime/watcher.h"
#include "support/processor.h"

namespace heddle::runtime {

namespace {

thread_local const Task* current_task = nullptr;

}  // namespace

Task::Task(LaneRef lane, OperationRef operation) : lane_(std::move(lane)), operation_(std::move(operation)) {}
Task::~Task() = default;

void Task::set_submission(std::unique_ptr<const Submission> submission) {
  submission_ = std::move(submission);
}

bool Task::has_work() const {
  return operation_ != nullptr && (!inherits_errors || !inherited_failure_ || operation_->after_failure());
}

const Task* Scheduler::current() { return current_task; }

void Scheduler::submit(const TaskRef& task, std::span<const TaskRef> after) {
  if (held_ != nullptr) [[unlikely]]
    return held_->submit(task, after);
  submit_now(task, after);
}

void Scheduler::submit_now(const TaskRef& task, std::span<const TaskRef> after) {
  int64_t now = clock_();
  if (after.size() == 1 && after[0] != nullptr && append(*after[0], task, now)) return;
  const int processor = this_processor();
  Lock lock(mutex_);
  task->lane_->submitted_on = processor;
  task->times_.queued = now;
  task->waiting_for_ += 1;
  for (const TaskRef& before : after) {
    if (before == nullptr) continue;
    if (watch(*before)) {
      before->followers_.push_back(task);
      ++task->waiting_for_;
    } else {
      task->inherited_failure_ |= before->error_.has_value();
      now = std::max(now, before->times_.ended);  // it ended since the clock was read
    }
  }
  std::vector<TaskRef> marks;
  release(task, now, marks);
  for (const TaskRef& mark : marks) finish(end(mark, std::nullopt, now), lock);
  call_workers(0);
}

// As the next one of its lane. False when it is too late for that, or when there is another one.
bool Scheduler::append(Task& before, const TaskRef& task, int64_t now) {
  if (before.lane_ != task->lane_) return false;
  uintptr_t behind = before.behind_.load(std::memory_order_relaxed);
  task->times_.queued = now;
  task->waiting_for_ = 1;
  task->self_ = task;
  while ((behind & Task::Behind::ended) == 0 && Task::Behind::next(behind) == nullptr)
    if (before.behind_.compare_exchange_weak(behind, behind | reinterpret_cast<uintptr_t>(task.get()),
                                             std::memory_order_release, std::memory_order_relaxed))
      return true;
  task->waiting_for_ = 0;
  task->self_.reset();
  return false;
}

// Who ends it will look for what was added under the lock. False when it has ended.
bool Scheduler::watch(Task& task) {
  return (task.behind_.fetch_or(Task::Behind::watched, std::memory_order_acq_rel) & Task::Behind::ended) == 0;
}

void Scheduler::hold(const TaskRef& task) {
  const Lock lock(mutex_);
  task->times_.queued = clock_();
  task->waiting_for_ += 1;
}

bool Scheduler::complete(const TaskRef& task, std::optional<Error> failure) {
  Lock lock(mutex_);
  if (task->done()) return false;
  task->times_.ready = task->times_.started = clock_();
  finish(end(task, std::move(failure), clock_()), lock);
  return true;
}

// One of the things that it waited for is done. Marks that were reached go into `marks`, to be finished.
void Scheduler::release(const TaskRef& task, int64_t now, std::vector<TaskRef>& marks) {
  if (--task->waiting_for_ != 0) return;
  // Two threads may have read the clock in another order than they came here.
  task->times_.ready = std::max(now, task->times_.queued);
  if (!task->has_work()) {
    task->times_.started = task->times_.ready;
    marks.push_back(task);
    return;
  }
  if (GridSlots* slots = task->slots) {
    if (slots->taken == slots->limit) {
      slots->waiting.push_back(task);
      slots->crowded.store(true, std::memory_order_relaxed);
      return;
    }
    ++slots->taken;
    task->has_slot_ = true;
  }
  make_ready(task);
}

// What comes behind it is the caller's to settle.
Scheduler::Ended Scheduler::end(const TaskRef& task, std::optional<Error> failure, int64_t now) {
  if (!failure && task->inherits_errors && task->inherited_failure_)
    failure = runtime::error(ErrorCode::callback, "something that it waited for failed");
  task->times_.ended = std::max(now, task->times_.started);
  task->error_ = std::move(failure);
  task->done_.store(true, std::memory_order_release);
  task->running_.store(false, std::memory_order_release);
  const uintptr_t behind = task->behind_.exchange(Task::Behind::ended, std::memory_order_acq_rel);
  Ended ended{task, nullptr, (behind & Task::Behind::watched) != 0, now};
  if (Task* next = Task::Behind::next(behind)) {
    ended.next = std::move(next->self_);
    next->inherited_failure_ |= task->error_.has_value();
  }
  return ended;
}

// Everything but the callbacks. Marks that were reached go into `marks`, to be ended.
void Scheduler::settle(const Ended& ended, std::vector<TaskRef>& marks) {
  Task& task = *ended.task;
  if (std::exchange(task.has_slot_, false)) give_slot(task);
  if (ended.next != nullptr) release(ended.next, ended.now, marks);
  if (!ended.watched) return;
  for (const TaskRef& follower : std::exchange(task.followers_, {})) {
    follower->inherited_failure_ |= task.error_.has_value();
    release(follower, ended.now, marks);
  }
  for (std::condition_variable* waiter : std::exchange(task.waiters_, {})) waiter->notify_one();
}

void Scheduler::give_slot(Task& task) {
  GridSlots& slots = *task.slots;
  if (slots.waiting.empty()) {
    --slots.taken;
    return;
  }
  const auto first = std::ranges::min_element(
      slots.waiting, {}, [](const TaskRef& waiting) { return waiting->lane_->priority; });
  const TaskRef chosen = std::move(*first);
  slots.waiting.erase(first);
  slots.crowded.store(!slots.waiting.empty(), std::memory_order_relaxed);
  chosen->has_slot_ = true;
  make_ready(chosen);
}

std::optional<int64_t> Scheduler::finish(const Ended& first, Lock& lock, const Runner* runner) {
  const Task& task = *first.task;
  const int64_t now = first.now;
  std::vector<TaskRef> marks;
  settle(first, marks);
  bool quiet = task.callbacks.empty();
  // In order: what was reached first is ended first, with all that it reaches.
  std::vector<TaskRef> ended;
  std::vector<TaskRef> todo(marks.rbegin(), marks.rend());
  while (!todo.empty()) {
    TaskRef next = std::move(todo.back());
    todo.pop_back();
    marks.clear();
    settle(end(next, std::nullopt, now), marks);
    todo.insert(todo.end(), marks.rbegin(), marks.rend());
    quiet = quiet && next->callbacks.empty();
    ended.push_back(std::move(next));
  }
  const bool spare = quiet && runner != nullptr && (runner->any_lane || !task.lane_->ready.empty());
  call_workers(spare ? 1 : 0);
  if (quiet && ended.empty()) return now;
  auto callbacks = std::exchange(first.task->callbacks, {});
  lock.unlock();
  for (const auto& callback : callbacks) callback(task);
  callbacks.clear();  // what they held may need the lock
  for (const TaskRef& mark : ended)
    for (const auto& callback : std::exchange(mark->callbacks, {})) callback(*mark);
  ended.clear();
  lock.lock();
  return std::nullopt;
}

// Others hold memory, which somebody may wait for.
void Scheduler::Runner::keep(TaskRef task) {
  constexpr std::size_t most = 32;
  if (task->operation_ != nullptr && !task->operation_->is_launch()) return;
  if (ended.size() == most) ended.clear();
  ended.push_back(std::move(task));
}

Scheduler::Ended Scheduler::run(const TaskRef& task, Runner& runner) {
  if (!task->has_work()) {
    task->times_.started = task->times_.ready;
    return end(task, std::nullopt, task->times_.ready);
  }
  task->running_.store(true, std::memory_order_release);
  task->times_.started = std::max(runner.now ? *runner.now : clock_(), task->times_.ready);
  const Task* const before = std::exchange(current_task, task.get());
  Done done = run_(*task);
  current_task = before;
  return end(task, done ? std::nullopt : std::optional<Error>(done.error()), clock_());
}

// Whether the next one can be run as it is, and there is nothing else to look after.
bool Scheduler::goes_on(const Ended& ended, const Runner& runner) const {
  const Task& task = *ended.task;
  const Task* const next = ended.next.get();
  if (next == nullptr || ended.watched || !task.callbacks.empty()) return false;
  if (ready_.load(std::memory_order_relaxed) != 0) return false;  // others may be more urgent
  if (runner.until != nullptr && runner.until->done()) return false;
  if (runner.any_lane && task.lane_->wanted.load(std::memory_order_relaxed)) return false;
  if (!task.has_slot_) return next->slots == nullptr;
  // A mark keeps the place for the launch behind it.
  return !task.slots->crowded.load(std::memory_order_relaxed) &&
         (next->slots == task.slots || next->operation_ == nullptr);
}

void Scheduler::execute(TaskRef task, Lock& lock, Runner& runner) {
  lock.unlock();
  runner.last.reset();
  Ended ended = run(task, runner);
  task.reset();
  while (goes_on(ended, runner)) {
    Task& next = *ended.next;
    next.waiting_for_ = 0;
    next.times_.ready = std::max(ended.now, next.times_.queued);
    if (std::exchange(ended.task->has_slot_, false)) {
      next.slots = ended.task->slots;
      next.has_slot_ = true;
    }
    runner.now = ended.now;
    Ended after = run(ended.next, runner);
    runner.keep(std::move(ended.task));
    ended = std::move(after);
  }
  runner.ended.clear();
  lock.lock();
  runner.now = finish(ended, lock, &runner);
  runner.last = std::move(ended.task);
}

void Scheduler::on_done(const TaskRef& task, std::function<void(const Task&)> callback) {
  {
    const Lock lock(mutex_);
    if (watch(*task)) {
      task->callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback(*task);
}

}  // namespace heddle::runtime
