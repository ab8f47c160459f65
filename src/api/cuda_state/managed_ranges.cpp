#include "api/cuda_state/managed_ranges.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "api/cuda_state/batch_lists.h"
#include "api/cuda_state/device.h"

namespace heddle::cuda {
namespace {

// As both APIs number them (cudaMemoryAdvise, cudaMemRangeAttribute).
enum class Advice : int {
  set_read_mostly = 1,
  unset_read_mostly,
  set_preferred_location,
  unset_preferred_location,
  set_accessed_by,
  unset_accessed_by,
};
enum class Attribute : int {
  read_mostly = 1,
  preferred_location,
  accessed_by,
  last_prefetch_location,
  preferred_location_type,
  preferred_location_id,
  last_prefetch_location_type,
  last_prefetch_location_id,
};

ManagedRanges& known_ranges() { return Process::get().managed_ranges(); }

// The allocation that a range lies in: what host and devices share, or memory of the host that devices reach.
Answer<runtime::AllocationRef> memory_of(uint64_t address, uint64_t bytes) {
  const auto& memory = Process::get().system().memory();
  runtime::AllocationRef found = memory.find(address);
  const bool shared = found != nullptr && (found->kind == runtime::MemoryKind::managed ||
                                           found->kind == runtime::MemoryKind::registered ||
                                           found->kind == runtime::MemoryKind::variable);
  if (!shared) return invalid_value("no managed memory: " + memory.describe(address));
  if (bytes == 0) return invalid_value("a range of 0 bytes");
  if (!found->holds(address, bytes))
    return invalid_value("a range of " + std::to_string(bytes) + " bytes, its allocation has " +
                         std::to_string(found->end() - address) + " from there on");
  return found;
}

Status known_place(const MemoryPlace& place) {
  switch (place.type) {
    case MemoryPlace::device: return status_of(Process::get().device(place.id));
    case MemoryPlace::host:
    case MemoryPlace::nearest_host_node: return Unit{};
    case MemoryPlace::host_node:
      if (place.id == 0) return Unit{};  // the one that the host shows (cudaDevAttrHostNumaId)
      return invalid_value("no node of the host has the number " + std::to_string(place.id));
    default: return invalid_value("no place has the type " + std::to_string(place.type));
  }
}

}  // namespace

MemoryPlace MemoryPlace::of(int number) {
  if (number == host_id) return {host, host_id};
  return {device, number};
}

int MemoryPlace::number() const {
  if (type == device) return id;
  return type == host ? host_id : no_id;
}

ManagedRanges::Runs::iterator ManagedRanges::split(Runs& runs, uint64_t address) {
  const auto after = runs.upper_bound(address);
  const auto run = std::prev(after);
  if (run->first == address) return run;
  return runs.emplace_hint(after, address, run->second);
}

ManagedRanges::Runs& ManagedRanges::runs_of(const runtime::AllocationRef& memory) {
  const auto found = known_.find(memory->id);
  if (found != known_.end()) return found->second.runs;
  std::erase_if(known_, [](const auto& entry) { return entry.second.memory.expired(); });
  Known& fresh = known_[memory->id];
  fresh.memory = memory;
  fresh.runs.emplace(0, Pages{});
  return fresh.runs;
}

Status advise(const Answer<ContextRef>& context, uint64_t address, uint64_t bytes, int number,
              MemoryPlace place) {
  if (!context) return context.error();
  const auto advice = static_cast<Advice>(number);
  if (advice < Advice::set_read_mostly || advice > Advice::unset_accessed_by)
    return invalid_value("no advice has the number " + std::to_string(number));
  auto memory = memory_of(address, bytes);
  if (!memory) return memory.error();
  const bool names_a_place = advice == Advice::set_preferred_location || advice == Advice::set_accessed_by ||
                             advice == Advice::unset_accessed_by;
  if (names_a_place)
    if (Status known = known_place(place); !known) return known;
  const bool by = advice == Advice::set_accessed_by || advice == Advice::unset_accessed_by;
  if (by && place.number() == MemoryPlace::no_id)
    return invalid_value("who uses memory is a device or the host, no node of it");
  known_ranges().change(*memory, address, bytes, [&](ManagedRanges::Pages& pages) {
    switch (advice) {
      case Advice::set_read_mostly: pages.read_mostly = true; break;
      case Advice::unset_read_mostly: pages.read_mostly = false; break;
      case Advice::set_preferred_location: pages.preferred = place; break;
      case Advice::unset_preferred_location: pages.preferred = {}; break;
      case Advice::set_accessed_by: pages.accessed_by.insert(place.number()); break;
      case Advice::unset_accessed_by: pages.accessed_by.erase(place.number()); break;
    }
  });
  return Unit{};
}

namespace {

// An H100 takes no legacy stream for a batch of ranges, as for one of copies.
Status batch_stream(const Answer<StreamRef>& stream) {
  if (!stream) return stream.error();
  if ((*stream)->legacy())
    return invalid_value("a batch of ranges needs a stream, the legacy one is none for it");
  return Unit{};
}

// "The last location to which the application requested": also of a prefetch that has not begun.
Status prefetch_all(const Answer<StreamRef>& stream, std::span<const MemoryRange> ranges,
                    std::span<const MemoryPlace> places, std::span<const std::size_t> first, uint64_t flags) {
  if (!stream) return stream.error();
  if (flags != 0) return invalid_value("the flags must be 0, are " + std::to_string(flags));
  if (Status good = check_entries(first, ranges.size()); !good) return good;
  for (const MemoryPlace& place : places)
    if (Status known = known_place(place); !known) return known;
  std::vector<runtime::AllocationRef> memory;
  for (const MemoryRange& range : ranges) {
    auto found = memory_of(range.address, range.bytes);
    if (!found) return found.error();
    memory.push_back(*std::move(found));
  }
  EntryOf entry(first);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const MemoryPlace& place = places[entry(i)];
    known_ranges().change(memory[i], ranges[i].address, ranges[i].bytes,
                          [&](ManagedRanges::Pages& pages) { pages.prefetched = place; });
  }
  return Unit{};
}

}  // namespace

