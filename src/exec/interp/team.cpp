#include "exec/interp/team.h"

#include <system_error>
#include <utility>

namespace heddle::exec::interp {

void Team::begin() {
  try {
    for (; others_ != 0; --others_) threads_.emplace_back([this] { work_beside(); });
  } catch (const std::system_error&) {
    others_ = 0;  // the host has no more threads: those that are there will do
  }
}

void Team::work_beside() {
  Run own(run_.launch);
  own.start = run_.start;
  own.unstarted = run_.unstarted;
  own.stop = &stop_;
  work_(own);
  take(own);
}

// Whoever stops the others has the fault; theirs say that they were stopped.
void Team::take(Run& run) {
  const std::lock_guard lock(mutex_);
  warp_instructions_ += run.warp_instructions;
  thread_instructions_ += run.thread_instructions;
  if (run.fault && !stop_.exchange(true)) first_ = std::move(run.fault);
}

void Team::end() {
  take(run_);
  for (std::thread& thread : threads_) thread.join();
  run_.warp_instructions = warp_instructions_;
  run_.thread_instructions = thread_instructions_;
  run_.fault = std::move(first_);
  run_.stop = nullptr;
}

}  // namespace heddle::exec::interp
