#include "api/entry/listen.h"

#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

namespace heddle::entry {

constinit std::atomic<bool> detail::anybody{false};

namespace {

using List = std::vector<std::shared_ptr<Listener>>;

// Never destroyed: programs call until the very end of a process.
struct State {
  std::mutex mutex;
  std::shared_ptr<const List> listeners = std::make_shared<const List>();
  std::atomic<uint64_t> next{1};
};
State& state() {
  static State& all = *new State;
  return all;
}

std::shared_ptr<const List> listeners() {
  const std::lock_guard lock(state().mutex);
  return state().listeners;
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void listen(std::shared_ptr<Listener> listener) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  auto list = std::make_shared<List>(*all.listeners);
  list->push_back(std::move(listener));
  all.listeners = std::move(list);
  detail::anybody.store(true, std::memory_order_relaxed);
}

void stop_listening(const Listener& listener) {
  State& all = state();
  std::shared_ptr<const List> before;  // its end comes after the lock's
  const std::lock_guard lock(all.mutex);
  auto list = std::make_shared<List>(*all.listeners);
  std::erase_if(*list, [&](const std::shared_ptr<Listener>& one) { return one.get() == &listener; });
  detail::anybody.store(!list->empty(), std::memory_order_relaxed);
  before = std::exchange(all.listeners, std::move(list));
}

void Heard::begin() {
  number_ = state().next.fetch_add(1, std::memory_order_relaxed);
  before_ = host_call;
  host_call = {number_, record_.name};
  const auto all = listeners();  // whoever stops listening meanwhile is called a last time
  for (const std::shared_ptr<Listener>& listener : *all) listener->began(record_, number_);
  began_ = now();
}

void Heard::ended(int64_t status, bool succeeded, std::string_view outcome, ArgumentList arguments) const {
  const CallFacts facts{.record = record_,
                        .number = number_,
                        .began = began_,
                        .ended = now(),
                        .status = status,
                        .succeeded = succeeded,
                        .outcome = outcome,
                        .arguments = arguments};
  const auto all = listeners();
  for (const std::shared_ptr<Listener>& listener : *all) listener->ended(facts);
}

}  // namespace heddle::entry
