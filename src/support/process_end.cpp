#include "support/process_end.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "support/watch_for_end.h"

namespace heddle {

namespace {

// Longer than any compilation of an ordinary kernel; shorter than the patience of who ends a program.
constexpr std::chrono::seconds most_waiting{10};

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned at_work = 0;
  std::atomic<bool> ending{false};
  pid_t process = 0;
};

// Never destroyed: threads are at work until the very end.
State& state() {
  static State& all = *new State;
  return all;
}

thread_local unsigned depth = 0;
thread_local LibraryWork::Purpose purpose_here = LibraryWork::Purpose::now;
thread_local const std::function<void()>* left_here = nullptr;  // of the outermost

// Registered after the library's static objects were made, so it runs before they are destroyed.
void end(int, void*) {
  State& all = state();
  // A fork has the numbers of its parent, but not its threads.
  if (getpid() != all.process) return;
  std::unique_lock lock(all.mutex);
  all.ending.store(true, std::memory_order_relaxed);
  const unsigned mine = depth > 0 ? 1 : 0;  // the library itself may end the process
  all.changed.wait_for(lock, most_waiting, [&] { return all.at_work <= mine; });
}

// on_exit and not atexit: that one ties the function to the library that it is in, whose own static objects
// may be kept (api/shared/kept_objects.cpp).
void register_with_lock(State& all) {
  all.process = getpid();
  on_exit(end, nullptr);
}

void watch_with_lock(State& all) {
  if (all.process == 0) register_with_lock(all);
}

[[noreturn]] void rest_for_ever() {
  for (;;) pause();
}

}  // namespace

void watch_for_end() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  watch_with_lock(all);
}

void watch_for_end_again() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  register_with_lock(all);
}

LibraryWork::Promise::Promise() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  ++all.at_work;
}

LibraryWork::Promise::~Promise() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  --all.at_work;
  all.changed.notify_all();
}

LibraryWork::LibraryWork(Purpose purpose) { begin(purpose, false); }

LibraryWork::LibraryWork(const Promise&) { begin(Purpose::now, true); }

LibraryWork::LibraryWork(std::function<void()> left) : left_(std::move(left)) {
  begin(Purpose::later, false);
}

void LibraryWork::begin(Purpose purpose, bool promised) {
  State& all = state();
  if (depth == 0) {
    const std::lock_guard lock(all.mutex);
    if (all.ending.load(std::memory_order_relaxed) && !promised) {
      may_begin_ = false;
      return;
    }
    watch_with_lock(all);
    ++all.at_work;
    purpose_here = purpose;
    left_here = left_ ? &left_ : nullptr;
  }
  counts_ = true;
  ++depth;
}

LibraryWork::~LibraryWork() {
  if (!counts_ || --depth > 0) return;
  State& all = state();
  const std::lock_guard lock(all.mutex);
  --all.at_work;
  all.changed.notify_all();
}

void LibraryWork::rest() {
  State& all = state();
  if (depth == 0 || purpose_here != Purpose::later || !all.ending.load(std::memory_order_relaxed)) return;
  if (left_here != nullptr) (*left_here)();
  {
    const std::lock_guard lock(all.mutex);
    --all.at_work;
    all.changed.notify_all();
  }
  rest_for_ever();
}

}  // namespace heddle
