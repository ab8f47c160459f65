#include "runtime/address_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "exec/memory_map.h"

namespace heddle::runtime {

namespace {

constexpr int reserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// The system hands out addresses from the top and the heap's from the bottom.
#if __has_feature(thread_sanitizer)
// ThreadSanitizer lets a program map at its own places only.
constexpr uint64_t far_from_others = uint64_t{64} << 30, most_far_from_others = uint64_t{256} << 30;
#else
constexpr uint64_t far_from_others = uint64_t{32} << 40, most_far_from_others = uint64_t{16} << 40;
#endif

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }
void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

uint64_t reserve_anywhere(uint64_t bytes) {
  void* const place = mmap(nullptr, bytes, PROT_NONE, reserved, -1, 0);
  return place == MAP_FAILED ? 0 : reinterpret_cast<uint64_t>(place);
}

bool reserve_at(uint64_t begin, uint64_t bytes) {
  void* const place = mmap(pointer(begin), bytes, PROT_NONE, reserved | MAP_FIXED_NOREPLACE, -1, 0);
  if (place == MAP_FAILED) return false;
  if (place == pointer(begin)) return true;
  munmap(place, bytes);  // an old kernel takes the address as a wish
  errno = EEXIST;
  return false;
}

}  // namespace

void AddressSpace::adopt(Range& range, uint64_t begin, uint64_t bytes, uint64_t guard, bool reserved_now) {
  range.begin = begin;
  range.bytes = bytes;
  range.guard = guard;
  range.reserved = reserved_now;
  range.free.add(begin + guard, bytes - guard);  // a piece brings the guard behind it along
}

Outcome<std::unique_ptr<AddressSpace>> AddressSpace::reserve(uint64_t bytes, bool apart, bool scarce) {
  std::unique_ptr<AddressSpace> space(new AddressSpace);
  constexpr uint64_t usual_guard = 16 * page_bytes, wide_guard = uint64_t{16} << 20;
  constexpr std::size_t most_gone = 4096;
  if (apart) space->most_gone_ = most_gone;
  const uint64_t high_guard = apart ? wide_guard : usual_guard;
  constexpr uint64_t least = uint64_t{1} << 30;
  // Above the windows of 32-bit programs; a process that is linked to a fixed place keeps its own part.
  constexpr uint64_t low_begin = exec::windows32.param_base + (uint64_t{192} << 20);
  constexpr uint64_t low_end = uint64_t{1} << 32;
  if (scarce) {
    space->adopt(space->high_, far_from_others, std::min(bytes, most_far_from_others), high_guard, false);
    space->adopt(space->low_, low_begin, low_end - low_begin, page_bytes, false);
    return space;
  }
  for (; bytes >= least; bytes /= 2) {
    // At one place in each process, if it is free: what addresses decide (a channel of memory, a line of a
    // cache, where a stray pointer leads) is then the same in each run.
    const uint64_t begin = bytes <= most_far_from_others && reserve_at(far_from_others, bytes)
                               ? far_from_others
                               : reserve_anywhere(bytes);
    if (begin == 0) continue;
    space->adopt(space->high_, begin, bytes, high_guard, true);
    break;
  }
  if (space->high_.bytes == 0)
    return error(ErrorCode::out_of_memory,
                 "cannot reserve addresses for device memory: " + std::string(std::strerror(errno)));
  constexpr uint64_t step = uint64_t{64} << 20;
  for (uint64_t piece = low_end - low_begin; piece >= step && !space->has_low(); piece -= step)
    for (uint64_t begin = low_begin; begin + piece <= low_end && !space->has_low(); begin += step)
      if (reserve_at(begin, piece)) space->adopt(space->low_, begin, piece, page_bytes, true);
  return space;
}

AddressSpace::~AddressSpace() {
  for (const Range* range : {&high_, &low_})
    if (range->bytes != 0 && range->reserved) munmap(pointer(range->begin), range->bytes);
}

namespace {

Error too_much(uint64_t bytes, const std::string& why) {
  return error(ErrorCode::out_of_memory, "cannot map " + std::to_string(bytes) + " bytes: " + why);
}

}  // namespace

