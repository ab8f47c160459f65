#include "api/cuda_state/thread.h"

#include <unistd.h>

#include <numeric>
#include <optional>
#include <utility>

namespace heddle::cuda {
namespace {

Failure no_context() { return failure(Code::invalid_context, "no context is current in this thread"); }

// A primary context that was reset goes on as the new one of its device.
Answer<ContextRef> revived(ContextRef& slot) {
  if (!slot->destroyed()) return slot;
  if (!slot->primary()) return failure(Code::context_is_destroyed, "the current context was destroyed");
  auto fresh = slot->device().primary();
  if (fresh) slot = *fresh;
  return fresh;
}

// Where a program names no device, the context comes on the first that takes it: in exclusive mode one that
// nobody uses (Best Practices Guide 8.3).
Answer<ContextRef> any_primary(ThreadState& state) {
  std::vector<int> candidates = state.valid_devices;
  if (candidates.empty()) {
    candidates.resize(Process::get().devices().size());
    std::iota(candidates.begin(), candidates.end(), 0);
  }
  std::optional<Failure> first;
  for (const int candidate : candidates) {
    auto device = Process::get().device(candidate);
    if (!device) return device.error();
    auto primary = (*device)->primary();
    if (primary) state.device = candidate;
    if (primary || primary.error().code != Code::device_unavailable) return primary;
    if (!first) first = primary.error();
  }
  return *first;
}

}  // namespace

namespace {

// Programs call from destructors of static objects, when those of the main thread's variables have run: what
// the thread has is behind a pointer, which is good to the end, and that of the main thread is never
// destroyed.
thread_local ThreadState* own_state = nullptr;

struct Ending {
  ~Ending() {
    if (gettid() == getpid()) return;
    delete own_state;
    own_state = nullptr;
  }
};

ThreadState& make_state() {
  thread_local const Ending ending;
  own_state = new ThreadState;
  return *own_state;
}

}  // namespace

ThreadState& thread() { return own_state != nullptr ? *own_state : make_state(); }

Answer<ContextRef> current_context() {
  ThreadState& state = thread();
  if (state.contexts.empty() || state.contexts.back() == nullptr) return no_context();
  const ContextRef& top = state.contexts.back();
  if (top->destroyed() && !top->primary())
    return failure(Code::context_is_destroyed, "the current context was destroyed");
  return revived(state.contexts.back());
}

Answer<ContextRef> runtime_context() {
  ThreadState& state = thread();
  if (!state.contexts.empty() && state.contexts.back() != nullptr) return revived(state.contexts.back());
  auto device = Process::get().device(state.device);
  if (!device) return device.error();
  auto primary = state.device_chosen ? (*device)->primary() : any_primary(state);
  if (primary) set_current(*primary);
  return primary;
}

ContextRef current_context_if_any() {
  ThreadState& state = thread();
  if (state.contexts.empty() || state.contexts.back() == nullptr) return nullptr;
  return state.contexts.back()->destroyed() ? nullptr : state.contexts.back();
}

void set_current(const ContextRef& context) {
  std::vector<ContextRef>& contexts = thread().contexts;
  if (context == nullptr) {
    if (!contexts.empty()) contexts.pop_back();
  } else if (contexts.empty()) {
    contexts.push_back(context);
  } else {
    contexts.back() = context;
  }
}

void push_current(const ContextRef& context) { thread().contexts.push_back(context); }

Answer<ContextRef> pop_current() {
  std::vector<ContextRef>& contexts = thread().contexts;
  if (contexts.empty()) return no_context();
  ContextRef top = std::move(contexts.back());
  contexts.pop_back();
  return top;
}

int current_device() {
  const ThreadState& state = thread();
  if (state.contexts.empty() || state.contexts.back() == nullptr) return state.device;
  return state.contexts.back()->device().ordinal();
}

// cudaErrorNotReady is an answer and no error: cudaGetLastError() does not report it (CUDA C++ Programming
// Guide, "Error Checking").
Code remember(Code code) {
  if (code != Code::success && code != Code::not_ready) thread().last_error = code;
  return code;
}

Code peek_last_error() { return thread().last_error; }
Code take_last_error() { return std::exchange(thread().last_error, Code::success); }

}  // namespace heddle::cuda
