// A context as programs see it: primary or created, current in some threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "api/cuda_state/device.h"
#include "runtime/context.h"

namespace heddle::cuda {

class Context : public std::enable_shared_from_this<Context> {
 public:
  static Answer<ContextRef> create(Device& device, unsigned flags, bool primary,
                                   const runtime::ContextOptions& options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Device& device() const { return device_; }
  Process& process() const { return device_.process(); }
  const std::shared_ptr<runtime::Context>& runtime() const { return runtime_; }
  uint64_t handle() const { return handle_; }
  uint64_t id() const { return runtime_->id(); }  // never used twice
  bool primary() const { return primary_; }
  bool destroyed() const { return destroyed_.load(std::memory_order_acquire); }
  // Everything of it ends; work that runs is waited for.
  void destroy();
  // What ended it: a fault, or destroy().
  Status check() const;
  Status synchronize();

  const StreamRef& legacy_stream() const { return legacy_stream_; }
  StreamRef thread_stream();

  // A library's code in this context, loaded when it is first asked for.
  Answer<std::shared_ptr<Module>> module_of(Library& library);
  void forget(const Library& library);

  // Of the API; what they say is kept and told, and changes nothing here.
  std::atomic<unsigned> flags{0};
  std::atomic<int> shared_config{0};
  std::atomic<int> attached{0};  // how often cuCtxAttach was called more than cuCtxDetach
  // Limits that are only told again; `usual` until one was set.
  uint64_t advice_limit(int limit, uint64_t usual);
  void set_advice_limit(int limit, uint64_t value);
  // Peers whose memory kernels here may use.
  Status enable_peer(Context& peer);
  Status disable_peer(Context& peer);

 private:
  Context(Device& device, std::shared_ptr<runtime::Context> runtime, bool primary);

  Device& device_;
  const std::shared_ptr<runtime::Context> runtime_;
  const bool primary_;
  uint64_t handle_ = 0;
  std::atomic<bool> destroyed_{false};
  StreamRef legacy_stream_;
  std::mutex mutex_;
  std::unordered_map<const Library*, std::shared_ptr<Module>> modules_;
  std::map<int, uint64_t> advice_limits_;
};

}  // namespace heddle::cuda
