// What is remembered of memory to find races: for each place the last two writers and readers whom nothing
// has ordered yet. A place (a cell) is 4 bytes until something accesses less in its page, then a byte.
//
// Most warps access rows: their 32 lanes stand one behind the other. Of 32 cells that were accessed so and in
// no other way the marks of the row are kept (a compact group), from which each cell's follow.
#pragma once

#include <algorithm>
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

// A mark of a row of 32 cells, by the lanes of one warp: where a thread's lane stands in a mark, this one has
// the first lane, in fours (3 bits), and of how many cells a lane's piece is, as a power of two (2 bits).
struct RowMark {
  static Mark of(uint32_t segment, uint32_t warp, uint32_t first_lane, uint32_t lane_shift, PlaceId place) {
    return Mark::of(segment, warp * 32 + (first_lane / 4 << 2 | lane_shift), place);
  }
  static uint32_t lane_shift(Mark row) { return row.thread() & 3; }
  static Mark cell(Mark row, uint32_t cell) {
    if (!row) return {};
    const uint32_t low = row.thread() % 32, lane = (low >> 2) * 4 + (cell >> (low & 3));
    return {(row.bits & ~(uint64_t{31} << 22)) | uint64_t{lane} << 22};
  }
};

class RacePage {
 public:
  static constexpr uint32_t bytes = 4096, group_cells = 32, group_bytes = 128;
  static constexpr uint32_t groups = bytes / group_bytes;
  struct Group {
    Mark writer = {}, before = {}, reader = {}, other = {};
  };

  uint32_t cell_of(uint32_t offset) const { return offset >> shift_; }
  uint32_t cell_bytes() const { return 1U << shift_; }
  bool by_bytes() const { return shift_ == 0; }
  void split();  // into bytes
  void clear(uint32_t from, uint32_t to);
  // The newest segment that has written anything of it, or read; what is known of older ones need not be
  // looked at cell by cell. newest_before: of what writers(1) has.
  uint32_t newest_writer() const { return newest_writer_; }
  uint32_t newest_reader() const { return newest_reader_; }
  uint32_t newest_before() const { return newest_before_; }
  void wrote(uint32_t segment) { newest_writer_ = std::max(newest_writer_, segment); }
  void read(uint32_t segment) { newest_reader_ = std::max(newest_reader_, segment); }
  void wrote_before(uint32_t segment) { newest_before_ = std::max(newest_before_, segment); }

  bool compact(uint32_t group) const { return (expanded_ >> group & 1) == 0; }
  Group& group(uint32_t number) { return compact_[number]; }
  // The group's cells say nothing any more.
  void make_compact(uint32_t number, const Group& marks) {
    compact_[number] = marks;
    expanded_ &= ~(uint32_t{1} << number);
  }
  // These bytes' cells have marks of their own from now on.
  void expand(uint32_t offset, uint32_t size) {
    const uint32_t first = offset / group_bytes, last = (offset + size - 1) / group_bytes;
    for (uint32_t number = first; number <= last && number < groups; ++number)
      if (compact(number)) expand_group(number);
  }
  // Arrays of all cells, so that those of a row of lanes lie together. Of expanded groups only. Each is made
  // when somebody asks for it; until then it has no marks.
  Mark* writers(unsigned which) { return row(which); }
  Mark* readers(unsigned which) { return row(2 + which); }
  bool has_writers(unsigned which) const { return marks_[which] != nullptr; }
  bool has_readers(unsigned which) const { return marks_[2 + which] != nullptr; }

 private:
  Mark* row(unsigned which) {
    if (marks_[which] == nullptr) make_row(which);
    return marks_[which].get();
  }
  void make_row(unsigned which);
  void expand_group(uint32_t number);
  unsigned shift_ = 2;
  uint32_t newest_writer_ = 0, newest_reader_ = 0, newest_before_ = 0;
  uint32_t expanded_ = 0;  // by group
  std::array<Group, groups> compact_{};
  std::array<std::unique_ptr<Mark[]>, 4> marks_;  // writers, readers
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
  std::array<Kept, 4096> kept_{};
  std::unordered_map<uint64_t, std::unique_ptr<RacePage>> pages_;
  uint64_t left_out_ = 0;
};

}  // namespace heddle::checker
