#include "runtime/scheduler.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace heddle::runtime {

namespace {

thread_local const Task* current_task = nullptr;

std::size_t index_of(int priority) {
  return static_cast<std::size_t>(
      std::clamp(priority, Scheduler::highest_priority, Scheduler::lowest_priority) -
      Scheduler::highest_priority);
}

}  // namespace

int64_t steady_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Task::Task(std::shared_ptr<Context> context, LaneRef lane, OperationRef operation)
    : context_(std::move(context)), lane_(std::move(lane)), operation_(std::move(operation)) {}
Task::~Task() = default;

Scheduler::Scheduler(std::function<Done(Task&)> run, Clock clock)
    : run_(std::move(run)), clock_(clock ? std::move(clock) : steady_nanoseconds) {}

Scheduler::~Scheduler() {
  {
    const Lock lock(mutex_);
    ending_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

const Task* Scheduler::current() { return current_task; }

std::size_t Scheduler::thread_count() const {
  const Lock lock(mutex_);
  return threads_.size();
}

void Scheduler::submit(const TaskRef& task, std::span<const TaskRef> after) {
  Lock lock(mutex_);
  task->times_.queued = clock_();
  task->waiting_for_ += 1;
  for (const TaskRef& before : after) {
    if (before == nullptr) continue;
    if (before->done()) {
      task->inherited_failure_ |= before->error_.has_value();
    } else {
      before->followers_.push_back(task);
      ++task->waiting_for_;
    }
  }
  std::vector<TaskRef> marks;
  release(task, marks);
  for (const TaskRef& mark : marks) finish(mark, std::nullopt, lock);
  call_workers(0);
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
  finish(task, std::move(failure), lock);
  return true;
}

// One of the things that it waited for is done. Marks that were reached go into `marks`, to be finished.
void Scheduler::release(const TaskRef& task, std::vector<TaskRef>& marks) {
  if (--task->waiting_for_ != 0) return;
  task->times_.ready = clock_();
  const bool skipped = task->inherits_errors && task->inherited_failure_;
  if (task->operation_ == nullptr || (skipped && !task->operation_->after_failure())) {
    task->times_.started = task->times_.ready;
    marks.push_back(task);
    return;
  }
  if (GridSlots* slots = task->slots) {
    if (slots->taken == slots->limit) {
      slots->waiting.push_back(task);
      return;
    }
    ++slots->taken;
    task->has_slot_ = true;
  }
  make_ready(task);
}

void Scheduler::make_ready(const TaskRef& task) {
  task->lane_->ready.push_back(task);
  list(task->lane_);
  ++uncalled_;
}

void Scheduler::list(const LaneRef& lane) {
  if (lane->listed || lane->ready.empty()) return;
  lane->listed = true;
  lanes_[index_of(lane->priority)].push_back(lane);
}

// `spare` threads look for tasks anyway.
void Scheduler::call_workers(std::size_t spare) {
  for (std::size_t n = std::exchange(uncalled_, 0); n > spare; --n) call_worker();
}

void Scheduler::call_worker() {
  if (asleep_ > 0) {
    --asleep_;
    ++calls_;
    work_.notify_one();
  } else if (threads_.size() < most_threads) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The system has no more threads: those that are there, and those who wait, do the work.
    }
  }
}

TaskRef Scheduler::take_from(Lane& lane) {
  if (lane.ready.empty()) return nullptr;
  TaskRef task = std::move(lane.ready.front());
  lane.ready.pop_front();
  return task;
}

// The first of the most urgent. A lane with more of them goes to the end of its queue.
TaskRef Scheduler::take() {
  for (std::deque<LaneRef>& queue : lanes_) {
    while (!queue.empty()) {
      const LaneRef lane = std::move(queue.front());
      queue.pop_front();
      lane->listed = false;
      TaskRef task = take_from(*lane);
      list(lane);
      if (task != nullptr) return task;
    }
  }
  return nullptr;
}

