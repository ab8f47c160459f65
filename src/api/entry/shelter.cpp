#include "api/entry/shelter.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_OWN_STACKS 0  // it knows of no other stacks than the threads'
#endif
#endif
#if !defined(HEDDLE_OWN_STACKS) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define HEDDLE_OWN_STACKS 1
#endif

#if HEDDLE_OWN_STACKS
extern "C" void* __libc_stack_end;  // NOLINT: the C library's name for where the first thread's stack begins
#endif

namespace heddle::entry {

namespace {

#if HEDDLE_OWN_STACKS

// What compiling a kernel takes, with some to spare; what a thread has by default.
constexpr std::size_t least_room = std::size_t{512} << 10, stack_bytes = std::size_t{8} << 20;

// rdi: the top of the stack, rsi: what to call there, rdx: its argument. Debuggers find the caller through
// rbp.
asm(R"(
.pushsection .text.heddle_call_on_stack,"ax",@progbits
.globl heddle_call_on_stack
.hidden heddle_call_on_stack
.type heddle_call_on_stack,@function
.p2align 4
heddle_call_on_stack:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rdi, %rsp
  movq %rdx, %rdi
  callq *%rsi
  movq %rbp, %rsp
  popq %rbp
  .cfi_def_cfa %rsp, 8
  retq
  .cfi_endproc
.size heddle_call_on_stack, .-heddle_call_on_stack
.popsection
)");
extern "C" void heddle_call_on_stack(void* top, void (*function)(void*), void* argument);

struct Extent {
  uintptr_t begin = 0, end = 0;
  bool contains(uintptr_t address) const { return address - begin < end - begin; }
};

uintptr_t stack_pointer() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

Extent stack_of_thread() {
  Extent extent;
  // The first thread's grows; asking the C library for it means reading all mappings. Its limit is for the
  // program's arguments as well, which lie above.
  if (syscall(SYS_gettid) == getpid()) {
    constexpr uintptr_t arguments = std::size_t{128} << 10;
    rlimit limit{};
    extent.end = reinterpret_cast<uintptr_t>(__libc_stack_end);
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < extent.end - arguments)
      extent.begin = extent.end - limit.rlim_cur + arguments;
    return extent;
  }
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return extent;
  void* begin = nullptr;
  std::size_t bytes = 0, guard = 0;
  if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0 &&
      pthread_attr_getguardsize(&attributes, &guard) == 0)
    extent = {reinterpret_cast<uintptr_t>(begin) + guard, reinterpret_cast<uintptr_t>(begin) + bytes};
  pthread_attr_destroy(&attributes);
  return extent;
}

// Of a thread, once it needed one.
class OwnStack {
 public:
  OwnStack() = default;
  ~OwnStack() {
    thread_ends_ = true;
    give_back();
  }
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;
  void* top() {
    if (memory_ == nullptr) {
      void* const memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
      if (memory == MAP_FAILED) return nullptr;
      mprotect(memory, guard_bytes, PROT_NONE);
      memory_ = static_cast<std::byte*>(memory);
    }
    return memory_ + stack_bytes;
  }
  void give_back() {
    if (memory_ != nullptr) munmap(std::exchange(memory_, nullptr), stack_bytes);
  }
  // The program's own destructors may call, and find it gone.
  bool thread_ends() const { return thread_ends_; }
  bool contains(uintptr_t address) const {
    return memory_ != nullptr && address - reinterpret_cast<uintptr_t>(memory_) < stack_bytes;
  }

 private:
  static constexpr std::size_t guard_bytes = std::size_t{64} << 10;
  std::byte* memory_ = nullptr;
  bool thread_ends_ = false;
};

bool has_room(const OwnStack& own) {
  static thread_local const Extent extent = stack_of_thread();
  const uintptr_t here = stack_pointer();
  return (extent.contains(here) && here - extent.begin >= least_room) || own.contains(here);
}

void run(const Body<void>& body) {
  static thread_local OwnStack own;
  void* top = nullptr;
  if (has_room(own) || (top = own.top()) == nullptr) {
    body();
    return;
  }
  heddle_call_on_stack(
      top, [](void* what) { (*static_cast<const Body<void>*>(what))(); },
      const_cast<Body<void>*>(&body));  // NOLINT: read only
  if (own.thread_ends()) own.give_back();
}

#else

void run(const Body<void>& body) { body(); }

#endif

}  // namespace

void sheltered(Body<void> body) {
  // The type, too: a signal of glibc's that was sent before the state changed asks for the type alone.
  int before = PTHREAD_CANCEL_ENABLE, type = PTHREAD_CANCEL_DEFERRED;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  run(body);
  if (before == PTHREAD_CANCEL_ENABLE) pthread_setcancelstate(before, nullptr);
  // A thread whose cancellation is asynchronous may end here.
  if (type != PTHREAD_CANCEL_DEFERRED) pthread_setcanceltype(type, nullptr);
}

}  // namespace heddle::entry
