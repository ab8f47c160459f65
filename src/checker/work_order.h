// Which work of a process comes before which, and before what the host does now: vector clocks whose entries
// are streams. By what was asked for (streams, events, graphs, wait lists, waits of the host), not by what
// happened to end first.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "runtime/watcher.h"

namespace heddle::checker {

class WorkOrder {
 public:
  // Of one kernel, copy or fill. Number 0: nobody knows where it comes from.
  struct Work {
    uint64_t number = 0, stream = 0;
  };

  void submitted(const runtime::Submission& submission);
  // Queues whose work is not in order: of such only what has ended is known to come before.
  void out_of_order(uint64_t stream) { loose_.insert(stream); }
  // All threads of the host are one: how they wait for each other is not seen.
  void host_waited(std::span<const uint64_t> numbers);

  // Whether `second` was asked for behind `first`; true where that is not known any more.
  bool before(const Work& first, const Work& second) const;
  bool host_knows(const Work& work) const { return knows(host_, work); }
  bool is_loose(const Work& work) const { return loose_.contains(work.stream); }
  uint64_t newest() const { return newest_; }

 private:
  struct Clock {
    uint64_t all = 0;                                // everything up to this number
    std::unordered_map<uint64_t, uint64_t> streams;  // the newest number of each
    void join(const Clock& other);
    void join(uint64_t stream, uint64_t number);
  };
  bool knows(const Clock& clock, const Work& work) const;
  void join(Clock& clock, uint64_t number) const;

  Clock host_;
  std::unordered_map<uint64_t, Clock> clocks_;  // by number
  std::deque<uint64_t> kept_;                   // in clocks_, oldest first
  std::unordered_set<uint64_t> loose_;
  uint64_t newest_ = 0;
};

}  // namespace heddle::checker
