#include "runtime/held_work.h"

#include <chrono>
#include <utility>

#include "runtime/scheduler.h"

namespace heddle::runtime {

namespace {

// Since the last that was submitted: then nobody seems to wait.
constexpr std::chrono::milliseconds patience{500};
// For one of an order. A kernel may wait for another one that stands behind it.
constexpr std::chrono::seconds longest{20};

}  // namespace

HeldWork::HeldWork(Scheduler& scheduler, std::shared_ptr<Conductor> conductor)
    : scheduler_(scheduler), conductor_(std::move(conductor)), nobody_waits_([this] { look_after(); }) {}

HeldWork::~HeldWork() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  nobody_waits_.join();
}

void HeldWork::submit(const TaskRef& task, std::span<const TaskRef> after) {
  // Who waits for the one that submits it would wait for this one, too, and not know of it.
  if (Scheduler::current() != nullptr) return scheduler_.submit_now(task, after);
  Item item;
  item.task = task;
  std::vector<TaskRef> before(after.begin(), after.end());
  {
    const std::lock_guard lock(mutex_);
    for (const TaskRef& one : after) {
      if (one == nullptr) continue;
      if (const auto found = numbers_.find(one.get()); found != numbers_.end())
        item.after.push_back(found->second);
      else if (!one->done())
        item.outside.push_back(one);
    }
    if (task->operation() != nullptr) {
      item.gate = std::make_shared<Task>(task->lane(), nullptr);
      scheduler_.hold(item.gate);
      before.push_back(item.gate);
    }
    numbers_[task.get()] = static_cast<uint32_t>(items_.size());
    items_.push_back(std::move(item));
    ++submitted_;
  }
  changed_.notify_one();
  // Without the lock: a mark that is reached at once calls back. That its gate may be open already is no
  // matter.
  scheduler_.submit_now(task, before);
}

std::vector<HeldWork::Item> HeldWork::take() {
  const std::lock_guard lock(mutex_);
  numbers_.clear();
  return std::exchange(items_, {});
}

void HeldWork::open(std::span<const Item> batch) {
  for (const Item& item : batch)
    if (item.gate != nullptr) scheduler_.complete(item.gate, std::nullopt);
}

bool HeldWork::run(const Item& item) {
  struct End {
    std::mutex mutex;
    std::condition_variable changed;
    bool reached = false;
  };
  const auto end = std::make_shared<End>();
  scheduler_.on_done(item.task, [end](const Task&) {
    const std::lock_guard lock(end->mutex);
    end->reached = true;
    end->changed.notify_all();
  });
  scheduler_.complete(item.gate, std::nullopt);
  std::unique_lock lock(end->mutex);
  return end->changed.wait_for(lock, longest, [&] { return end->reached; });
}

void HeldWork::let_go() {
  if (Scheduler::current() != nullptr) return;
  const std::lock_guard one(letting_go_);
  const std::vector<Item> batch = take();
  if (batch.empty()) return;
  for (const uint32_t number : conductor_->order(batch)) {
    if (batch[number].gate == nullptr || run(batch[number])) continue;
    conductor_->gave_up();
    break;
  }
  open(batch);
}

void HeldWork::look_after() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    changed_.wait(lock, [this] { return ending_ || !items_.empty(); });
    const uint64_t seen = submitted_;
    changed_.wait_for(lock, patience, [this] { return ending_ || items_.size() >= most_items; });
    if (ending_ || items_.empty() || (seen != submitted_ && items_.size() < most_items)) continue;
    lock.unlock();
    const std::vector<Item> batch = take();
    conductor_->missed(batch);
    open(batch);
    lock.lock();
  }
}

}  // namespace heddle::runtime
