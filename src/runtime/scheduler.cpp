#include "runtime/scheduler.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace heddle::runtime {

namespace {

thread_local const Task* current_task = nullptr;

// With what the system adds to it (50 us on Linux), about as long as a new kernel may wait for its thread.
constexpr std::chrono::microseconds nap_time{50};

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
  nap_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

const Task* Scheduler::current() { return current_task; }

std::size_t Scheduler::thread_count() const {
  const Lock lock(mutex_);
  return threads_.size();
}

void Scheduler::submit(const TaskRef& task, std::span<const TaskRef> after) {
  const int64_t now = clock_();
  Lock lock(mutex_);
  task->times_.queued = now;
  task->waiting_for_ += 1;
  for (const TaskRef& before : after) {
    if (before == nullptr) continue;
    if (before->done()) {
      task->inherited_failure_ |= before->error_.has_value();
    } else {
      if (before->follower_ == nullptr)
        before->follower_ = task;
      else
        before->more_followers_.push_back(task);
      ++task->waiting_for_;
    }
  }
  std::vector<TaskRef> marks;
  release(task, now, marks);
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
void Scheduler::release(const TaskRef& task, int64_t now, std::vector<TaskRef>& marks) {
  if (--task->waiting_for_ != 0) return;
  // Two threads may have read the clock in another order than they came here.
  task->times_.ready = std::max(now, task->times_.queued);
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
  ++ready_;
  ++made_ready_;
}

void Scheduler::list(const LaneRef& lane) {
  if (lane->listed || lane->ready.empty()) return;
  lane->listed = true;
  lanes_[index_of(lane->priority)].push_back(lane);
}

// As many threads look for tasks, or will soon, as there are tasks. `spare` more do anyway.
void Scheduler::call_workers(std::size_t spare) {
  while (ready_ > calls_ + starting_ + (awaited_ ? 1 : 0) + spare)
    if (!call_worker()) return;
}

bool Scheduler::call_worker() {
  if (napping_ && !awaited_) {
    awaited_ = true;
    return true;
  }
  if (asleep_ > 0) {
    --asleep_;
    ++calls_;
    work_.notify_one();
    return true;
  }
  if (threads_.size() == most_threads) return false;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    return false;  // the system has no more threads: those that are there, and those who wait, do the work
  }
  ++starting_;
  return true;
}

TaskRef Scheduler::take_from(Lane& lane) {
  if (lane.ready.empty()) return nullptr;
  TaskRef task = std::move(lane.ready.front());
  lane.ready.pop_front();
  --ready_;
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

// Without the callbacks. Marks that were reached go into `marks`, to be ended.
void Scheduler::end(const TaskRef& task, std::optional<Error> failure, int64_t now,
                    std::vector<TaskRef>& marks) {
  if (!failure && task->inherits_errors && task->inherited_failure_)
    failure = runtime::error(ErrorCode::callback, "something that it waited for failed");
  task->times_.ended = std::max(now, task->times_.started);
  task->error_ = std::move(failure);
  task->done_.store(true, std::memory_order_release);
  task->running_.store(false, std::memory_order_release);
  if (GridSlots* slots = task->slots; std::exchange(task->has_slot_, false)) {
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
  const auto follow = [&](const TaskRef& follower) {
    follower->inherited_failure_ |= task->error_.has_value();
    release(follower, now, marks);
  };
  if (const TaskRef first = std::move(task->follower_)) follow(first);
  for (const TaskRef& follower : std::exchange(task->more_followers_, {})) follow(follower);
  for (std::condition_variable* waiter : std::exchange(task->waiters_, {})) waiter->notify_one();
}

// The thread goes on with tasks of the lane `going_on`, or of any lane.
std::optional<int64_t> Scheduler::finish(const TaskRef& task, std::optional<Error> failure, Lock& lock,
                                         const Lane* going_on, bool any_lane) {
  const int64_t now = clock_();
  std::vector<TaskRef> marks;
  end(task, std::move(failure), now, marks);
  bool quiet = task->callbacks.empty();
  // In order: what was reached first is ended first, with all that it reaches.
  std::vector<TaskRef> ended;
  std::vector<TaskRef> todo(marks.rbegin(), marks.rend());
  while (!todo.empty()) {
    TaskRef next = std::move(todo.back());
    todo.pop_back();
    marks.clear();
    end(next, std::nullopt, now, marks);
    todo.insert(todo.end(), marks.rbegin(), marks.rend());
    quiet = quiet && next->callbacks.empty();
    ended.push_back(std::move(next));
  }
  const bool spare = quiet && (any_lane || (going_on != nullptr && !going_on->ready.empty()));
  call_workers(spare ? 1 : 0);
  if (quiet && ended.empty()) return now;
  auto callbacks = std::exchange(task->callbacks, {});
  lock.unlock();
  for (const auto& callback : callbacks) callback(*task);
  callbacks.clear();  // what they held may need the lock
  for (const TaskRef& mark : ended)
    for (const auto& callback : std::exchange(mark->callbacks, {})) callback(*mark);
  ended.clear();
  lock.lock();
  return std::nullopt;
}

void Scheduler::execute(TaskRef task, Lock& lock, Runner& runner) {
  task->running_.store(true, std::memory_order_release);
  lock.unlock();
  runner.last.reset();
  task->times_.started = std::max(runner.now ? *runner.now : clock_(), task->times_.ready);
  const Task* const before = std::exchange(current_task, task.get());
  Done done = run_(*task);
  current_task = before;
  lock.lock();
  runner.now = finish(task, done ? std::nullopt : std::optional<Error>(done.error()), lock, task->lane_.get(),
                      runner.any_lane);
  runner.last = std::move(task);
}

void Scheduler::nap(Lock& lock) {
  napping_ = true;
  nap_.wait_for(lock, nap_time, [this] { return nap_ended_ || ending_; });
  napping_ = awaited_ = nap_ended_ = false;
}

void Scheduler::work() {
  Lock lock(mutex_);
  --starting_;
  Runner runner{true, {}, {}};
  uint64_t seen = 0;  // of made_ready_, when it napped last
  for (;;) {
    if (TaskRef task = take()) {
      execute(std::move(task), lock, runner);
      continue;
    }
    runner.now.reset();
    if (runner.last != nullptr) {
      lock.unlock();
      runner.last.reset();
      lock.lock();
      continue;
    }
    if (ending_) return;
    if (!napping_ && seen != made_ready_) {
      seen = made_ready_;
      nap(lock);
      continue;
    }
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
  Runner runner;
  std::optional<std::condition_variable> ended;
  Lock lock(mutex_);
  while (!task->done()) {
    if (TaskRef mine = take_from(*task->lane_)) {
      execute(std::move(mine), lock, runner);
      continue;
    }
    if (awaited_ && ready_ > calls_ + starting_) {
      nap_ended_ = true;
      nap_.notify_one();
    }
    if (!ended) ended.emplace();
    task->waiters_.push_back(&*ended);
    ended->wait(lock, [&] { return task->done(); });
  }
  // What became ready in this lane while its last task ran here counted on this thread (finish: spare).
  call_workers(0);
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
