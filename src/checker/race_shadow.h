// What is remembered of memory to find races: for each place the last two writers and readers whom nothing
// has ordered yet. A place is 4 bytes until something accesses less in its page, then a byte.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "checker/place_facts.h"

namespace heddle::checker {

// Who accessed: a segment (a stretch of time of a block, RaceDetector::segments), a thread of its block, an
// instruction. 0: nobody.
struct Mark {
  uint64_t bits = 0;
  static Mark of(uint32_t segment, uint32_t thread, PlaceId place) {
    return {uint64_t{segment} << 32 | uint64_t{thread} << 22 | place};
  }
  uint32_t segment() const { return static_cast<uint32_t>(bits >> 32); }
  uint32_t thread() const { return static_cast<uint32_t>(bits >> 22) & 1023; }
  PlaceId place() const { return static_cast<PlaceId>(bits & Places::most); }
  explicit operator bool() const { return bits != 0; }
  bool operator==(const Mark&) const = default;
};

class RacePage {
 public:
  static constexpr uint32_t bytes = 4096;
  RacePage() { lay(2); }

  uint32_t cell_of(uint32_t offset) const { return offset >> shift_; }
  uint32_t cell_bytes() const { return 1U << shift_; }
  bool by_bytes() const { return shift_ == 0; }
  void split();  // into bytes
  void clear(uint32_t from, uint32_t to);
  // The newest segment that has written anything of it.
  uint32_t newest_writer() const { return newest_writer_; }
  void wrote(uint32_t segment) {
    if (segment > newest_writer_) newest_writer_ = segment;
  }
  // Arrays of all cells, so that those of a row of lanes lie together.
  Mark* writers(unsigned which) { return marks_.get() + (std::size_t{which} << (12 - shift_)); }
  Mark* readers(unsigned which) { return writers(2 + which); }

 private:
  void lay(unsigned shift) {
    shift_ = shift;
    marks_ = std::make_unique<Mark[]>(std::size_t{4} << (12 - shift));
  }
  unsigned shift_ = 2;
  uint32_t newest_writer_ = 0;
  std::unique_ptr<Mark[]> marks_;
};

// Pages of global memory, made when they are first touched, up to a limit.
class RaceShadow {
 public:
  explicit RaceShadow(uint64_t most_bytes) : most_pages_(most_bytes / (32 * 1024)) {}
  // nullptr: there are too many already.
  RacePage* page(uint64_t address) {
    const uint64_t number = address / RacePage::bytes;
    Kept& kept = kept_[number % kept_.size()];
    if (kept.page != nullptr && kept.number == number) return kept.page;
    return find(number, kept);
  }
  void clear() { pages_.clear(), kept_.fill({}); }
  void forget(uint64_t address, uint64_t bytes);
  // Calls `f(begin, page)` for the pages of this memory that there are.
  template <class F>
  void each_page(uint64_t address, uint64_t size, F&& f) {
    if (size == 0 || pages_.empty()) return;
    const uint64_t first = address / RacePage::bytes, last = (address + size - 1) / RacePage::bytes;
    if (last - first < pages_.size()) {
      for (uint64_t number = first; number <= last; ++number)
        if (const auto found = pages_.find(number); found != pages_.end())
          f(number * RacePage::bytes, *found->second);
      return;
    }
    for (auto& [number, page] : pages_)
      if (number >= first && number <= last) f(number * RacePage::bytes, *page);
  }
  uint64_t bytes() const { return pages_.size() * 32 * 1024; }
  uint64_t left_out() const { return left_out_; }

 private:
  struct Kept {
    uint64_t number = 0;
    RacePage* page = nullptr;
  };
  RacePage* find(uint64_t number, Kept& kept);
  const uint64_t most_pages_;
  std::array<Kept, 256> kept_{};
  std::unordered_map<uint64_t, std::unique_ptr<RacePage>> pages_;
  uint64_t left_out_ = 0;
};

}  // namespace heddle::checker