// The thread goes on with tasks of the lane `going_on`, or of any lane.
void Scheduler::finish(const TaskRef& task, std::optional<Error> failure, Lock& lock, const Lane* going_on,
                       bool any_lane) {
  struct Ended {
    TaskRef task;
    std::vector<std::function<void(const Task&)>> callbacks;
  };
  std::vector<Ended> ended;
  std::vector<std::pair<TaskRef, std::optional<Error>>> todo;
  todo.emplace_back(task, std::move(failure));
  while (!todo.empty()) {
    auto [next, error] = std::move(todo.back());
    todo.pop_back();
    if (!error && next->inherits_errors && next->inherited_failure_)
      error = runtime::error(ErrorCode::callback, "something that it waited for failed");
    next->times_.ended = clock_();
    next->error_ = std::move(error);
    next->done_.store(true, std::memory_order_release);
    next->running_.store(false, std::memory_order_release);
    if (GridSlots* slots = next->slots; std::exchange(next->has_slot_, false)) {
      if (slots->waiting.empty()) {
        --slots->taken;
      } else {
        const auto first = std::ranges::min_element(
            slots->waiting, {}, [](const TaskRef& waiting) { return waiting->lane_->priority; });
        const TaskRef chosen = std::move(*first);
        slots->waiting.erase(first);
        chosen->has_slot_ = true;
        make_ready(chosen);
      }
    }
    std::vector<TaskRef> marks;
    for (const TaskRef& follower : std::exchange(next->followers_, {})) {
      follower->inherited_failure_ |= next->error_.has_value();
      release(follower, marks);
    }
    // In order: what was reached first is finished first.
    for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) todo.emplace_back(*mark, std::nullopt);
    for (std::condition_variable* waiter : std::exchange(next->waiters_, {})) waiter->notify_one();
    ended.push_back({next, std::exchange(next->callbacks, {})});
  }
  const bool quiet = std::ranges::all_of(ended, [](const Ended& e) { return e.callbacks.empty(); });
  const bool spare = quiet && (any_lane || (going_on != nullptr && !going_on->ready.empty()));
  call_workers(spare ? 1 : 0);
  if (quiet && ended.size() == 1) return;
  lock.unlock();
  for (const Ended& e : ended)
    for (const auto& callback : e.callbacks) callback(*e.task);
  ended.clear();  // what they held may need the lock
  lock.lock();
}

void Scheduler::execute(const TaskRef& task, Lock& lock, Runner runner) {
  task->times_.started = clock_();
  task->running_.store(true, std::memory_order_release);
  lock.unlock();
  const Task* const before = std::exchange(current_task, task.get());
  Done done = run_(*task);
  current_task = before;
  lock.lock();
  finish(task, done ? std::nullopt : std::optional<Error>(done.error()), lock, task->lane_.get(),
         runner == Runner::worker);
}

void Scheduler::work() {
  Lock lock(mutex_);
  for (;;) {
    if (TaskRef task = take()) {
      execute(task, lock, Runner::worker);
      // The last reference may be ours, and what it holds may need the lock.
      lock.unlock();
      task.reset();
      lock.lock();
      continue;
    }
    if (ending_) return;
    ++asleep_;
    work_.wait(lock, [this] { return calls_ > 0 || ending_; });
    if (calls_ > 0)
      --calls_;
    else
      --asleep_;
  }
}

void Scheduler::wait(const TaskRef& task) {
  if (task == nullptr || task->done()) return;
  Lock lock(mutex_);
  std::condition_variable ended;
  while (!task->done()) {
    if (TaskRef mine = take_from(*task->lane_)) {
      execute(mine, lock, Runner::helper);
      lock.unlock();
      mine.reset();
      lock.lock();
      continue;
    }
    task->waiters_.push_back(&ended);
    ended.wait(lock, [&] { return task->done(); });
  }
}

void Scheduler::on_done(const TaskRef& task, std::function<void(const Task&)> callback) {
  {
    const Lock lock(mutex_);
    if (!task->done()) {
      task->callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback(*task);
}

}  // namespace heddle::runtime
