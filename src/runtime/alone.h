// A task that nothing else runs beside: for who runs its kernel several times and puts memory back between.
// Costs one look at a flag where nobody has asked for it.
#pragma once

#include <atomic>
#include <chrono>

namespace heddle::runtime {

class Alone {
 public:
  // From now on it is known which tasks run. Before the first task of the process begins.
  static void prepare() { wanted_.store(true); }
  // By a thread that runs a task: false when another one has not ended after so long; it may wait for this
  // one. When true no other begins before end().
  static bool begin(std::chrono::milliseconds patience);
  static void end();

  // While a task runs, on its thread.
  class Task {
   public:
    Task() : counted_(wanted_.load(std::memory_order_relaxed) && enter()) {}
    ~Task() {
      if (counted_) leave();
    }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

   private:
    const bool counted_;
  };

 private:
  static bool enter();
  static void leave();
  static inline std::atomic<bool> wanted_{false};
};

}  // namespace heddle::runtime
