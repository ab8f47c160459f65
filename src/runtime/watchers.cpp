#include "runtime/watchers.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "runtime/stream.h"
#include "support/host_call.h"

namespace heddle::runtime {

namespace {
std::atomic<uint64_t> next_submission{1};
}

void Watchers::add(std::shared_ptr<Watcher> watcher) {
  const std::lock_guard lock(mutex_);
  auto list = std::make_shared<List>(*list_);
  list->push_back(std::move(watcher));
  list_ = std::move(list);
  any_.store(true, std::memory_order_relaxed);
}

void Watchers::remove(const Watcher& watcher) {
  std::shared_ptr<const List> before;  // its end comes after the lock's
  const std::lock_guard lock(mutex_);
  auto list = std::make_shared<List>(*list_);
  std::erase_if(*list, [&](const std::shared_ptr<Watcher>& one) { return one.get() == &watcher; });
  any_.store(!list->empty(), std::memory_order_relaxed);
  before = std::exchange(list_, std::move(list));
}

std::shared_ptr<const Watchers::List> Watchers::all() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

std::unique_ptr<const Submission> Watchers::submission(const Stream& stream, std::span<const TaskRef> after,
                                                       std::vector<uint64_t> numbers_before,
                                                       bool works) const {
  if (!any()) [[likely]]
    return nullptr;
  auto made = std::make_unique<Submission>();
  made->number = next_submission.fetch_add(1, std::memory_order_relaxed);
  made->stream = stream.id();
  made->call = host_call.number;
  made->function = host_call.function;
  made->thread = gettid();
  made->works = works;
  made->after = std::move(numbers_before);
  for (const TaskRef& task : after)
    if (task != nullptr && task->submission() != nullptr) made->after.push_back(task->submission()->number);
  std::ranges::sort(made->after);
  made->after.erase(std::ranges::unique(made->after).begin(), made->after.end());
  const std::shared_ptr<const List> watchers = all();
  if (std::ranges::any_of(*watchers, [](const auto& one) { return one->wants_host_stacks(); }))
    made->stack = host_stack();
  for (const std::shared_ptr<Watcher>& watcher : *watchers) watcher->submitted(*made, *stream.context());
  return made;
}

WatchedLaunch::WatchedLaunch(const Watchers& watchers, const LaunchFacts& facts) {
  watchers.tell([&](Watcher& watcher) {
    std::unique_ptr<LaunchWatch> watch = watcher.launch(facts);
    if (watch == nullptr) return;
    if (observe::Observer* observer = watch->observer()) observers_.push_back(observer);
    watches_.push_back(std::move(watch));
  });
  if (observers_.size() > 1) several_.emplace(observers_);
}

observe::Observer* WatchedLaunch::observer() {
  if (several_) return &*several_;
  return observers_.empty() ? nullptr : observers_.front();
}

void WatchedLaunch::ended(const LaunchEnd& end) {
  for (const std::unique_ptr<LaunchWatch>& watch : watches_) watch->ended(end);
}

}  // namespace heddle::runtime
