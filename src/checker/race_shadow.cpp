#include "checker/race_shadow.h"

#include <algorithm>

namespace heddle::checker {

void RacePage::expand_group(uint32_t number) {
  if (marks_ == nullptr) marks_ = std::make_unique<Mark[]>(std::size_t{4} << (12 - shift_));
  expanded_ |= uint32_t{1} << number;
  const Group& row = compact_[number];
  const uint32_t first = number * group_bytes >> shift_;
  for (uint32_t cell = 0; cell < group_cells; ++cell) {
    writers(0)[first + cell] = RowMark::cell(row.writer, cell);
    writers(1)[first + cell] = RowMark::cell(row.before, cell);
    readers(0)[first + cell] = RowMark::cell(row.reader, cell);
    readers(1)[first + cell] = RowMark::cell(row.other, cell);
  }
}

void RacePage::split() {
  if (by_bytes()) return;
  expand(0, bytes);
  const std::unique_ptr<Mark[]> words = std::move(marks_);
  shift_ = 0;
  marks_ = std::make_unique<Mark[]>(std::size_t{4} * bytes);
  for (std::size_t i = 0; i < std::size_t{4} * bytes; ++i)
    marks_[i] = words[(i / bytes) * (bytes / 4) + (i % bytes) / 4];
}

void RacePage::clear(uint32_t from, uint32_t to) {
  for (uint32_t number = from / group_bytes; number < groups && number * group_bytes < to; ++number) {
    const uint32_t begin = number * group_bytes, end = begin + group_bytes;
    if (!by_bytes() && from <= begin && end <= to) {
      make_compact(number, {});
      continue;
    }
    expand(begin, group_bytes);
    const uint32_t first = cell_of(std::max(from, begin)), last = cell_of(std::min(to, end) - 1);
    for (unsigned row = 0; row < 4; ++row) std::fill(writers(row) + first, writers(row) + last + 1, Mark{});
  }
}

RacePage* RaceShadow::find(uint64_t number, Kept& kept) {
  auto found = pages_.find(number);
  if (found == pages_.end()) {
    if (pages_.size() >= most_pages_) {
      ++left_out_;
      return nullptr;
    }
    found = pages_.emplace(number, std::make_unique<RacePage>()).first;
  }
  kept = {number, found->second.get()};
  return kept.page;
}

void RaceShadow::forget(uint64_t address, uint64_t size) {
  const uint64_t end = address + size;
  each_page(address, size, [&](uint64_t begin, RacePage& page) {
    page.clear(static_cast<uint32_t>(std::max(address, begin) - begin),
               static_cast<uint32_t>(std::min(end, begin + RacePage::bytes) - begin));
  });
}

}  // namespace heddle::checker
