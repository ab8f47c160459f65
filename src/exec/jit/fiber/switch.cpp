// From one stack to another: the registers that the System V ABI lets a callee keep, and the stack pointer.
// The way back is a jump: a return to where no call came from would be mispredicted every time.
#include <cstring>

#include "exec/jit/fiber/fiber.h"

namespace heddle::exec::jit {

#if defined(__x86_64__)

static_assert(offsetof(Fiber, stack) == 72 && offsetof(Fiber, caller) == 80 && offsetof(Fiber, home) == 88);
static_assert(offsetof(FiberHome, stack) == 0 && offsetof(FiberHome, next) == 8);

extern "C" void heddle_jit_begin_thread();

// rdi: the fiber. heddle_jit_begin_thread is where a new thread goes on first: r12 is its fiber, r13 its
// entry. heddle_jit_want leaves the thread's registers on its stack and asks on the home's own stack, as a
// call there from heddle_jit_enter; so there are no registers to change for who decides.
asm(R"(
.macro heddle_jit_push_kept
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
.endm
.macro heddle_jit_pop_kept
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
.endm
.pushsection .text.heddle_jit_switch,"ax",@progbits
.globl heddle_jit_resume
.type heddle_jit_resume,@function
.p2align 4
heddle_jit_resume:
  leaq 80(%rdi), %rdx
  movq 72(%rdi), %rsi
  jmp 1f
.globl heddle_jit_yield
.type heddle_jit_yield,@function
.p2align 4
heddle_jit_yield:
  leaq 72(%rdi), %rdx
  movq 80(%rdi), %rsi
1:
  heddle_jit_push_kept
  movq %rsp, (%rdx)
  movq %rsi, %rsp
  heddle_jit_pop_kept
  popq %rcx
  jmpq *%rcx
.globl heddle_jit_enter
.type heddle_jit_enter,@function
.p2align 4
heddle_jit_enter:
  heddle_jit_push_kept
  subq $8, %rsp
  movq %rsp, (%rdi)
  movq %rsi, %rax
  jmp 2f
.globl heddle_jit_want
.type heddle_jit_want,@function
.p2align 4
heddle_jit_want:
  heddle_jit_push_kept
  movq %rsp, 72(%rdi)
  movq %rdi, %rsi
  movq 88(%rdi), %rdi
  movq (%rdi), %rsp
  callq *8(%rdi)
  testq %rax, %rax
  jz 3f
2:
  movq 72(%rax), %rsp
  heddle_jit_pop_kept
  popq %rcx
  jmpq *%rcx
3:
  addq $8, %rsp
  heddle_jit_pop_kept
  retq
.globl heddle_jit_begin_thread
.type heddle_jit_begin_thread,@function
.p2align 4
heddle_jit_begin_thread:
  movq %r12, %rdi
  callq *%r13
  ud2
.popsection
.purgem heddle_jit_push_kept
.purgem heddle_jit_pop_kept
)");

void start(Fiber& fiber, ThreadEntry entry, std::byte* top) {
  // As heddle_jit_yield and heddle_jit_want leave a stack: r15, r14, r13, r12, rbx, rbp, where to go on.
  constexpr size_t words = 7;
  uint64_t frame[words + 1] = {0,
                               0,
                               reinterpret_cast<uint64_t>(entry),
                               reinterpret_cast<uint64_t>(&fiber),
                               0,
                               0,
                               reinterpret_cast<uint64_t>(&heddle_jit_begin_thread),
                               0};
  // Before a call the stack is aligned to 16 bytes: so it is when all seven are popped.
  std::byte* at = top - reinterpret_cast<uintptr_t>(top) % 16 - 16 - words * 8;
  std::memcpy(at, frame, sizeof frame);
  fiber.stack = at;
}

#else
#error "threads as fibers need a way to switch stacks on this processor"
#endif

}  // namespace heddle::exec::jit
