#include "runtime/stream.h"

#include <atomic>
#include <utility>

#include "runtime/event.h"
#include "runtime/system.h"
#include "runtime/wait_watcher.h"
#include "support/recycled.h"

namespace heddle::runtime {

namespace {

class HostCall final : public Operation {
 public:
  HostCall(std::function<void(const Done&)> function, bool always)
      : function_(std::move(function)), always_(always) {}
  Done run(Context& context, Task& task) const override {
    context.flush_output();  // "prior to executing a stream callback"
    tell_host_runs(context, task);
    function_(context.check());
    return Unit{};
  }
  bool after_failure() const override { return always_; }

 private:
  const std::function<void(const Done&)> function_;
  const bool always_;
};

std::atomic<uint64_t> next_stream_id{1};

}  // namespace

Stream::Stream(std::shared_ptr<Context> context, const StreamOptions& options, bool is_default)
    : context_(std::move(context)),
      id_(next_stream_id.fetch_add(1, std::memory_order_relaxed)),
      options_(options),
      is_default_(is_default),
      lane_(std::make_shared<Lane>(context_, options.priority)) {
  context_->system().watchers().tell([this](Watcher& watcher) { watcher.stream_made(*this); });
}
Stream::~Stream() = default;

void Stream::append_open(std::vector<TaskRef>& tasks) {
  std::erase_if(open_, [](const TaskRef& task) { return task->done(); });
  if (last_ != nullptr && last_->done()) last_ = nullptr;
  tasks.insert(tasks.end(), open_.begin(), open_.end());
  if (last_ != nullptr) tasks.push_back(last_);
}

void Stream::set_in_order(bool in_order) {
  const std::lock_guard lock(context_->order_);
  options_.in_order = in_order;
}

// The default stream's order with the blocking ones (CUDA C++ Programming Guide 6.2.8.5.3).
void Stream::after_others(std::vector<TaskRef>& after) {
  if (!options_.blocking) return;
  if (is_default_) {
    for (const std::shared_ptr<Stream>& other : context_->streams_)
      if (other->options_.blocking) other->append_open(after);
  } else if (context_->default_stream_ != nullptr) {
    context_->default_stream_->append_open(after);
  }
}

std::vector<uint64_t> Stream::numbers_before() const {
  std::vector<uint64_t> numbers;
  const auto add = [&](const Stream& stream) {
    if (stream.last_number_ != 0) numbers.push_back(stream.last_number_);
  };
  add(*this);
  if (!options_.blocking) return numbers;
  if (is_default_) {
    for (const std::shared_ptr<Stream>& other : context_->streams_)
      if (other->options_.blocking) add(*other);
  } else if (context_->default_stream_ != nullptr) {
    add(*context_->default_stream_);
  }
  return numbers;
}

// Counted many at a time: who drops the tasks counts, too.
LaneRef Stream::own_lane() {
  if (lane_copies_.empty()) lane_copies_.assign(32, lane_);
  LaneRef lane = std::move(lane_copies_.back());
  lane_copies_.pop_back();
  return lane;
}

TaskRef Stream::submit_locked(OperationRef operation, const SubmitOptions& extra, bool barrier) {
  std::vector<TaskRef>& after = context_->after_;
  after.assign(extra.after.begin(), extra.after.end());
  if (options_.in_order || barrier) {
    append_open(after);
  } else if (last_ != nullptr) {
    after.push_back(last_);
  }
  after_others(after);
  context_->append_holds(after);
  auto task = make_recycled<Task>(own_lane(), std::move(operation));
  task->inherits_errors = extra.inherits_errors;
  if (const Watchers& watchers = context_->system().watchers(); watchers.any()) [[unlikely]]
    task->set_submission(watchers.submission(*this, after, numbers_before(), task->operation() != nullptr));
  if (task->operation() != nullptr && task->operation()->is_launch()) task->slots = &context_->device().slots;
  if ((options_.in_order || barrier) && task->submission() != nullptr) [[unlikely]]
    last_number_ = task->submission()->number;
  if (options_.in_order) {
    last_ = task;
  } else if (barrier) {
    open_.clear();
    last_ = task;
  } else {
    open_.push_back(task);
  }
  context_->system().scheduler().submit(task, after);
  after.clear();
  return task;
}

Outcome<TaskRef> Stream::submit(OperationRef operation, SubmitOptions& extra, bool barrier) {
  if (Done state = context_->check(); !state) return state.error();
  TaskRef task;
  {
    const std::lock_guard lock(context_->order_);
    if (destroyed_) return error(ErrorCode::invalid_handle, "the stream was destroyed");
    if (recorder_ != nullptr) {
      if (Done added = recorder_->add(*this, operation, extra.after); !added) return added.error();
      return TaskRef();
    }
    task = submit_locked(std::move(operation), extra, barrier);
  }
  // Without the lock, because a callback may submit more.
  for (auto& callback : extra.callbacks) context_->system().scheduler().on_done(task, std::move(callback));
  return task;
}

Outcome<TaskRef> Stream::mark_behind_all() {
  std::vector<TaskRef> before;
  {
    const std::lock_guard lock(context_->order_);
    append_open(before);
  }
  SubmitOptions extra;
  extra.after = before;
  return mark(std::move(extra));
}

Done Stream::host_call(std::function<void()> function) {
  auto task = submit(
      std::make_shared<HostCall>([function = std::move(function)](const Done&) { function(); }, false));
  if (!task) return task.error();
  return Unit{};
}

Done Stream::host_callback(std::function<void(const Done&)> function) {
  auto task = submit(std::make_shared<HostCall>(std::move(function), true));
  if (!task) return task.error();
  return Unit{};
}

Done Stream::wait(const Event& event) {
  const TaskRef reached = event.last();
  if (reached == nullptr) return context_->check();
  const TaskRef after[] = {reached};
  SubmitOptions extra;
  extra.after = after;
  auto task = mark(std::move(extra));
  if (!task) return task.error();
  return Unit{};
}

Done Stream::may_wait() const {
  if (Scheduler::current() != nullptr)
    return error(ErrorCode::not_permitted, "a host callback cannot wait for a stream");
  const std::lock_guard lock(context_->order_);
  if (recorder_ != nullptr)
    return error(ErrorCode::not_permitted, "a stream that is being captured cannot be waited for");
  if (destroyed_) return error(ErrorCode::invalid_handle, "the stream was destroyed");
  return Unit{};
}

Done Stream::synchronize() {
  if (Done may = may_wait(); !may) return may;
  std::vector<TaskRef> tasks;
  std::vector<uint64_t> numbers;
  {
    const std::lock_guard lock(context_->order_);
    append_open(tasks);
    if (is_default_) after_others(tasks);
    // Not what else this stream's next task would come behind: nobody has waited for that.
    numbers = is_default_ ? numbers_before() : std::vector<uint64_t>(1, last_number_);
    for (const TaskRef& task : tasks)
      if (task->submission() != nullptr) numbers.push_back(task->submission()->number);
  }
  for (const TaskRef& task : tasks) context_->system().scheduler().wait(task);
  context_->system().host_waited(numbers);
  context_->flush_output();
  return context_->result();
}

Done Stream::query() {
  if (Done state = context_->check(); !state) return state;
  context_->system().scheduler().host_asks();
  const std::lock_guard lock(context_->order_);
  if (recorder_ != nullptr)
    return error(ErrorCode::not_permitted, "a stream that is being captured cannot be asked");
  std::vector<TaskRef> tasks;
  append_open(tasks);
  if (!tasks.empty()) return error(ErrorCode::not_ready, "the stream has work");
  context_->system().host_waited(is_default_ ? numbers_before() : std::vector<uint64_t>(1, last_number_));
  return context_->result();
}

void Stream::destroy() {
  const std::lock_guard lock(context_->order_);
  if (is_default_ || destroyed_) return;
  destroyed_ = true;
  context_->system().watchers().tell([this](Watcher& watcher) { watcher.stream_ended(*this); });
  context_->forget(*this);
}

void Stream::record_to(std::shared_ptr<Recorder> recorder) {
  const std::lock_guard lock(context_->order_);
  recorder_ = std::move(recorder);
}

std::shared_ptr<Recorder> Stream::recorder() const {
  const std::lock_guard lock(context_->order_);
  return recorder_;
}

}  // namespace heddle::runtime
