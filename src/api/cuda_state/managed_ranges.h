// What programs say about where managed memory should lie, and the answers when they ask for it again. Memory
// is where both host and devices reach it, so nothing else follows from advice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/cuda_state/handles.h"
#include "api/cuda_state/stream.h"
#include "runtime/allocation.h"

namespace heddle::cuda {

// A place as both APIs number it (cudaMemLocation, CUmemLocation).
struct MemoryPlace {
  static constexpr int nowhere = 0, device = 1, host = 2, host_node = 3, nearest_host_node = 4;  // types
  static constexpr int host_id = -1, no_id = -2;  // cudaCpuDeviceId, cudaInvalidDeviceId

  int type = nowhere, id = no_id;

  // Of the older functions, which have a device's number or the host's.
  static MemoryPlace of(int device_or_host);
  template <class Location>
  static MemoryPlace from(const Location& location) {
    return {static_cast<int>(location.type), static_cast<int>(location.id)};
  }
  // For the older queries: a device's number, the host's, or none.
  int number() const;
  bool operator==(const MemoryPlace&) const = default;
};

// Of every allocation: what holds for its pages from an address on, until the next. Advice is for whole pages
// of the host (CUDA Runtime API, cudaMemAdvise).
class ManagedRanges {
 public:
  struct Pages {
    bool read_mostly = false;
    MemoryPlace preferred, prefetched;
    std::set<int> accessed_by;  // devices, and the host
    bool operator==(const Pages&) const = default;
  };

  template <class Change>
  void change(const runtime::AllocationRef& memory, uint64_t address, uint64_t bytes, const Change& change) {
    const std::lock_guard lock(mutex_);
    Runs& runs = runs_of(memory);
    const auto begin = split(runs, first_page(address)), end = split(runs, end_of_pages(address + bytes));
    for (auto run = begin; run != end; ++run) change(run->second);
  }
  // What all of the pages have in common, seen one run after another.
  template <class Look>
  void look(const runtime::AllocationRef& memory, uint64_t address, uint64_t bytes, const Look& look) {
    const std::lock_guard lock(mutex_);
    Runs& runs = runs_of(memory);
    auto run = runs.upper_bound(first_page(address));
    for (--run; run != runs.end() && run->first < end_of_pages(address + bytes); ++run) look(run->second);
  }

 private:
  using Runs = std::map<uint64_t, Pages>;
  struct Known {
    std::weak_ptr<const runtime::Allocation> memory;
    Runs runs;
  };
  static uint64_t first_page(uint64_t address) { return address & ~(runtime::AddressSpace::page_bytes - 1); }
  static uint64_t end_of_pages(uint64_t end) {
    return first_page(end + runtime::AddressSpace::page_bytes - 1);
  }
  static Runs::iterator split(Runs& runs, uint64_t address);
  Runs& runs_of(const runtime::AllocationRef& memory);

  std::mutex mutex_;
  std::map<uint64_t, Known> known_;  // by the allocation's id
};

// ---- calls of both APIs. Advice and attributes have the same numbers in both.
Status advise(const Answer<ContextRef>& context, uint64_t address, uint64_t bytes, int advice,
              MemoryPlace place);
Status prefetch(const Answer<StreamRef>& stream, uint64_t address, uint64_t bytes, MemoryPlace place,
                unsigned flags);
Status range_attribute(const Answer<ContextRef>& context, void* data, std::size_t data_bytes, int attribute,
                       uint64_t address, uint64_t bytes);
template <class Attribute>
Status range_attributes(const Answer<ContextRef>& context, void** data, const std::size_t* data_bytes,
                        const Attribute* attributes, std::size_t count, uint64_t address, uint64_t bytes) {
  if (count == 0) return invalid_value("no attribute is asked for");
  for (std::size_t i = 0; i < count; ++i)
    if (Status told =
            range_attribute(context, data[i], data_bytes[i], static_cast<int>(attributes[i]), address, bytes);
        !told)
      return told;
  return Unit{};
}

// ---- many ranges at once (cudaMemPrefetchBatchAsync). Either all of them are good, or nothing is done.
struct MemoryRange {
  uint64_t address = 0, bytes = 0;
};
// A range that is discarded promises nothing about its bytes; here it keeps them.
Status discard(const Answer<StreamRef>& stream, std::span<const MemoryRange> ranges, uint64_t flags);
// places[i] is for the ranges from first[i] on, until first[i + 1].
Status prefetch(const Answer<StreamRef>& stream, std::span<const MemoryRange> ranges,
                std::span<const MemoryPlace> places, std::span<const std::size_t> first, uint64_t flags);

inline uint64_t number(const void* address) { return number_of(address); }
inline uint64_t number(uint64_t address) { return address; }
template <class Address>
Answer<std::vector<MemoryRange>> ranges_of(const Address* addresses, const std::size_t* bytes,
                                           std::size_t count) {
  if (count == 0) return invalid_value("no range is given");
  if (addresses == nullptr || bytes == nullptr) return invalid_value("a list of the batch is NULL");
  std::vector<MemoryRange> ranges;
  for (std::size_t i = 0; i < count; ++i) {
    if (number(addresses[i]) == 0 || bytes[i] == 0)  // nothing beyond it is read
      return invalid_value("range " + std::to_string(i) + " has " + std::to_string(bytes[i]) + " bytes at " +
                           std::to_string(number(addresses[i])));
    ranges.push_back({number(addresses[i]), bytes[i]});
  }
  return ranges;
}
template <class Address>
Status discard_batch(const Answer<StreamRef>& stream, const Address* addresses, const std::size_t* bytes,
                     std::size_t count, uint64_t flags) {
  auto ranges = ranges_of(addresses, bytes, count);
  return ranges ? discard(stream, *ranges, flags) : Status(ranges.error());
}
template <class Address, class Location>
Status prefetch_batch(const Answer<StreamRef>& stream, const Address* addresses, const std::size_t* bytes,
                      std::size_t count, const Location* places, const std::size_t* first,
                      std::size_t places_count, uint64_t flags) {
  auto ranges = ranges_of(addresses, bytes, count);
  if (!ranges) return ranges.error();
  if (places == nullptr || first == nullptr) return invalid_value("a list of the batch is NULL");
  std::vector<MemoryPlace> all;
  for (std::size_t i = 0; i < places_count; ++i) all.push_back(MemoryPlace::from(places[i]));
  return prefetch(stream, *ranges, all, {first, places_count}, flags);
}

}  // namespace heddle::cuda
