// Streams of a context.
#include "runtime/context.h"
#include "runtime/stream.h"

namespace heddle::runtime {

std::shared_ptr<Stream> Context::default_stream() {
  const std::lock_guard lock(order_);
  if (default_stream_ == nullptr && !destroyed_)
    default_stream_ = std::make_shared<Stream>(shared_from_this(), StreamOptions{}, true);
  return default_stream_;
}

Outcome<std::shared_ptr<Stream>> Context::create_stream(const StreamOptions& options) {
  if (Done state = begin(Site::operation); !state) return state.error();
  auto stream = std::make_shared<Stream>(shared_from_this(), options);
  const std::lock_guard lock(order_);
  // destroy() may have come in between: then nobody would end the stream, and it would keep the context.
  if (destroyed_) return error(ErrorCode::invalid_context, "the context was destroyed");
  streams_.push_back(stream);
  return stream;
}

std::shared_ptr<Stream> Context::thread_stream() {
  const std::lock_guard lock(order_);
  std::shared_ptr<Stream>& stream = thread_streams_[std::this_thread::get_id()];
  if (stream == nullptr && !destroyed_) {
    stream = std::make_shared<Stream>(shared_from_this(), StreamOptions{});
    streams_.push_back(stream);
  }
  return stream;
}

void Context::forget(const Stream& stream) {
  std::erase_if(forgotten_, [](const TaskRef& task) { return task->done(); });
  for (auto it = streams_.begin(); it != streams_.end(); ++it) {
    if (it->get() != &stream) continue;
    (*it)->append_open(forgotten_);
    streams_.erase(it);
    return;
  }
}

std::vector<TaskRef> Context::open_tasks() {
  const std::lock_guard lock(order_);
  return open_tasks_locked();
}

std::vector<TaskRef> Context::open_tasks_locked() {
  std::vector<TaskRef> tasks;
  std::erase_if(forgotten_, [](const TaskRef& task) { return task->done(); });
  tasks = forgotten_;
  if (default_stream_ != nullptr) default_stream_->append_open(tasks);
  for (const std::shared_ptr<Stream>& stream : streams_) stream->append_open(tasks);
  return tasks;
}

std::vector<uint64_t> Context::stream_numbers() {
  std::vector<uint64_t> numbers;
  if (!system_.watchers().any()) return numbers;
  const std::lock_guard lock(order_);
  if (default_stream_ != nullptr) numbers.push_back(default_stream_->last_number_);
  for (const std::shared_ptr<Stream>& stream : streams_) numbers.push_back(stream->last_number_);
  return numbers;
}

Outcome<TaskRef> Context::submit_behind_all(OperationRef operation) {
  if (Done state = begin(Site::operation); !state) return state.error();
  auto task = std::make_shared<Task>(std::make_shared<Lane>(shared_from_this()), std::move(operation));
  const std::lock_guard lock(order_);
  if (destroyed_) return error(ErrorCode::invalid_context, "the context was destroyed");
  std::vector<TaskRef> before = open_tasks_locked();
  append_holds(before);
  forgotten_.push_back(task);
  system_.scheduler().submit(task, before);
  return task;
}

Done Context::hold_until(TaskRef task) {
  if (Done state = begin(Site::operation); !state) return state;
  const std::lock_guard lock(order_);
  holds_.push_back(std::move(task));
  return Unit{};
}

void Context::append_holds(std::vector<TaskRef>& tasks) {
  if (holds_.empty()) return;
  std::erase_if(holds_, [](const TaskRef& task) { return task->done(); });
  tasks.insert(tasks.end(), holds_.begin(), holds_.end());
}

void Context::keep_until_idle(std::shared_ptr<const void> object) {
  if (destroyed_.load(std::memory_order_acquire)) return;
  const std::vector<TaskRef> open = open_tasks();
  if (open.empty()) return;
  auto mark = std::make_shared<Task>(std::make_shared<Lane>(shared_from_this()), nullptr);
  mark->callbacks.emplace_back([kept = std::move(object)](const Task&) {});
  system_.scheduler().submit(mark, open);
}

}  // namespace heddle::runtime
