#include "support/fault_signals.h"

#include <setjmp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

namespace heddle {

namespace {

constexpr std::size_t signal_count = std::size(fault_signals);
// How often a program may replace us. After that we stay below.
constexpr std::size_t most_generations = 32;
constexpr std::size_t most_takers = 8;

// ---- copies and looks
constinit thread_local sigjmp_buf* guard = nullptr;

bool leave_guarded(int number, siginfo_t* info, void*) {
  if (guard == nullptr || info->si_code <= 0 || (number != SIGSEGV && number != SIGBUS)) return false;
  sigjmp_buf* where = guard;
  guard = nullptr;
  siglongjmp(*where, 1);
}

// `body` has nothing to clean up.
template <class Body>
__attribute__((noinline)) bool guarded(const Body& body) {
  sigjmp_buf here;
  sigjmp_buf* const outer = guard;
  if (sigsetjmp(here, handlers_change_the_mask) != 0) {
    guard = outer;
    return false;
  }
  guard = &here;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  body();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  guard = outer;
  return true;
}

// One byte of each page, and the last.
template <class Touch>
bool touches(std::byte* begin, std::size_t bytes, Touch touch) {
  constexpr uintptr_t page = 4096;
  if (bytes == 0) return true;
  if (reinterpret_cast<uintptr_t>(begin) + bytes - 1 < reinterpret_cast<uintptr_t>(begin)) return false;
  keep_fault_handlers();
  return guarded([&] {
    touch(begin);
    std::byte* const last = begin + bytes - 1;
    for (std::size_t at = page - reinterpret_cast<uintptr_t>(begin) % page; at < bytes; at += page)
      touch(begin + at);
    touch(last);
  });
}

// ---- handlers
class Handlers {
 public:
  static Handlers& get() {
    static Handlers& handlers = *new Handlers;  // for ever: code may fault while the process ends
    return handlers;
  }
  // For the handlers, which must not run into the lock of a function's static.
  static std::atomic<Handlers*>& installed() {
    static constinit std::atomic<Handlers*> handlers{nullptr};
    return handlers;
  }

  void add(FaultTaker taker) {
    const std::lock_guard lock(mutex_);
    const std::size_t count = taker_count_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < count; ++i)
      if (takers_[i] == taker) return;
    if (count == most_takers) return;
    takers_[count] = taker;
    taker_count_.store(count + 1, std::memory_order_release);
  }

  void keep() {
    struct sigaction now;
    if (sigaction(fault_signals[0], nullptr, &now) == 0 && is_ours(now)) return;
    const std::lock_guard lock(mutex_);
    install();
  }

 private:
  using Row = std::array<struct sigaction, signal_count>;

  Handlers() {
    takers_[0] = leave_guarded;
    taker_count_.store(1, std::memory_order_relaxed);
    installed().store(this, std::memory_order_release);
    install();
  }

  template <std::size_t generation>
  static void entry(int number, siginfo_t* info, void* state) {
    installed().load(std::memory_order_acquire)->handle(generation, number, info, state);
  }
  template <std::size_t... generation>
  static constexpr auto entries_of(std::index_sequence<generation...>) {
    return std::array{&entry<generation>...};
  }
  static const auto& entries() {
    static constexpr auto all = entries_of(std::make_index_sequence<most_generations>());
    return all;
  }

  static bool is_ours(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 &&
           std::ranges::find(entries(), action.sa_sigaction) != entries().end();
  }
  static bool is_same(const struct sigaction& a, const struct sigaction& b) {
    return (a.sa_flags & SA_SIGINFO) == (b.sa_flags & SA_SIGINFO) && a.sa_handler == b.sa_handler;
  }

  void install() {
    if (generation_ == most_generations) return;
    Row& before = before_[generation_];
    for (std::size_t i = 0; i < signal_count; ++i) {
      struct sigaction& now = before[i];
      sigaction(fault_signals[i], nullptr, &now);
      // Ours that is still there, or that a program put back: what this generation takes is below that one's.
      if (is_ours(now)) {
        const auto place = std::ranges::find(entries(), now.sa_sigaction) - entries().begin();
        now = before_[static_cast<std::size_t>(place)][i];
        continue;
      }
      // A program set the same handler again: what it now passes on to may be ours that passes on to it.
      for (std::size_t older = 1; older < generation_; ++older)
        if (is_same(before_[older][i], now)) before_[older][i] = before_[0][i];
    }
    struct sigaction ours{};
    sigemptyset(&ours.sa_mask);
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ours.sa_sigaction = entries()[generation_];
    ++generation_;
    for (const int number : fault_signals) sigaction(number, &ours, nullptr);
  }

  void handle(std::size_t generation, int number, siginfo_t* info, void* state) {
    for (std::size_t i = taker_count_.load(std::memory_order_acquire); i-- > 0;)
      if (takers_[i](number, info, state)) return;
    const auto which = std::ranges::find(fault_signals, number) - std::begin(fault_signals);
    pass_signal_on(before_[generation][static_cast<std::size_t>(which)], number, info, state);
  }

  std::mutex mutex_;  // of install() and add()
  std::array<FaultTaker, most_takers> takers_{};
  std::atomic<std::size_t> taker_count_{0};
  std::array<Row, most_generations> before_{};
  std::size_t generation_ = 0;  // the next one's number
};

}  // namespace

void take_faults(FaultTaker taker) { Handlers::get().add(taker); }

void keep_fault_handlers() { Handlers::get().keep(); }

void pass_signal_on(const struct sigaction& to, int number, siginfo_t* info, void* state) {
  if ((to.sa_flags & SA_SIGINFO) != 0) return to.sa_sigaction(number, info, state);
  if (to.sa_handler != SIG_DFL && to.sa_handler != SIG_IGN) return to.sa_handler(number);
  // The default action, for a signal that cannot be ignored: the instruction faults again.
  struct sigaction fatal{};
  fatal.sa_handler = SIG_DFL;
  sigaction(number, &fatal, nullptr);
  if (info->si_code <= 0) raise(number);
}

bool copy_if_mapped(void* to, const void* from, std::size_t bytes) {
  return guarded([=] { std::memmove(to, from, bytes); });
}

// What a touch reads is not looked at, and what it writes is what it found: it may come while others use the
// memory. In assembly, since compilers drop what changes nothing, and ThreadSanitizer takes it for a race.
bool can_be_read(const void* from, std::size_t bytes) {
  return touches(static_cast<std::byte*>(const_cast<void*>(from)), bytes, [](const std::byte* byte) {
    std::byte value;
    asm volatile("movb %1, %0" : "=q"(value) : "m"(*byte));
  });
}

bool can_be_written(void* to, std::size_t bytes) {
  return touches(static_cast<std::byte*>(to), bytes, [](std::byte* byte) {
    asm volatile("lock orb $0, %0" : "+m"(*byte) : : "cc");
  });
}

}  // namespace heddle
