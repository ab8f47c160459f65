#include "exec/jit/launch/landing.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "exec/jit/launch/host_state.h"
#include "support/fault_signals.h"

namespace heddle::exec::jit {

namespace {

constinit thread_local Landing* current = nullptr;

// ThreadSanitizer keeps a signal from another thread until its thread enters the C library, unless the signal
// is one of those that a thread raises itself.
int highest_interrupt() { return handlers_change_the_mask ? SIGSYS : SIGRTMAX; }
int lowest_interrupt() { return handlers_change_the_mask ? SIGSYS : SIGRTMIN; }

}  // namespace

// Of the process, once.
struct SignalHandlers {
  int interrupt = 0;
  struct sigaction before_interrupt;

  static SignalHandlers& get() {
    static SignalHandlers handlers;
    return handlers;
  }

  SignalHandlers() {
    struct sigaction action{};
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    action.sa_sigaction = on_interrupt;
    // A real-time signal that nobody uses yet, from the top: programs count from the bottom.
    for (int number = highest_interrupt(); number >= lowest_interrupt(); --number) {
      if (sigaction(number, nullptr, &before_interrupt) != 0) continue;
      if ((before_interrupt.sa_flags & SA_SIGINFO) != 0 || before_interrupt.sa_handler != SIG_DFL) continue;
      sigset_t mask;
      if (pthread_sigmask(SIG_SETMASK, nullptr, &mask) == 0 && sigismember(&mask, number) == 1) continue;
      action.sa_flags |= SA_RESTART;  // system calls of helpers go on
      if (sigaction(number, &action, nullptr) == 0) interrupt = number;
      break;
    }
    take_faults(on_fault);
  }

  static void on_interrupt(int number, siginfo_t*, void* state) {
    Landing* landing = current;
    if (landing != nullptr && disarm(*landing)) jump(*landing, number, nullptr, state);
  }

  static bool on_fault(int number, siginfo_t* info, void* state) {
    Landing* landing = current;
    if (landing == nullptr) return false;
    if (number == SIGSEGV && info->si_code == SEGV_ACCERR && lend(*landing, info)) return true;
    // si_code <= 0: somebody sent it.
    if (info->si_code > 0 && disarm(*landing)) jump(*landing, number, info, state);
    return false;
  }

  // Whether the code may be left here. From then on no signal leaves it a second time: an interrupt would
  // come while a fault is on its way out, which under a sanitizer holds locks of the C library.
  static bool disarm(Landing& landing) {
    if (landing.armed_ == 0 || landing.in_helper_ != 0) return false;
    landing.armed_ = 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return true;
  }

  // Then the access is made again.
  static bool lend(const Landing& landing, const siginfo_t* info) {
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    return address >= landing.lent_begin_ && address < landing.lent_end_ &&
           mprotect(reinterpret_cast<void*>(landing.lent_begin_), landing.lent_end_ - landing.lent_begin_,
                    PROT_READ | PROT_WRITE) == 0;
  }

  [[noreturn]] static void jump(Landing& landing, int number, const siginfo_t* info, void* state) {
    Trap& trap = landing.trap_;
    trap.number = number;
    trap.interrupted = info == nullptr;
    trap.has_address =
        info != nullptr && (number == SIGSEGV || number == SIGBUS) && info->si_code != SI_KERNEL;
    trap.address = trap.has_address ? reinterpret_cast<uintptr_t>(info->si_addr) : 0;
    trap.knows_direction = false;
    read_machine_state(*static_cast<const ucontext_t*>(state), trap);
    siglongjmp(landing.jump_, 1);
  }
};

Landing::Landing() {
  const SignalHandlers& handlers = SignalHandlers::get();
  // A thread that blocks SIGSEGV would take the process with it.
  sigset_t ours;
  sigemptyset(&ours);
  for (const int number : fault_signals) sigaddset(&ours, number);
  if (handlers.interrupt != 0) sigaddset(&ours, handlers.interrupt);
  pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
  stack_t old{};
  const std::size_t least =
      std::max<std::size_t>(getauxval(AT_MINSIGSTKSZ), std::size_t{8} << 10) + (std::size_t{24} << 10);
  if (sigaltstack(nullptr, &old) == 0 && (old.ss_flags & SS_DISABLE) == 0 && old.ss_size >= least) return;
  stack_bytes_ = std::max<std::size_t>(least, std::size_t{64} << 10);
  stack_ = mmap(nullptr, stack_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack_ == MAP_FAILED) {
    stack_ = nullptr;
    return;
  }
  stack_t own{};
  own.ss_sp = stack_;
  own.ss_size = stack_bytes_;
  sigaltstack(&own, nullptr);
}

Landing::~Landing() {
  if (stack_ == nullptr) return;
  stack_t now{};
  if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == stack_) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  munmap(stack_, stack_bytes_);
}

// UBSan looks for a function's type in front of it; before machine code of ours there may be no page.
__attribute__((no_sanitize("function"))) bool Landing::run(KernelEntry entry, Context* context,
                                                           uint64_t first, uint64_t count,
                                                           const std::atomic<uint8_t>& stop) {
  trap_.number = 0;
  Landing* const outer = current;  // a service of a running kernel may launch another one
  current = this;
  if (sigsetjmp(jump_, handlers_change_the_mask) != 0) {
    armed_ = 0;
    in_helper_ = 0;
    current = outer;
    return false;
  }
  armed_ = 1;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool start = stop.load(std::memory_order_acquire) == 0;
  if (start) entry(context, first, count);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  armed_ = 0;
  current = outer;
  return start;
}

void Landing::lend_when_touched(const std::byte* begin, uint64_t bytes) {
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(begin);
  lent_begin_ = first / page * page;
  lent_end_ = bytes == 0 ? lent_begin_ : (first + bytes + page - 1) / page * page;
}

void Landing::leave() { siglongjmp(jump_, 1); }

void Landing::interrupt(pid_t thread) {
  if (const int number = SignalHandlers::get().interrupt; number != 0)
    syscall(SYS_tgkill, getpid(), thread, number);
}

pid_t Landing::this_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

}  // namespace heddle::exec::jit
