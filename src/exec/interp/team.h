// Threads that run clusters of one launch beside the thread that launched it.
//
// Where the reference executor runs what the fast one cannot, launches may take all of the host's processors.
// Each thread has a Run of its own, as launches of several streams do, and takes clusters that nobody has
// begun. A launch that ends soon, that somebody watches, or whose clusters are all there at once has none.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "exec/interp/run.h"

namespace heddle::exec::interp {

class Team {
 public:
  // `work`: clusters until there are none, or the run has a fault.
  using Work = std::function<void(Run&)>;
  // `threads`: with the one that launches.
  Team(Run& run, unsigned threads, Work work) : run_(run), others_(threads - 1), work_(std::move(work)) {
    run_.stop = &stop_;
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  // Now and then, from the launch's own thread.
  void look() {
    if (others_ != 0 && run_.warp_instructions >= worth_a_thread) begin();
  }
  // The launch's own thread has found no cluster any more: waits for the others, and gives the run their
  // instructions and the first fault of all.
  void end();

 private:
  // Instructions of warps, each of which takes some 100 ns; a thread takes some 50 us to come.
  static constexpr uint64_t worth_a_thread = 1 << 12;
  void begin();
  void work_beside();
  void take(Run& run);

  Run& run_;
  unsigned others_;  // that have not been called
  const Work work_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::optional<Fault> first_;
  uint64_t warp_instructions_ = 0, thread_instructions_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace heddle::exec::interp
