// Which host addresses a guest may touch. The runtime's allocator adds and removes ranges; executors ask.
// Ranges have the granularity of the host's pages, so that both executors (one asks here, one relies on guard
// pages) agree.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle::exec {

class GuestMemory {
 public:
  GuestMemory();
  ~GuestMemory();
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;
  void add(uint64_t begin, uint64_t bytes, bool writable);
  void remove(uint64_t begin);
  // True when [address, address + bytes) lies inside accessible ranges. Lock-free for readers.
  bool accessible(uint64_t address, uint64_t bytes, bool write) const;

 private:
  struct Range {
    uint64_t begin, end;
    bool writable;
  };
  using Table = std::vector<Range>;  // sorted, disjoint
  std::atomic<std::shared_ptr<const Table>> table_;
  std::mutex writers_;
};

}  // namespace heddle::exec
