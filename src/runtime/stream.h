// An order of work. What is submitted runs one after another, beside the work of other streams.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/context.h"
#include "runtime/task.h"

namespace heddle::runtime {

class Event;

struct StreamOptions {
  bool blocking = true;  // waits for the default stream's work, and that for this one's
  bool in_order = true;  // false: only barrier() and what a task names orders it
  int priority = 0;      // lower is more urgent
};

struct SubmitOptions {
  std::span<const TaskRef> after = {};  // besides what the stream orders
  bool inherits_errors = false;
  std::vector<std::function<void(const Task&)>> callbacks = {};
};

// Takes what is submitted to a stream instead of running it, while a graph is captured.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual Done add(Stream& stream, const OperationRef& operation, std::span<const TaskRef> after) = 0;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(std::shared_ptr<Context> context, const StreamOptions& options, bool is_default = false);
  ~Stream();

  const std::shared_ptr<Context>& context() const { return context_; }
  uint64_t id() const { return id_; }  // never used twice in a process
  const StreamOptions& options() const { return options_; }
  bool is_default() const { return is_default_; }
  // What is there already keeps its order with what follows.
  void set_in_order(bool in_order);

  // Without an operation: a mark. Refused when the context has failed.
  Outcome<TaskRef> submit(OperationRef operation, SubmitOptions extra = {}) {
    return submit(std::move(operation), extra, false);
  }
  Outcome<TaskRef> mark(SubmitOptions extra = {}) { return submit(nullptr, extra, false); }
  // Out of order: a mark that everything submitted so far comes before, and that holds nothing back.
  Outcome<TaskRef> mark_behind_all();
  // Everything before is done before everything behind it.
  Outcome<TaskRef> barrier(SubmitOptions extra = {}) { return submit(nullptr, extra, true); }

  Done host_call(std::function<void()> function);  // not called once the context has failed
  // Called in any case, with what became of the work before.
  Done host_callback(std::function<void(const Done& state)> function);
  Done wait(const Event& event);  // what follows runs when the event's last record has been reached

  Done synchronize();
  Done query();  // not_ready while there is work
  // No more work; what was submitted still runs.
  void destroy();

  // ---- capture
  void record_to(std::shared_ptr<Recorder> recorder);
  std::shared_ptr<Recorder> recorder() const;

 private:
  friend class Context;
  Done may_wait() const;
  // With Context::order_ held:
  void append_open(std::vector<TaskRef>& tasks);
  void after_others(std::vector<TaskRef>& after);
  // What the stream orders, done or not, as who watches knows it.
  std::vector<uint64_t> numbers_before() const;
  LaneRef own_lane();
  TaskRef submit_locked(OperationRef operation, const SubmitOptions& extra, bool barrier);
  Outcome<TaskRef> submit(OperationRef operation, SubmitOptions& extra, bool barrier);

  const std::shared_ptr<Context> context_;
  const uint64_t id_;
  StreamOptions options_;
  const bool is_default_;
  const LaneRef lane_;
  std::vector<LaneRef> lane_copies_;
  bool destroyed_ = false;
  uint64_t last_number_ = 0;   // Submission::number of the last task that orders what follows; done or not
  TaskRef last_;               // in order: the last task; out of order: the last barrier
  std::vector<TaskRef> open_;  // out of order: those after it
  std::shared_ptr<Recorder> recorder_;
};

}  // namespace heddle::runtime
