// A stream as programs see it: a handle, or one of the two that always are there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "api/cuda_state/context.h"
#include "api/cuda_state/launch_attributes.h"
#include "runtime/stream.h"

namespace heddle::cuda {

class Capture;

// Handles that stand for streams without being created (CUDA Runtime API, "Stream synchronization behavior").
inline constexpr uint64_t legacy_stream_handle = 1, thread_stream_handle = 2;

// cudaDeviceGetStreamPriorityRange, on devices that have priorities; the least urgent is 0.
inline constexpr int greatest_stream_priority = -5;

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  // With a handle, which keeps its context alive.
  static Answer<StreamRef> create(const ContextRef& context, bool blocking, int priority);
  // A context's own.
  Stream(Context& context, std::shared_ptr<runtime::Stream> runtime, ContextRef keep = nullptr);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Context& context() const { return context_; }
  runtime::Stream& runtime() const { return *runtime_; }
  uint64_t handle() const { return handle_; }
  uint64_t id() const { return id_; }  // never used twice
  bool blocking() const { return runtime_->options().blocking; }
  bool legacy() const { return runtime_->is_default(); }
  int priority() const { return runtime_->options().priority; }

  // What the program asks for; while streams are captured it may not, unless they are relaxed.
  Status synchronize();
  Status query();
  Status finish();  // as a part of another call
  // The handle means nothing any more; work that was submitted still runs.
  Status destroy();

  // ---- capture (capture.h)
  bool capturing() const { return capturing_.load(std::memory_order_acquire); }
  std::shared_ptr<Capture> capture() const;
  void set_capture(std::shared_ptr<Capture> capture);

  // What the program set, to be told again.
  LaunchAttributes attributes() const;
  void set_attributes(LaunchAttributes attributes);

 private:
  Context& context_;
  const ContextRef keep_;
  const std::shared_ptr<runtime::Stream> runtime_;
  const uint64_t id_;
  uint64_t handle_ = 0;
  std::atomic<bool> capturing_{false};
  mutable std::mutex mutex_;
  std::shared_ptr<Capture> capture_;
  LaunchAttributes attributes_;
};

// What a handle stands for in a context that is current; 0 is the legacy stream, or in calls of per-thread
// variants the thread's own.
Answer<StreamRef> find_stream(const ContextRef& current, const void* handle);

}  // namespace heddle::cuda
