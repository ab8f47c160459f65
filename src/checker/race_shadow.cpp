#include "checker/race_shadow.h"

#include <algorithm>

namespace heddle::checker {

void RacePage::split() {
  if (by_bytes()) return;
  const std::unique_ptr<Mark[]> words = std::move(marks_);
  lay(0);
  for (std::size_t i = 0; i < std::size_t{4} * bytes; ++i)
    marks_[i] = words[(i / bytes) * (bytes / 4) + (i % bytes) / 4];
}

void RacePage::clear(uint32_t from, uint32_t to) {
  for (unsigned row = 0; row < 4; ++row)
    std::fill(writers(row) + cell_of(from), writers(row) + cell_of(to - 1) + 1, Mark{});
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
  if (size == 0 || pages_.empty()) return;
  const uint64_t end = address + size;
  const auto clear = [&](uint64_t number, RacePage& page) {
    const uint64_t begin = number * RacePage::bytes;
    page.clear(static_cast<uint32_t>(std::max(address, begin) - begin),
               static_cast<uint32_t>(std::min(end, begin + RacePage::bytes) - begin));
  };
  const uint64_t first = address / RacePage::bytes, last = (end - 1) / RacePage::bytes;
  if (last - first < pages_.size()) {
    for (uint64_t number = first; number <= last; ++number)
      if (const auto found = pages_.find(number); found != pages_.end()) clear(number, *found->second);
  } else {
    for (auto& [number, page] : pages_)
      if (number >= first && number <= last) clear(number, *page);
  }
}

}  // namespace heddle::checker
