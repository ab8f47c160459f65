// What each thread has for itself: its current context, its last error, launches in the making.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "api/cuda_state/context.h"
#include "exec/fault.h"

namespace heddle::cuda {

// Between __cudaPushCallConfiguration and __cudaPopCallConfiguration.
struct CallConfiguration {
  exec::Dim3 grid, block;
  uint64_t shared_bytes = 0;
  void* stream = nullptr;
};

// A kernel that the thread asked for before (Registry::function).
struct FoundFunction {
  const void* stub = nullptr;
  uint64_t context = 0, epoch = 0;
  FunctionRef function;
};

enum class CaptureMode : int { global = 0, thread_local_ = 1, relaxed = 2 };

struct ThreadState {
  std::vector<ContextRef> contexts;  // the last one is current
  int device = 0;                    // of the runtime API, while no context is current
  bool device_chosen = false;        // by cudaSetDevice; else any that is free will do
  std::vector<int> valid_devices;    // then of these, in this order (cudaSetValidDevices); empty: all
  Code last_error = Code::success;
  // The call that runs is a variant (_ptsz, _ptds) whose stream 0 is the thread's own.
  bool per_thread_stream = false;
  std::vector<CallConfiguration> configurations;
  CaptureMode capture_mode = CaptureMode::global;
  // Launches of the same kernels follow each other. By hash of the stub.
  std::array<FoundFunction, 64> functions = {};
  std::vector<StreamRef> streams = {};  // the thread's own, one a context
  // That this thread began and has not ended, and that are not relaxed.
  std::shared_ptr<std::atomic<int>> captures = std::make_shared<std::atomic<int>>(0);
};
ThreadState& thread();

// For the length of one call of a per-thread variant.
class PerThreadStream {
 public:
  PerThreadStream() : before_(thread().per_thread_stream) { thread().per_thread_stream = true; }
  ~PerThreadStream() { thread().per_thread_stream = before_; }
  PerThreadStream(const PerThreadStream&) = delete;
  PerThreadStream& operator=(const PerThreadStream&) = delete;

 private:
  const bool before_;
};

// ---- which context a call works in
// The driver API's: the top of the thread's stack. invalid_context when there is none, context_is_destroyed
// when it is gone.
Answer<ContextRef> current_context();
// The runtime API's: when there is none, the primary context of the thread's device becomes current.
Answer<ContextRef> runtime_context();
// The same without making one; nullptr.
ContextRef current_context_if_any();
// Replaces the top of the stack; nullptr takes it away.
void set_current(const ContextRef& context);
void push_current(const ContextRef& context);
Answer<ContextRef> pop_current();

// The runtime API's device: of the current context, or what cudaSetDevice said.
int current_device();

// ---- the runtime API's last error
// Remembers a failure; what is not one leaves the last error as it is.
Code remember(Code code);
// Forgets it too. Neither looks at the context: a kernel's fault is the last error from the first call on
// that reports it, and may be taken as any other; the calls after it report it again (an H200 does the same,
// also 200 ms after the launch that faults).
Code take_last_error();
Code peek_last_error();

}  // namespace heddle::cuda
