// Every allocation of a system: where it lies, whose it is, and what is counted against which device.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/allocation.h"
#include "runtime/guest_ranges.h"
#include "runtime/physical_memory.h"
#include "runtime/shared_zone.h"
#include "runtime/virtual_range.h"

namespace heddle::runtime {

class Watchers;

// The memory of one device, or of the host; a device's is the host's as well.
class MemoryBudget {
 public:
  // `owner` as messages call it.
  MemoryBudget(std::string owner, uint64_t total, MemoryBudget* within = nullptr)
      : owner_(std::move(owner)), total_(total), within_(within) {}
  Done take(uint64_t bytes);
  void give(uint64_t bytes);
  uint64_t total() const { return total_; }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t left() const;  // of the device's and of the host's, the lesser
  // Where others read how much is used, from now on; stays for ever.
  void show_in(std::atomic<uint64_t>* place);

 private:
  void show() const;

  const std::string owner_;
  const uint64_t total_;
  MemoryBudget* const within_;
  std::atomic<uint64_t> used_{0};
  std::atomic<std::atomic<uint64_t>*> shown_{nullptr};
};

// Where an access behind the end of an allocation faults.
enum class Bounds : uint8_t {
  exact,  // as soon as it is beyond the alignment: what lies there is nobody's
  apart,  // the same, and allocations lie far from one another (AddressSpace::reserve)
  pages,  // as on a device, whose pages of 2 MiB are shared by small allocations and have room behind others
};

struct MemoryRequest {
  MemoryKind kind = MemoryKind::device;
  uint64_t bytes = 0;
  uint64_t alignment = 256;  // a power of two
  Context* owner = nullptr;
  uint64_t owner_id = 0;  // never used twice
  uint32_t device = 0;
  MemoryBudget* budget = nullptr;  // nullptr: not counted
  bool guest_visible = true, every_context = false, read_only = false;
  KernelUse kernel_use = KernelUse::any;
  Region region = Region::high;
  uint32_t flags = 0;
  // What it is a window to, from some byte on, instead of memory of its own.
  std::shared_ptr<PhysicalMemory> backing = nullptr;
  uint64_t backing_offset = 0;
};

// Where other processes find an allocation.
struct SharedPages {
  std::shared_ptr<PhysicalMemory> file;
  uint64_t offset = 0;  // of its first byte
};

// Whether the process has all of these bytes, whoever they are of.
bool is_mapped(uint64_t address, uint64_t bytes);

class Memory {
 public:
  // `watchers` are told of each allocation; nullptr: there are none.
  Memory(AddressSpace& space, GuestRanges& ranges, Bounds bounds = Bounds::exact,
         const Watchers* watchers = nullptr)
      : space_(space),
        ranges_(ranges),
        bounds_(bounds),
        watchers_(watchers),
        own_pages_left_(AddressSpace::piece_budget() / 4) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Outcome<AllocationRef> allocate(const MemoryRequest& request);
  // Addresses only, at `wish` if they are free; of no context.
  Outcome<AllocationRef> reserve(uint64_t bytes, uint64_t alignment, uint64_t wish);
  // The host's own memory from now on belongs to guests too.
  Outcome<AllocationRef> register_host(const MemoryRequest& request, uint64_t address);
  // Kernels may only read it: now its pages say so, too (sealing.h).
  void seal(const AllocationRef& allocation);
  // Its pages become those of a file that other processes can open. Nobody touches it meanwhile.
  Outcome<SharedPages> share(const AllocationRef& allocation, const PhysicalMemory::Label& label);
  // Nobody finds it any more, and kernels that begin later cannot touch it. The memory itself goes with the
  // last reference: work that is still queued holds one.
  void release(const AllocationRef& allocation);
  void release_all(const Context& owner, uint64_t owner_id);

  AllocationRef find(uint64_t address) const;     // that holds the address
  AllocationRef find_at(uint64_t address) const;  // that begins there
  // What holds [address, address + bytes), which the runtime is to copy from (or write to): nullptr when it
  // is the host's own, outside of the reserved space; an error that says why it can be no such memory. One
  // question, because another thread may free the memory between two.
  Outcome<AllocationRef> usable(uint64_t address, uint64_t bytes, bool write = false) const;
  // Another number after each allocation and release; never 0.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  // Whether any allocation lies so close to the address, or there.
  bool any_within(uint64_t address, uint64_t distance) const;
  // "0x... lies 16 bytes into an allocation of 4096 bytes", "... was freed before": for messages.
  std::string describe(uint64_t address) const;

 private:
  // An allocation with what is given back when the last reference goes.
  struct Owned : Allocation {
    Mapping mapping;             // of its own; else bytes is 0
    SharedZone* zone = nullptr;  // that it is a piece of, with so many bytes
    uint64_t piece_bytes = 0;
    MemoryBudget* budget = nullptr;
    uint64_t charged = 0;
    mutable std::shared_ptr<PhysicalMemory> backing;  // under `sharing_`, once it is made
    std::unique_ptr<VirtualRange> pieces;             // what `range` is
  };
  using Owners = std::map<uint64_t, AllocationRef>;
  struct ZoneKey {
    uint64_t owner_id;
    bool every_context;
    Region region;
    auto operator<=>(const ZoneKey&) const = default;
  };
  std::shared_ptr<Owned> make(const MemoryRequest& request);
  Done place(const MemoryRequest& request, Owned& made);
  Done place_in_zone(const MemoryRequest& request, Owned& made);
  void fence(const MemoryRequest& request, Owned& made) const;
  SharedZone& zone_of(const MemoryRequest& request);
  void tell_allocated(const Allocation& made) const;
  void give_back(const Owned& gone);
  Owners::const_iterator holding(uint64_t address) const;

  AddressSpace& space_;
  GuestRanges& ranges_;
  const Bounds bounds_;
  const Watchers* const watchers_;
  std::atomic<int64_t> own_pages_left_;  // how many more allocations may have a mapping of their own
  std::atomic<uint64_t> next_id_{1}, generation_{1};
  std::mutex sharing_;
  mutable std::shared_mutex mutex_;
  std::map<ZoneKey, std::unique_ptr<SharedZone>> zones_;
  Owners owners_;  // by address
  struct Freed {
    uint64_t address, bytes;
  };
  std::deque<Freed> freed_;  // the latest ones, for messages
};

}  // namespace heddle::runtime
