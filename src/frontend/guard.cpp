#include "frontend/guard.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <mutex>

#include "support/escape.h"
#include "support/fault_signals.h"
#include "support/process_end.h"

namespace heddle::frontend {

namespace {

// Templates within templates and long chains of operators recurse deeply; unused pages cost nothing.
constexpr std::size_t most_stack_bytes = std::size_t{256} << 20, least_stack_bytes = std::size_t{8} << 20;
constexpr std::size_t guard_bytes = std::size_t{64} << 10;
constexpr std::size_t signal_stack_bytes = std::size_t{64} << 10;

constexpr int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t crash_signal_count = std::size(crash_signals);

struct Crash {
  sigjmp_buf place;
  int signal = 0;
};
constinit thread_local Crash* current = nullptr;

struct sigaction before[crash_signal_count];

void on_crash(int number, siginfo_t* info, void* state) {
  if (Crash* crash = current; crash != nullptr) {
    current = nullptr;
    crash->signal = number;
    siglongjmp(crash->place, 1);
  }
  for (std::size_t i = 0; i < crash_signal_count; ++i)
    if (crash_signals[i] == number) pass_signal_on(before[i], number, info, state);
}

void install() {
  struct sigaction action{};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = on_crash;
  // What was there before is known before our handler can meet it.
  for (std::size_t i = 0; i < crash_signal_count; ++i) sigaction(crash_signals[i], nullptr, &before[i]);
  for (const int number : crash_signals) sigaction(number, &action, nullptr);
}

struct Work {
  const std::function<void()>& run;
  std::optional<std::string> failure;
};

void run_here(Work& work) {
  Crash crash;
  if (sigsetjmp(crash.place, 1) != 0) {
    const char* name = strsignal(crash.signal);
    work.failure = name != nullptr ? name : "a signal";
    return;
  }
  current = &crash;
  work.failure = with_escape(work.run);
  current = nullptr;
}

void* run_thread(void* argument) {
  void* memory =
      mmap(nullptr, signal_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) {
    stack_t own{};
    own.ss_sp = memory;
    own.ss_size = signal_stack_bytes;
    sigaltstack(&own, nullptr);
  }
  run_here(*static_cast<Work*>(argument));
  if (memory != MAP_FAILED) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory, signal_stack_bytes);
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> guarded(const std::function<void()>& run) {
  static std::once_flag once;
  std::call_once(once, install);
  const LibraryWork library;
  if (!library.may_begin()) return std::string("the process ends");
  Work work{run, std::nullopt};
  const auto map_stack = [](std::size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  };
  // Less where the process may not have so many addresses (ulimit -v).
  std::size_t stack_bytes = most_stack_bytes;
  void* stack = map_stack(stack_bytes);
  while (stack == MAP_FAILED && stack_bytes > least_stack_bytes) stack = map_stack(stack_bytes /= 2);
  if (stack == MAP_FAILED) return std::string("no stack for the compiler: ") + std::strerror(errno);
  mprotect(stack, guard_bytes, PROT_NONE);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, stack_bytes);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, run_thread, &work);
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    work.failure = std::string("no thread for the compiler: ") + std::strerror(failed);
  } else {
    pthread_join(thread, nullptr);
    // Work that did not end has left objects on its stack that others may still point to.
    if (work.failure) return work.failure;
  }
  munmap(stack, stack_bytes);
  return work.failure;
}

}  // namespace heddle::frontend
