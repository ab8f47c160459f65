// The memory of a process as kernels may use it: who has which bytes now, who had them, and which of them
// somebody has written.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "runtime/allocation.h"

namespace heddle::checker {

class Area {
 public:
  Area(const runtime::Allocation& allocation, bool watches_writes);
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return begin_ + bytes_; }
  uint64_t bytes() const { return bytes_; }
  runtime::MemoryKind kind() const { return kind_; }
  runtime::KernelUse use() const { return use_; }
  const std::vector<const void*>& stack() const { return stack_; }
  bool watches_writes() const { return written_ != nullptr; }
  // From now on it is used by pieces, which are areas of their own elsewhere.
  void divide() { divided_.store(true, std::memory_order_relaxed); }
  bool is_divided() const { return divided_.load(std::memory_order_relaxed); }

  // Of bytes inside. Several threads may do so at once.
  void write(uint64_t address, uint64_t bytes);
  void unwrite(uint64_t address, uint64_t bytes);
  bool is_written(uint64_t address, uint64_t bytes) const;  // all of them
  bool none_written(uint64_t address, uint64_t bytes) const;
  bool all_written() const { return unwritten_.load(std::memory_order_relaxed) == 0; }

 private:
  const uint64_t begin_, bytes_;
  const runtime::MemoryKind kind_;
  const runtime::KernelUse use_;
  std::vector<const void*> stack_;                    // of who allocated it
  std::unique_ptr<std::atomic<uint64_t>[]> written_;  // a bit each byte; nullptr: all are
  std::atomic<uint64_t> unwritten_{0};                // bytes
  std::atomic<bool> divided_{false};
};

class MemoryAreas {
 public:
  void add(std::shared_ptr<Area> area);
  void remove(uint64_t address);
  // The area that has this address; nullptr: none. Stays right while the caller may use the memory.
  Area* find(uint64_t address) const;
  // The same of memory that others may give back meanwhile.
  std::shared_ptr<Area> hold(uint64_t address) const;
  struct Near {
    std::shared_ptr<const Area> area;
    bool gone = false;  // it was freed
  };
  std::optional<Near> nearest(uint64_t address) const;  // what a stray access was meant for, most likely
  std::vector<std::shared_ptr<const Area>> all() const;
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

 private:
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Area>> areas_;
  std::map<uint64_t, std::shared_ptr<Area>> gone_;
  std::atomic<uint64_t> generation_{1};
};

}  // namespace heddle::checker
