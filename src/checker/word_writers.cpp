#include "checker/word_writers.h"

#include <algorithm>
#include <bit>

namespace heddle::checker {

WordWriters::WordWriters(const observe::Schedule* schedule, const std::vector<uint64_t>& words)
    : schedule_(schedule) {
  for (const uint64_t word : words) {
    by_byte_[word] = {};
    first_ = std::min(first_, word), end_ = std::max(end_, word + 8);
  }
}

void WordWriters::access(const observe::Access& access) {
  if (access.kind == observe::AccessKind::load || access.space != observe::Space::global) return;
  for (observe::Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t begin = access.addresses[lane], end = begin + access.bytes;
    if (end <= first_ || begin >= end_) continue;
    uint32_t number = 0;
    for (uint64_t word = begin & ~uint64_t{7}; word < end; word += 8) {
      const auto found = by_byte_.find(word);
      if (found == by_byte_.end()) continue;
      for (uint64_t byte = std::max(begin, word); byte < std::min(end, word + 8); ++byte) {
        uint32_t& known = found->second[byte - word];
        if (number == 0) {
          // Whoever wrote before is nobody's last writer any more, if this one writes all that it did.
          const bool same =
              known != 0 && writers_[known].address == begin && writers_[known].bytes == access.bytes;
          number = same ? known : static_cast<uint32_t>(writers_.size());
          if (!same) writers_.emplace_back();
          writers_[number] = {access.place, access.block, access.warp * 32 + lane,
                              begin,        access.bytes, access.kind == observe::AccessKind::change};
        }
        known = number;
      }
    }
  }
}

const WordWriter* WordWriters::of(uint64_t byte) const {
  const auto found = by_byte_.find(byte & ~uint64_t{7});
  if (found == by_byte_.end()) return nullptr;
  const uint32_t number = found->second[byte % 8];
  return number == 0 ? nullptr : &writers_[number];
}

}  // namespace heddle::checker
