// The threads that run blocks, and how a grid is handed out to them.
//
// The thread that launches takes part. It begins alone: only when what is left is worth it are sleeping
// threads woken, so a small grid never leaves its thread. Should it not come back from its first blocks, who
// looks after launches wakes them. Blocks are handed out (handout.h) in chunks that
// take about as long as handing out is worth: however many blocks there are and however short they are. A
// thread runs its chunk in order.
//
// Several launches may run at once; helpers go where the fewest are. A helper that has nothing to do looks
// around for some 50 us and then sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "exec/jit/launch/job.h"

namespace heddle::exec::jit {

class Worker;

class Pool {
 public:
  explicit Pool(unsigned threads);  // the calling one included; 0: one a core
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // To the end of the grid or to the first fault (Job::fault).
  void run(Job& job);
  unsigned threads() const { return threads_; }

 private:
  struct Helper {
    std::thread thread;
    pid_t id = 0;
    unsigned number = 0;  // from 1
    Job* job = nullptr;
    bool interrupted = false;  // from this job
  };
  void add(Job& job, Worker& worker);
  void remove(Job& job);
  // False: the worker has no memory for it. `place` is 0 for who launches, else a helper's number.
  bool work(Job& job, Worker& worker, unsigned place);
  bool may_share(const Job& job) const;
  void share_and_summon(Job& job, unsigned helpers);
  void summon(Job& job, unsigned helpers);  // under the lock
  Job* choose();
  void help(Helper& self);
  void interrupt(Job& job, pid_t except);  // under the lock
  void watch();
  void look_after(Job& job, std::chrono::steady_clock::time_point now);

  const unsigned threads_;
  std::mutex mutex_;
  std::condition_variable work_, done_, watch_;
  Job* jobs_ = nullptr;
  std::atomic<uint32_t> summons_{0};  // what a helper that looks around sees change
  std::deque<Helper> helpers_;        // made when first wanted
  unsigned sleeping_ = 0;
  std::thread watcher_;
  bool watcher_sleeps_ = false, watcher_wanted_ = false;
  std::atomic<bool> quit_{false};
};

}  // namespace heddle::exec::jit
