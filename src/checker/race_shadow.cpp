#include "checker/race_shadow.h"

#include <algorithm>

#include "checker/rows/rows.h"

namespace heddle::checker {

void RacePage::make_row(unsigned which) {
  marks_[which] = std::make_unique<Mark[]>((std::size_t{1} << (12 - shift_)) + rows::spare_cells);
}

void RacePage::expand_group(uint32_t number) {
  expanded_ |= uint32_t{1} << number;
  const Group& kept = compact_[number];
  const uint32_t first = number * group_bytes >> shift_;
  const std::array<Mark, 4> of_rows{kept.writer, kept.before, kept.reader, kept.other};
  for (unsigned which = 0; which < of_rows.size(); ++which) {
    if (!of_rows[which] && marks_[which] == nullptr) continue;
    Mark* const cells = row(which) + first;
    if (of_rows[which])
      rows::of_host().spread(&cells->bits, RowMark::cell(of_rows[which], 0).bits,
                             RowMark::lane_shift(of_rows[which]));
    else
      std::fill_n(cells, group_cells, Mark{});
  }
}

void RacePage::split() {
  if (by_bytes()) return;
  expand(0, bytes);
  const std::array<std::unique_ptr<Mark[]>, 4> words = std::move(marks_);
  shift_ = 0;
  for (unsigned which = 0; which < words.size(); ++which) {
    if (words[which] == nullptr) continue;
    make_row(which);
    for (std::size_t i = 0; i < bytes; ++i) marks_[which][i] = words[which][i / 4];
  }
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
    for (const std::unique_ptr<Mark[]>& row : marks_)
      if (row != nullptr) std::fill(row.get() + first, row.get() + last + 1, Mark{});
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
