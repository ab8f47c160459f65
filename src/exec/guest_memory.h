// Which host addresses a guest may touch. The runtime's allocator adds and removes ranges; executors ask.
// Ranges count to the byte for the executor that asks here; native code relies on guard pages. Two ranges
// that share a page of 4096 bytes are one there, from the first byte to the last.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
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
  // Ranges must not share a page, except with the same permission.
  void add(uint64_t begin, uint64_t bytes, bool writable);
  void remove(uint64_t begin);
  // True when [address, address + bytes) lies inside accessible ranges. Lock-free.
  bool accessible(uint64_t address, uint64_t bytes, bool write) const;

 private:
  // A page table of three levels over 47 bits of address. A middle entry stands for 16 MiB: what may be done
  // with all of it, or a leaf of 4096 pages. Tables stay until the end, so readers need no lock.
  using Pages = std::atomic<uint8_t>;
  struct Leaf;
  struct Middle;
  struct Range {
    uint64_t end;
    bool writable;
  };
  void set(uint64_t begin, uint64_t end, uint8_t access);
  Leaf& leaf(Middle& middle, uint64_t index);
  std::unique_ptr<std::atomic<Middle*>[]> top_;
  std::vector<std::unique_ptr<Middle>> middles_;
  std::vector<std::unique_ptr<Leaf>> leaves_;
  std::map<uint64_t, Range> ranges_;
  std::mutex writers_;
};

}  // namespace heddle::exec
