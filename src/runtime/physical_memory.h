// Memory without an address: a file in memory, which can be mapped to several places, and by other processes
// that were given its descriptor.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "runtime/error.h"

namespace heddle::runtime {

class MemoryBudget;

class PhysicalMemory {
 public:
  // What the API says about it; whoever gets the descriptor can read it. Never interpreted here.
  using Label = std::array<uint64_t, 16>;

  // Zeros, of which the system keeps only what is written. nullptr as budget: not counted.
  static Outcome<std::unique_ptr<PhysicalMemory>> create(uint64_t bytes, const Label& label,
                                                         MemoryBudget* budget);
  // What another PhysicalMemory, of this process or another, has opened as `descriptor`; keeps its own copy
  // of that.
  static Outcome<std::unique_ptr<PhysicalMemory>> open(int descriptor);
  ~PhysicalMemory();
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;

  uint64_t bytes() const { return bytes_; }
  const Label& label() const { return label_; }
  int descriptor() const { return descriptor_; }
  // The same for everybody who opened it, and for nothing else while it lives.
  uint64_t identity() const { return identity_; }
  // A descriptor that belongs to the caller.
  Outcome<int> duplicate() const;
  // Over the addresses [begin, begin + bytes), which are reserved: readable and writable, or nothing yet.
  Done map(uint64_t begin, uint64_t bytes, uint64_t offset, bool accessible) const;
  // What lies at [begin, begin + bytes()) becomes the contents of fresh memory.
  Done take_contents(uint64_t begin) const;
  // Zeros again, and no memory.
  void discard(uint64_t offset, uint64_t bytes) const;

 private:
  PhysicalMemory(int descriptor, uint64_t bytes) : descriptor_(descriptor), bytes_(bytes) {}
  const int descriptor_;
  const uint64_t bytes_;
  uint64_t identity_ = 0;
  Label label_{};
  MemoryBudget* budget_ = nullptr;
};

}  // namespace heddle::runtime
