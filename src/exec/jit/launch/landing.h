// The way out of native code. Code that faults, or that must end for another reason, is left by a long jump
// to where the run called it: native code has nothing to clean up, and nobody has to ask it.
//
// Three ways lead there: a signal that the code raised itself (SIGSEGV, SIGBUS, SIGFPE, SIGILL), a signal
// that another thread sent (interrupt), and a helper that found a fault. While a helper runs, C++ frames lie
// above the native ones, so signals do not jump then: an interrupt waits until the helper ends, and a fault
// inside a helper is a fault of ours, which goes to whoever handled the signal before
// (support/fault_signals.h).
#pragma once

#include <setjmp.h>
#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "exec/jit/abi/context.h"

namespace heddle::exec::jit {

// What a signal handler saw. `number` 0: no signal.
struct Trap {
  int number = 0;
  uintptr_t pc = 0;
  uintptr_t address = 0;
  bool has_address = false;  // false: the host does not say, the access was of no possible address
  bool knows_direction = false, wrote = false;
  bool interrupted = false;  // nothing wrong: another thread asked for an end
  // x86-64: general registers by their number in instructions, mask registers where there are any.
  uint64_t registers[16] = {};
  uint64_t masks[8] = {};
  bool has_masks = false;
  uintptr_t stack = 0;
};

// One a thread that runs native code.
class Landing {
 public:
  Landing();
  ~Landing();
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;

  // Runs the code. False: it was left by a signal (trap() says which) or by leave(). `stop`: does not start
  // when it is not 0; whoever stores there and then interrupts the thread can be sure that the code ends.
  bool run(KernelEntry entry, Context* context, uint64_t first, uint64_t count,
           const std::atomic<uint8_t>& stop);
  const Trap& trap() const { return trap_; }

  // Memory of the process's own whose pages may be touched from the first access to it on: for what hardly
  // any code uses, so that until then an access there is a fault of the code.
  void lend_when_touched(const std::byte* begin, uint64_t bytes);

  // For helpers, which native code calls on this thread. They nest.
  void begin_helper() {
    in_helper_ = in_helper_ + 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void end_helper() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    in_helper_ = in_helper_ - 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  bool in_helper() const { return in_helper_ != 0; }
  [[noreturn]] void leave();

  // Makes `thread` leave its native code, if it is in some. May come too late or for nothing.
  static void interrupt(pid_t thread);
  static pid_t this_thread();

 private:
  friend struct SignalHandlers;
  sigjmp_buf jump_;
  volatile sig_atomic_t armed_ = 0, in_helper_ = 0;
  Trap trap_;
  uintptr_t lent_begin_ = 0, lent_end_ = 0;  // whole pages
  void* stack_ = nullptr;                    // for the handlers: a stack that overflowed has no room for them
  std::size_t stack_bytes_ = 0;
};

}  // namespace heddle::exec::jit
