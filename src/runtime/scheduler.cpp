#include "runtime/scheduler.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "support/processor.h"
#include "support/relax.h"

namespace heddle::runtime {

namespace {

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

Scheduler::Scheduler(std::function<Done(Task&)> run, Clock clock)
    : run_(std::move(run)), clock_(clock ? std::move(clock) : steady_nanoseconds) {}

Scheduler::~Scheduler() {
  held_.reset();
  {
    const Lock lock(mutex_);
    ending_ = true;
  }
  work_.notify_all();
  nap_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::size_t Scheduler::thread_count() const {
  const Lock lock(mutex_);
  return threads_.size();
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
      if (lane->wanted.load(std::memory_order_relaxed)) continue;  // who wants it will list it again
      TaskRef task = take_from(*lane);
      list(lane);
      if (task != nullptr) return task;
    }
  }
  return nullptr;
}

void Scheduler::nap(Lock& lock) {
  napping_ = true;
  nap_.wait_for(lock, nap_time, [this] { return nap_ended_ || ending_; });
  napping_ = awaited_ = nap_ended_ = false;
}

void Scheduler::work() {
  Lock lock(mutex_);
  --starting_;
  Runner runner;
  runner.any_lane = true;
  uint64_t seen = 0;   // of made_ready_, when it napped last
  bool awoken = true;  // and has not run anything since
  for (;;) {
    if (TaskRef task = take()) {
      if (std::exchange(awoken, false)) step_aside(*task->lane_, lock, runner);
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
    awoken = true;
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

// Linux wakes a thread where it slept, and on machines of few processors it may not look for an idle one (its
// search is given up when the processors together are busy for more than about three quarters). Beside the
// thread that submits it would only take turns with that.
void Scheduler::step_aside(const Lane& lane, Lock& lock, Runner& runner) {
  constexpr int64_t seldom = 1'000'000;  // ns
  if (lane.submitted_on < 0 || lane.submitted_on != this_processor()) return;
  const int64_t now = steady_nanoseconds();
  if (now - runner.stepped_aside < seldom) return;
  runner.stepped_aside = now;
  lock.unlock();
  leave_processor();
  lock.lock();
}

// From a thread that is running tasks of the lane, unless the present one takes long.
void Scheduler::take_over(const LaneRef& lane, const Task& until, Lock& lock) {
  constexpr int64_t patience = 2'000;  // ns
  lane->wanted.store(true, std::memory_order_relaxed);
  lock.unlock();
  const int64_t end = steady_nanoseconds() + patience;
  while (ready_.load(std::memory_order_relaxed) == 0 && !until.done() && steady_nanoseconds() < end) relax();
  lock.lock();
  lane->wanted.store(false, std::memory_order_relaxed);
  list(lane);
}

void Scheduler::hold_work(std::shared_ptr<HeldWork::Conductor> conductor) {
  held_ = std::make_unique<HeldWork>(*this, std::move(conductor));
}

void Scheduler::host_asks() {
  if (held_ != nullptr) [[unlikely]]
    held_->let_go();
}

void Scheduler::wait(const TaskRef& task) {
  if (task == nullptr || task->done()) return;
  host_asks();
  Runner runner;
  runner.until = task.get();
  std::optional<std::condition_variable> ended;
  Lock lock(mutex_);
  while (!task->done()) {
    if (task->lane_->ready.empty()) take_over(task->lane_, *task, lock);
    if (task->done()) break;  // and what is ready now stands behind it: a task may even wait for this thread
    if (TaskRef mine = take_from(*task->lane_)) {
      execute(std::move(mine), lock, runner);
      continue;
    }
    if (awaited_ && ready_ > calls_ + starting_) {
      nap_ended_ = true;
      nap_.notify_one();
    }
    if (!watch(*task)) break;
    if (!ended) ended.emplace();
    task->waiters_.push_back(&*ended);
    ended->wait(lock, [&] { return task->done(); });
    std::erase(task->waiters_, &*ended);  // it may be done already, and nobody have been here yet
  }
  // What became ready in this lane while its last task ran here counted on this thread (finish: spare).
  call_workers(0);
}

}  // namespace heddle::runtime
