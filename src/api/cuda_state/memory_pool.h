// Where stream-ordered allocations come from (cudaMemPool_t): what is counted, and what is kept for later.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "api/cuda_state/stream.h"
#include "runtime/physical_memory.h"

namespace heddle::cuda {

class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  using Token = std::shared_ptr<runtime::PhysicalMemory>;

  static std::shared_ptr<MemoryPool> create(Device& device, uint64_t max_bytes = 0);
  // One that other processes can be given.
  static Answer<std::shared_ptr<MemoryPool>> create_for_others(Device& device, uint64_t max_bytes);
  // Another process's, from which this one only has what that one allocates.
  static std::shared_ptr<MemoryPool> import(Device& device, Token token);
  MemoryPool(Device& device, uint64_t max_bytes, Token token, bool imported)
      : device_(device), max_bytes_(max_bytes), token_(std::move(token)), imported_(imported) {}

  Device& device() const { return device_; }
  // What stands for the pool between processes, if anything may.
  const Token& token() const { return token_; }
  bool is_imported() const { return imported_; }
  uint64_t handle();
  Status destroy();

  // In the stream's order, usable at once.
  Answer<uint64_t> allocate(Stream& stream, uint64_t bytes);

  struct Usage {
    uint64_t reserved = 0, reserved_high = 0, used = 0, used_high = 0;
  };
  Usage usage() const;
  void reset_high(bool reserved, bool used);

  // What the program set: told again.
  struct Settings {
    uint64_t release_threshold = 0;
    int reuse_follow_event = 1, reuse_opportunistic = 1, reuse_internal = 1;
  };
  Settings settings() const;
  void set(const Settings& settings);

  // Whose allocation begins there, if it is a pool's.
  static std::shared_ptr<MemoryPool> of(uint64_t address);
  // The pool of an allocation gives it back; false: it is of no pool.
  static bool freed(Process& process, uint64_t address);

 private:
  void gone(uint64_t bytes);

  Device& device_;
  const uint64_t max_bytes_;
  const Token token_;
  const bool imported_;
  uint64_t handle_ = 0;
  mutable std::mutex mutex_;
  Settings settings_;
  Usage usage_;
};

// In the stream's order: memory of a pool, here or in another process, or of cudaMalloc.
Status free_in_order(Stream& stream, uint64_t address);
// When the device is idle: the same, or managed memory.
Status free_when_idle(Context& context, uint64_t address);

}  // namespace heddle::cuda
