#include "runtime/alone.h"

#include <condition_variable>
#include <mutex>

namespace heddle::runtime {

namespace {

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned running = 0;  // tasks, without those that wait to be alone
  bool alone = false;    // somebody is
};
// Never destroyed: tasks may run while the process ends.
State& state() {
  static State& one = *new State;
  return one;
}
thread_local bool in_task = false;

}  // namespace

bool Alone::enter() {
  if (in_task) return false;
  State& s = state();
  std::unique_lock lock(s.mutex);
  s.changed.wait(lock, [&] { return !s.alone; });
  ++s.running;
  return in_task = true;
}

void Alone::leave() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  --s.running;
  in_task = false;
  s.changed.notify_all();
}

bool Alone::begin(std::chrono::milliseconds patience) {
  if (!in_task) return false;
  State& s = state();
  std::unique_lock lock(s.mutex);
  --s.running;
  s.changed.notify_all();
  const bool alone = s.changed.wait_for(lock, patience, [&] { return s.running == 0 && !s.alone; });
  if (!alone) s.changed.wait(lock, [&] { return !s.alone; });
  ++s.running;
  s.alone = alone;
  return alone;
}

void Alone::end() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.alone = false;
  s.changed.notify_all();
}

}  // namespace heddle::runtime