bool AddressSpace::owns(const Range& range, uint64_t address) const {
  if (range.reserved || !in(range, address)) return in(range, address);
  const std::lock_guard lock(mutex_);
  const auto behind = range.mapped.upper_bound(address);
  return behind != range.mapped.begin() && address < std::prev(behind)->second;
}

Outcome<Mapping> AddressSpace::take(uint64_t bytes, uint64_t alignment, Region region, uint64_t wish) {
  Range& range = range_of(region);
  if (bytes > range.bytes)
    return too_much(bytes,
                    region == Region::low ? "too much for 32-bit addresses" : "too much for this process");
  Mapping mapping;
  mapping.bytes = round_up(bytes, page_bytes);
  alignment = std::max(alignment, mapping.bytes >= huge_page_bytes ? huge_page_bytes : page_bytes);
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (wish != 0 && wish % alignment == 0 && range.free.take_at(wish, mapping.bytes + range.guard)) {
        mapping.begin = wish;
      } else {
        std::optional<uint64_t> begin = range.free.take(mapping.bytes + range.guard, alignment);
        if (!begin && !gone_.empty()) {
          for (const Mapping& old : gone_) free(old);
          gone_.clear();
          begin = range.free.take(mapping.bytes + range.guard, alignment);
        }
        if (!begin) return too_much(bytes, "no addresses are left");
        mapping.begin = *begin;
      }
    }
    if (range.reserved) return mapping;
    if (reserve_at(mapping.begin, mapping.bytes)) {
      const std::lock_guard lock(mutex_);
      range.mapped[mapping.begin] = mapping.end();
      return mapping;
    }
    // What somebody else has there stays his: never asked for again.
    if (errno == EEXIST) continue;
    const int code = errno;
    const std::lock_guard lock(mutex_);
    free(mapping);
    return too_much(bytes, std::string(std::strerror(code)) + " (ulimit -v)");
  }
}

Outcome<Mapping> AddressSpace::map(uint64_t bytes, uint64_t alignment, Region region) {
  const Outcome<Mapping> taken = take(bytes, alignment, region);
  if (!taken) return taken;
  const Mapping mapping = *taken;
  if (mprotect(pointer(mapping.begin), mapping.bytes, PROT_READ | PROT_WRITE) != 0) {
    const int code = errno;
    unmap(mapping);
    return too_much(bytes, std::string(std::strerror(code)) +
                               (code == ENOMEM ? " (of memory, or of mappings: vm.max_map_count)" : ""));
  }
  if (mapping.bytes >= huge_page_bytes) madvise(pointer(mapping.begin), mapping.bytes, MADV_HUGEPAGE);
  return mapping;
}

void AddressSpace::unmap(const Mapping& mapping) {
  Range& range = in(low_, mapping.begin) ? low_ : high_;
  if (!range.reserved) {
    munmap(pointer(mapping.begin), mapping.bytes);
  } else if (mmap(pointer(mapping.begin), mapping.bytes, PROT_NONE, reserved | MAP_FIXED, -1, 0) ==
             MAP_FAILED) {
    // Fresh inaccessible pages would have been best: the memory goes back and the system can join them with
    // their neighbours.
    discard(mapping.begin, mapping.bytes);
    mprotect(pointer(mapping.begin), mapping.bytes, PROT_NONE);
  }
  const std::lock_guard lock(mutex_);
  range.mapped.erase(mapping.begin);
  if (most_gone_ == 0) return free(mapping);
  gone_.push_back(mapping);
  if (gone_.size() > most_gone_) {
    free(gone_.front());
    gone_.pop_front();
  }
}

void AddressSpace::free(const Mapping& mapping) {
  Range& range = in(low_, mapping.begin) ? low_ : high_;
  range.free.add(mapping.begin, mapping.bytes + range.guard);
}

void AddressSpace::discard(uint64_t begin, uint64_t bytes) { madvise(pointer(begin), bytes, MADV_DONTNEED); }

uint64_t AddressSpace::piece_budget() {
  uint64_t most = 65530;  // the system's default
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  return most / 2;
}

}  // namespace heddle::runtime
