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
          const bool same = known != 0 && writers_[known].work == work_ && writers_[known].address == begin &&
                            writers_[known].bytes == access.bytes;
          number = same ? known : static_cast<uint32_t>(writers_.size());
          if (!same) writers_.emplace_back();
          writers_[number] = {.image = image_,
                              .work = work_,
                              .place = access.place,
                              .block = access.block,
                              .thread = access.warp * 32 + lane,
                              .address = begin,
                              .bytes = access.bytes,
                              .changes = access.kind == observe::AccessKind::change};
        }
        known = number;
      }
    }
  }
}

void WordWriters::wrote(uint32_t work, uint64_t address, uint64_t bytes) {
  const auto number = static_cast<uint32_t>(writers_.size());
  WordWriter& writer = writers_.emplace_back();
  writer.work = work, writer.address = address;
  for (auto& [word, known] : by_byte_)
    for (uint64_t byte = std::max(address, word); byte < std::min(address + bytes, word + 8); ++byte)
      known[byte - word] = number;
}

const WordWriter* WordWriters::of(uint64_t byte) const {
  const auto found = by_byte_.find(byte & ~uint64_t{7});
  if (found == by_byte_.end()) return nullptr;
  const uint32_t number = found->second[byte % 8];
  return number == 0 ? nullptr : &writers_[number];
}

}  // namespace heddle::checker
