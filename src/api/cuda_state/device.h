// One device of the process and its primary context, which everybody in the process shares.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "api/cuda_state/process.h"

namespace heddle::cuda {

class Device {
 public:
  Device(Process& process, runtime::Device& device);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Process& process() const { return process_; }
  int ordinal() const { return static_cast<int>(device_.index); }
  const arch::Device& facts() const { return device_.facts; }
  runtime::Device& runtime() const { return device_; }
  uint32_t capability() const { return device_.facts.capability().number(); }

  // ---- the primary context
  // Made when there is none. Who asks so, the runtime API, holds it until a reset.
  Answer<ContextRef> primary();
  ContextRef primary_if_active() const;
  Answer<ContextRef> retain_primary();
  // The last release ends it.
  Status release_primary();
  // Ends it, whoever retains it. The next call that needs it makes a new one.
  Status reset_primary();
  unsigned primary_flags() const;
  // Of the primary context that is made next; those that can change, of the one that there is.
  void set_primary_flags(unsigned flags);

  // ---- where stream-ordered allocations come from
  const std::shared_ptr<MemoryPool>& default_pool() const { return default_pool_; }
  std::shared_ptr<MemoryPool> pool() const;
  Status set_pool(std::shared_ptr<MemoryPool> pool);

 private:
  Answer<ContextRef> primary_locked();

  Process& process_;
  runtime::Device& device_;
  mutable std::mutex mutex_;
  ContextRef primary_;
  bool runtime_holds_ = false;
  unsigned retained_ = 0, flags_ = 0;
  std::shared_ptr<MemoryPool> default_pool_, pool_;
};

}  // namespace heddle::cuda
