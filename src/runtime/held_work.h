// Work that waits until the host waits for some of it: what was submitted up to then is a batch, which
// somebody can look at while nothing of it has begun, and let go in an order of his own. For who tries other
// orders of streams (checker/stream_orders.h); nobody else's work is held.
//
// A batch ends when the host waits or asks whether something is done, so that the same program makes the same
// batches each time. One that nobody asks for is let go after a while, as it came: the host may be looking at
// memory that a kernel writes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "runtime/task.h"

namespace heddle::runtime {

class Scheduler;

class HeldWork {
 public:
  struct Item {
    TaskRef task;                  // a mark is not held: it is reached when all before it is
    std::vector<uint32_t> after;   // of the batch, by number
    std::vector<TaskRef> outside;  // what it waits for that came before the batch, or that somebody else ends
    TaskRef gate;                  // of the holder; nullptr: it is not held
  };
  class Conductor {
   public:
    virtual ~Conductor() = default;
    // By a thread that waits, one at a time. In which order they shall run, one behind the other; empty: as
    // they come.
    virtual std::vector<uint32_t> order(std::span<const Item> batch) = 0;
    // A batch was let go without it, since nobody waited or it became too long.
    virtual void missed(std::span<const Item> batch) = 0;
    // One of the order did not end in time: those behind it were let go as they come.
    virtual void gave_up() = 0;
  };

  HeldWork(Scheduler& scheduler, std::shared_ptr<Conductor> conductor);
  ~HeldWork();
  HeldWork(const HeldWork&) = delete;
  HeldWork& operator=(const HeldWork&) = delete;

  // Instead of Scheduler::submit.
  void submit(const TaskRef& task, std::span<const TaskRef> after);
  // The host waits for something, or asks.
  void let_go();

 private:
  static constexpr std::size_t most_items = 4096;
  std::vector<Item> take();
  void open(std::span<const Item> batch);
  bool run(const Item& item);
  void look_after();

  Scheduler& scheduler_;
  const std::shared_ptr<Conductor> conductor_;
  std::mutex letting_go_;  // one batch after the other
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Item> items_;
  std::unordered_map<const Task*, uint32_t> numbers_;
  uint64_t submitted_ = 0;
  bool ending_ = false;
  std::thread nobody_waits_;
};

}  // namespace heddle::runtime