Status prefetch(const Answer<StreamRef>& stream, uint64_t address, uint64_t bytes, MemoryPlace place,
                unsigned flags) {
  if (!stream) return stream.error();
  const MemoryRange range = {address, bytes};
  const std::size_t first = 0;
  return prefetch_all(stream, {&range, 1}, {&place, 1}, {&first, 1}, flags);
}

Status prefetch(const Answer<StreamRef>& stream, std::span<const MemoryRange> ranges,
                std::span<const MemoryPlace> places, std::span<const std::size_t> first, uint64_t flags) {
  if (Status good = batch_stream(stream); !good) return good;
  return prefetch_all(stream, ranges, places, first, flags);
}

Status discard(const Answer<StreamRef>& stream, std::span<const MemoryRange> ranges, uint64_t flags) {
  if (Status good = batch_stream(stream); !good) return good;
  if (flags != 0) return invalid_value("the flags must be 0, are " + std::to_string(flags));
  for (const MemoryRange& range : ranges)
    if (auto found = memory_of(range.address, range.bytes); !found) return found.error();
  return Unit{};
}

namespace {

// What every run of pages agrees on; nothing where they differ.
template <class T>
struct Common {
  std::optional<T> value;
  bool differ = false;
  void see(const T& seen) {
    differ = differ || (value && *value != seen);
    value = seen;
  }
  T or_else(T other) const { return differ ? other : value.value_or(other); }
};

}  // namespace

Status range_attribute(const Answer<ContextRef>& context, void* data, std::size_t data_bytes, int number,
                       uint64_t address, uint64_t bytes) {
  if (!context) return context.error();
  if (data == nullptr) return invalid_value("the answer has no place: NULL");
  const auto attribute = static_cast<Attribute>(number);
  if (attribute < Attribute::read_mostly || attribute > Attribute::last_prefetch_location_id)
    return invalid_value("no attribute of a range has the number " + std::to_string(number));
  const bool list = attribute == Attribute::accessed_by;
  if (list ? data_bytes == 0 || data_bytes % sizeof(int) != 0 : data_bytes != sizeof(int))
    return invalid_value("the answer has " + std::to_string(data_bytes) + " bytes; " +
                         (list ? "a multiple of 4 is needed" : "4 are needed"));
  auto memory = memory_of(address, bytes);
  if (!memory) return memory.error();

  bool read_mostly = true;
  Common<MemoryPlace> preferred, prefetched;
  std::optional<std::set<int>> by;  // whoever uses all of it
  known_ranges().look(*memory, address, bytes, [&](const ManagedRanges::Pages& pages) {
    read_mostly = read_mostly && pages.read_mostly;
    preferred.see(pages.preferred);
    prefetched.see(pages.prefetched);
    if (!by)
      by = pages.accessed_by;
    else
      std::erase_if(*by, [&](int place) { return !pages.accessed_by.contains(place); });
  });

  std::vector<int> answer(data_bytes / sizeof(int), MemoryPlace::no_id);
  const MemoryPlace where = preferred.or_else({}), went = prefetched.or_else({});
  switch (attribute) {
    case Attribute::read_mostly: answer[0] = read_mostly ? 1 : 0; break;
    case Attribute::preferred_location: answer[0] = where.number(); break;
    case Attribute::preferred_location_type: answer[0] = where.type; break;
    case Attribute::preferred_location_id: answer[0] = where.id; break;
    case Attribute::last_prefetch_location: answer[0] = went.number(); break;
    case Attribute::last_prefetch_location_type: answer[0] = went.type; break;
    case Attribute::last_prefetch_location_id: answer[0] = went.id; break;
    case Attribute::accessed_by:
      for (std::size_t i = 0; const int place : *by)
        if (i < answer.size()) answer[i++] = place;
      break;
  }
  std::memcpy(data, answer.data(), data_bytes);
  return Unit{};
}

}  // namespace heddle::cuda
