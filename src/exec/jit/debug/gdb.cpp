#include "exec/jit/debug/gdb.h"

#include <cstdint>
#include <mutex>

// The names, the layout and the values are the interface: a debugger sets a breakpoint on the function, and
// reads the list when it is met.
extern "C" {

struct jit_code_entry {
  jit_code_entry *next_entry, *prev_entry;
  const char* symfile_addr;
  uint64_t symfile_size;
};

struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;
  jit_code_entry *relevant_entry, *first_entry;
};

// The debugger reads and sets these behind the compiler's back. Protected: another compiler in the process
// may have its own.
[[gnu::used, gnu::visibility("protected")]] jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
[[gnu::used, gnu::noinline, gnu::visibility("protected")]] void __jit_debug_register_code() {
  asm volatile("" ::: "memory");
}
}

namespace heddle::exec::jit::debug {

namespace {

enum Action : uint32_t { nothing, registers, unregisters };

std::mutex& list() {
  static auto* mutex = new std::mutex;  // code is unloaded at the very end of a process, too
  return *mutex;
}

void tell(Action action, jit_code_entry& entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = nothing;
  __jit_debug_descriptor.relevant_entry = nullptr;
}

class Registered {
 public:
  explicit Registered(std::string file) : file_(std::move(file)) {
    const std::lock_guard lock(list());
    jit_code_entry*& first = __jit_debug_descriptor.first_entry;
    entry_ = {first, nullptr, file_.data(), file_.size()};
    if (first != nullptr) first->prev_entry = &entry_;
    first = &entry_;
    tell(registers, entry_);
  }
  ~Registered() {
    const std::lock_guard lock(list());
    (entry_.prev_entry != nullptr ? entry_.prev_entry->next_entry : __jit_debug_descriptor.first_entry) =
        entry_.next_entry;
    if (entry_.next_entry != nullptr) entry_.next_entry->prev_entry = entry_.prev_entry;
    tell(unregisters, entry_);
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

 private:
  const std::string file_;
  jit_code_entry entry_{};
};

}  // namespace

std::shared_ptr<void> register_with_gdb(std::string symbol_file) {
  return std::make_shared<Registered>(std::move(symbol_file));
}

}  // namespace heddle::exec::jit::debug
