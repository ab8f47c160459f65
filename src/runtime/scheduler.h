// Runs tasks when everything before them is done, on threads that sleep when there is nothing to do. There is
// always a thread for a task that could run (up to a limit), because a kernel may wait for another one.
//
// Waking a thread costs more than a small kernel. So one thread that has run out of work naps: it looks again
// by itself soon, and nobody need wake it for one more task. Who waits for a stream runs its tasks meanwhile,
// so launching and waiting in turn never wakes anybody; a thread that is running them hands them over when it
// comes to the next one within 2 us, as to wake the one who waits at the end would take longer. Who waits for
// what another stream does ends the nap. When nothing happened during a nap the thread sleeps until it is
// called.
//
// In a lane each task usually waits for the one before and for nothing else. Such a task is appended to that
// one without the lock, and who runs that one goes on with it without the lock: a thread that launches and a
// thread that runs what is launched do not wait for each other. Everything else is settled under the lock.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "runtime/held_work.h"
#include "runtime/task.h"

namespace heddle::runtime {

using Clock = std::function<int64_t()>;  // nanoseconds
int64_t steady_nanoseconds();

class Scheduler {
 public:
  static constexpr int highest_priority = -8, lowest_priority = 7;
  static constexpr std::size_t most_threads = 256;

  // `run` does a task's operation, and knows what a failed context refuses.
  Scheduler(std::function<Done(Task&)> run, Clock clock);
  ~Scheduler();  // every task must be done

  void submit(const TaskRef& task, std::span<const TaskRef> after);
  // From now on work is held until the host waits (held_work.h). Before the first task.
  void hold_work(std::shared_ptr<HeldWork::Conductor> conductor);
  // The host is about to ask whether something is done.
  void host_asks();
  // A task that somebody else ends: submitted by hold(), ended by complete(). False when it was ended
  // before.
  void hold(const TaskRef& task);
  bool complete(const TaskRef& task, std::optional<Error> failure);
  // Waits, and meanwhile does what is ready in the task's own lane. Must not be called while running a task
  // of which it, directly or not, is a part.
  void wait(const TaskRef& task);
  // At once when the task is done already.
  void on_done(const TaskRef& task, std::function<void(const Task&)> callback);
  bool running(const Task& task) const { return task.running_.load(std::memory_order_acquire); }

  static const Task* current();  // what this thread is running; nullptr
  int64_t now() const { return clock_(); }
  std::size_t thread_count() const;

 private:
  using Lock = std::unique_lock<std::mutex>;
  // One that runs tasks, one after the other.
  struct Runner {
    bool any_lane = false;        // a worker
    const Task* until = nullptr;  // who waits runs those of this one's lane, until it is done
    TaskRef last;                 // its last reference may be ours, and what it holds may need the lock
    std::optional<int64_t> now;   // when nothing happened since
    int64_t stepped_aside = 0;    // when it did so last
    // Launches share much, and who submits the next ones counts its references too: those that have ended
    // are let go many at a time, so that two processors do not pull at the counts for each.
    std::vector<TaskRef> ended;
    void keep(TaskRef task);
  };
  // A task that has ended, and what was behind it then.
  struct Ended {
    TaskRef task, next;
    bool watched = false;
    int64_t now = 0;
  };
  static Ended end(const TaskRef& task, std::optional<Error> failure, int64_t now);

  // Without the lock:
  bool append(Task& before, const TaskRef& task, int64_t now);
  Ended run(const TaskRef& task, Runner& runner);
  bool goes_on(const Ended& ended, const Runner& runner) const;

  // With the lock:
  static bool watch(Task& task);
  void release(const TaskRef& task, int64_t now, std::vector<TaskRef>& marks);
  void settle(const Ended& ended, std::vector<TaskRef>& marks);
  void give_slot(Task& task);
  void make_ready(const TaskRef& task);
  void list(const LaneRef& lane);
  TaskRef take();
  TaskRef take_from(Lane& lane);
  // The time when it ended; nothing when callbacks took more.
  std::optional<int64_t> finish(const Ended& first, Lock& lock, const Runner* runner = nullptr);
  void execute(TaskRef task, Lock& lock, Runner& runner);
  void work();
  void call_workers(std::size_t spare);
  bool call_worker();  // false: there is none
  void nap(Lock& lock);
  static void step_aside(const Lane& lane, Lock& lock, Runner& runner);
  void take_over(const LaneRef& lane, const Task& until, Lock& lock);

  friend class HeldWork;
  void submit_now(const TaskRef& task, std::span<const TaskRef> after);

  const std::function<Done(Task&)> run_;
  const Clock clock_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::array<std::deque<LaneRef>, lowest_priority - highest_priority + 1> lanes_;
  std::vector<std::thread> threads_;
  std::size_t asleep_ = 0;             // threads that nobody has called yet
  std::size_t calls_ = 0;              // made and not yet answered
  std::size_t starting_ = 0;           // threads that have not looked yet
  std::atomic<std::size_t> ready_{0};  // tasks in lanes
  uint64_t made_ready_ = 0;            // tasks, ever
  std::condition_variable nap_;
  bool napping_ = false;    // a thread is
  bool awaited_ = false;    // and a task counts on it
  bool nap_ended_ = false;  // by somebody who cannot wait so long
  bool ending_ = false;
  std::unique_ptr<HeldWork> held_;  // nullptr: nothing is; its thread ends first
};

}  // namespace heddle::runtime
