#include "api/ranges/marks.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

namespace heddle::ranges {

struct Domain {
  std::string name;
  std::map<uint32_t, std::string> categories;
};

namespace {

using List = std::vector<std::shared_ptr<Listener>>;

// Never destroyed: programs call until the very end of a process.
struct State {
  std::mutex mutex;
  std::shared_ptr<const List> listeners = std::make_shared<const List>();
  std::map<std::string, std::unique_ptr<Domain>, std::less<>> domains;
  std::map<uint64_t, Mark> free;  // that are open
  // What nobody has been told yet, as long as nobody has listened; no more than most_early.
  enum class What : uint8_t { began, ended, named };
  std::vector<std::pair<What, Mark>> early;
  bool anybody = false;
  std::atomic<std::size_t> free_count{0};
  std::atomic<uint64_t> next{1};
  Domain unnamed;
};
State& state() {
  static State& all = *new State;
  return all;
}

constexpr std::size_t most_early = 8192;

struct Open {
  Domain* domain;
  Mark mark;
};
// As long as the thread calls; the list of a thread that is ending may be gone already.
thread_local std::vector<Open>* open_here = nullptr;
std::vector<Open>& open_of_thread() {
  if (open_here == nullptr) {
    struct Keeper {
      std::vector<Open> list;
      ~Keeper() { open_here = nullptr; }
    };
    thread_local Keeper keeper;
    open_here = &keeper.list;
  }
  return *open_here;
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void tell_one(Listener& listener, State::What what, const Mark& mark) {
  switch (what) {
    case State::What::began: return listener.range_began(mark);
    case State::What::ended: return listener.range_ended(mark);
    case State::What::named: return listener.thread_named(mark.thread, mark.description.message);
  }
}

void tell(State::What what, const Mark& mark) {
  std::shared_ptr<const List> list;
  {
    State& all = state();
    const std::lock_guard lock(all.mutex);
    if (!all.anybody && all.early.size() < most_early) all.early.emplace_back(what, mark);
    list = all.listeners;
  }
  for (const std::shared_ptr<Listener>& listener : *list) tell_one(*listener, what, mark);
}

Mark begin(Kind kind, Description description) {
  Mark mark;
  mark.kind = kind;
  mark.description = std::move(description);
  mark.id = state().next.fetch_add(1, std::memory_order_relaxed);
  mark.thread = gettid();
  mark.began = mark.ended = now();
  return mark;
}

void finish(Mark mark) {
  mark.ended = now();
  tell(State::What::ended, mark);
}

Domain& valid(Domain* domain) { return domain == nullptr ? state().unnamed : *domain; }

}  // namespace

void listen(std::shared_ptr<Listener> listener) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  // With the lock, so that what is marked meanwhile comes behind.
  for (const auto& [what, mark] : all.early) tell_one(*listener, what, mark);
  all.early = {};
  all.anybody = true;
  auto list = std::make_shared<List>(*all.listeners);
  list->push_back(std::move(listener));
  all.listeners = std::move(list);
}

void stop_listening(const Listener& listener) {
  std::shared_ptr<const List> before;  // its end comes after the lock's
  const std::lock_guard lock(state().mutex);
  auto list = std::make_shared<List>(*state().listeners);
  std::erase_if(*list, [&](const std::shared_ptr<Listener>& one) { return one.get() == &listener; });
  before = std::exchange(state().listeners, std::move(list));
}

bool any_open() {
  return (open_here != nullptr && !open_here->empty()) ||
         state().free_count.load(std::memory_order_relaxed) != 0;
}

std::vector<Mark> open_ranges() {
  std::vector<Mark> all;
  if (open_here != nullptr)
    for (const Open& open : *open_here) all.push_back(open.mark);
  if (state().free_count.load(std::memory_order_relaxed) == 0) return all;
  const std::lock_guard lock(state().mutex);
  for (const auto& [id, mark] : state().free) all.push_back(mark);
  return all;
}

Domain* domain(std::string_view name) {
  const std::lock_guard lock(state().mutex);
  auto found = state().domains.find(name);
  if (found == state().domains.end()) {
    found = state().domains.emplace(name, std::make_unique<Domain>()).first;
    found->second->name = name;
  }
  return found->second.get();
}

void name_category(Domain* domain, uint32_t category, std::string_view name) {
  const std::lock_guard lock(state().mutex);
  valid(domain).categories[category] = name;
}

std::string category_name(const Domain* domain, uint32_t category) {
  if (category == 0) return "";
  const std::lock_guard lock(state().mutex);
  const Domain& of = domain == nullptr ? state().unnamed : *domain;
  const auto found = of.categories.find(category);
  return found == of.categories.end() ? std::to_string(category) : found->second;
}

const std::string& name_of(const Domain* domain) {
  return domain == nullptr ? state().unnamed.name : domain->name;
}

int push(Domain* domain, Description description) {
  std::vector<Open>& open = open_of_thread();
  const auto level = std::ranges::count(open, domain, &Open::domain);
  Mark mark = begin(Kind::thread, std::move(description));
  tell(State::What::began, mark);
  open.push_back({domain, std::move(mark)});
  return static_cast<int>(level);
}

int pop(Domain* domain) {
  std::vector<Open>& open = open_of_thread();
  const auto last =
      std::find_if(open.rbegin(), open.rend(), [&](const Open& one) { return one.domain == domain; });
  if (last == open.rend()) return -1;
  Mark mark = std::move(last->mark);
  open.erase(std::next(last).base());
  finish(std::move(mark));
  return static_cast<int>(std::ranges::count(open, domain, &Open::domain));
}

uint64_t start(Domain*, Description description) {
  Mark mark = begin(Kind::free, std::move(description));
  tell(State::What::began, mark);
  const uint64_t id = mark.id;
  const std::lock_guard lock(state().mutex);
  state().free.emplace(id, std::move(mark));
  state().free_count.store(state().free.size(), std::memory_order_relaxed);
  return id;
}

void end(uint64_t id) {
  Mark mark;
  {
    const std::lock_guard lock(state().mutex);
    const auto found = state().free.find(id);
    if (found == state().free.end()) return;  // the program's mistake; NVTX has no errors
    mark = std::move(found->second);
    state().free.erase(found);
    state().free_count.store(state().free.size(), std::memory_order_relaxed);
  }
  finish(std::move(mark));
}

void moment(Domain*, Description description) {
  const Mark mark = begin(Kind::moment, std::move(description));
  tell(State::What::ended, mark);
}

void name_thread(int32_t thread, std::string_view name) {
  Mark mark;
  mark.thread = thread;
  mark.description.message = name;
  tell(State::What::named, mark);
}

}  // namespace heddle::ranges
