// Memory of several devices under one address (CUDA driver API, "Multicast Object Management"): an object
// with as many bytes for each device of its team as memory may be bound to. Who holds and maps it sees
// physical memory, which nobody can be given rights to: multimem instructions alone reach what is bound (PTX
// ISA 9.7.9.14).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

#include "exec/multimem.h"
#include "runtime/error.h"
#include "runtime/physical_memory.h"

namespace heddle::runtime {

// What is bound, where the host finds it, and what keeps it there.
struct BoundMemory {
  uint64_t address = 0;
  std::shared_ptr<const void> keeps;
};
// Mapped for the host besides its other places.
Outcome<BoundMemory> open_for_binding(const std::shared_ptr<PhysicalMemory>& memory, uint64_t offset,
                                      uint64_t bytes);

class Multicast {
 public:
  Multicast(uint64_t bytes, unsigned devices) : bytes_(bytes), devices_(devices) {}

  // The physical memory that stands for a new one; the object goes with it.
  static Outcome<std::shared_ptr<PhysicalMemory>> create(uint64_t bytes, unsigned devices,
                                                         const PhysicalMemory::Label& label);
  // That some memory stands for; nullptr: it is memory.
  static std::shared_ptr<Multicast> of(const PhysicalMemory& memory);

  Done add_device(uint32_t device);
  // Until the team has all of its devices, which other threads add.
  void wait_for_team() const;
  Done bind(uint32_t device, uint64_t offset, uint64_t bytes, BoundMemory memory);
  // What was bound by one call.
  Done unbind(uint32_t device, uint64_t offset, uint64_t bytes);
  // use(where [offset, offset + bytes) lies, for each device), while nothing is unbound. Why it cannot be, or
  // nothing.
  std::string reach(uint64_t offset, uint32_t bytes, const exec::MultimemServices::Use& use) const;

 private:
  struct Piece {
    uint64_t bytes;
    BoundMemory memory;
  };
  using Pieces = std::map<uint64_t, Piece>;  // by offset
  Outcome<Pieces*> pieces_of(uint32_t device, uint64_t offset, uint64_t bytes);

  const uint64_t bytes_;
  const unsigned devices_;
  mutable std::shared_mutex mutex_;
  mutable std::condition_variable_any grown_;
  std::map<uint32_t, Pieces> team_;
};

}  // namespace heddle::runtime
