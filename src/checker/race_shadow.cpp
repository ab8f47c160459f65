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
  const uint64_t end = address + size;
  each_page(address, size, [&](uint64_t begin, RacePage& page) {
    page.clear(static_cast<uint32_t>(std::max(address, begin) - begin),
               static_cast<uint32_t>(std::min(end, begin + RacePage::bytes) - begin));
  });
}

}  // namespace heddle::checker
