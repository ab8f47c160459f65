#include "checker/memory_map.h"

#include <algorithm>
#include <bit>

#include "support/host_call.h"

namespace heddle::checker {

namespace {

// Bits [from, to) of a word.
uint64_t bits(unsigned from, unsigned to) {
  const uint64_t below = to == 64 ? ~uint64_t{0} : (uint64_t{1} << to) - 1;
  return below & ~((uint64_t{1} << from) - 1);
}

// f(word, mask) for the words that hold these bits; false ends it.
template <class F>
bool each_word(uint64_t first, uint64_t count, F&& f) {
  const uint64_t end = first + count;
  for (uint64_t word = first / 64; word * 64 < end; ++word) {
    const uint64_t from = std::max(first, word * 64) - word * 64,
                   to = std::min(end, word * 64 + 64) - word * 64;
    if (!f(word, bits(static_cast<unsigned>(from), static_cast<unsigned>(to)))) return false;
  }
  return true;
}

}  // namespace

Area::Area(const runtime::Allocation& allocation, bool watches_writes)
    : begin_(allocation.address),
      bytes_(allocation.bytes),
      kind_(allocation.kind),
      use_(allocation.kernel_use),
      stack_(host_stack()) {
  if (!watches_writes) return;
  written_ = std::make_unique<std::atomic<uint64_t>[]>(static_cast<std::size_t>((bytes_ + 63) / 64));
  unwritten_ = bytes_;
}

void Area::write(uint64_t address, uint64_t bytes) {
  if (written_ == nullptr) return;
  each_word(address - begin_, bytes, [&](uint64_t word, uint64_t mask) {
    std::atomic<uint64_t>& at = written_[word];
    if ((at.load(std::memory_order_relaxed) & mask) == mask) return true;
    const uint64_t before = at.fetch_or(mask, std::memory_order_relaxed);
    unwritten_ -= static_cast<uint64_t>(std::popcount(mask & ~before));
    return true;
  });
}

void Area::unwrite(uint64_t address, uint64_t bytes) {
  if (written_ == nullptr) return;
  each_word(address - begin_, bytes, [&](uint64_t word, uint64_t mask) {
    const uint64_t before = written_[word].fetch_and(~mask, std::memory_order_relaxed);
    unwritten_ += static_cast<uint64_t>(std::popcount(mask & before));
    return true;
  });
}

bool Area::is_written(uint64_t address, uint64_t bytes) const {
  return written_ == nullptr || each_word(address - begin_, bytes, [&](uint64_t word, uint64_t mask) {
           return (written_[word].load(std::memory_order_relaxed) & mask) == mask;
         });
}

bool Area::none_written(uint64_t address, uint64_t bytes) const {
  return written_ != nullptr && each_word(address - begin_, bytes, [&](uint64_t word, uint64_t mask) {
           return (written_[word].load(std::memory_order_relaxed) & mask) == 0;
         });
}

void MemoryAreas::add(std::shared_ptr<Area> area) {
  const std::unique_lock lock(mutex_);
  // What had these bytes before is no neighbour any more. No two that are gone have a byte in common.
  auto at = gone_.upper_bound(area->begin());
  if (at != gone_.begin() && std::prev(at)->second->end() > area->begin()) --at;
  while (at != gone_.end() && at->first < std::max(area->end(), area->begin() + 1)) at = gone_.erase(at);
  areas_[area->begin()] = std::move(area);
  generation_.fetch_add(1, std::memory_order_release);
}

void MemoryAreas::remove(uint64_t address) {
  const std::unique_lock lock(mutex_);
  const auto found = areas_.find(address);
  if (found == areas_.end()) return;
  constexpr std::size_t most_gone = 4096;
  if (gone_.size() >= most_gone) gone_.erase(gone_.begin());
  gone_[address] = found->second;
  areas_.erase(found);
  generation_.fetch_add(1, std::memory_order_release);
}

Area* MemoryAreas::find(uint64_t address) const { return hold(address).get(); }

std::shared_ptr<Area> MemoryAreas::hold(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const auto after = areas_.upper_bound(address);
  if (after == areas_.begin()) return nullptr;
  const std::shared_ptr<Area>& area = std::prev(after)->second;
  return address < area->end() ? area : nullptr;
}

std::optional<MemoryAreas::Near> MemoryAreas::nearest(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  std::optional<Near> best;
  uint64_t distance = UINT64_MAX;
  const auto look = [&](const std::map<uint64_t, std::shared_ptr<Area>>& areas, bool gone) {
    const auto consider = [&](const std::shared_ptr<Area>& area) {
      const uint64_t away = address < area->begin()  ? area->begin() - address
                            : address >= area->end() ? address - area->end() + 1
                                                     : 0;
      if (away < distance) best = Near{area, gone}, distance = away;
    };
    const auto after = areas.upper_bound(address);
    if (after != areas.begin()) consider(std::prev(after)->second);
    if (after != areas.end()) consider(after->second);
  };
  look(gone_, true);
  distance = best && distance == 0 ? 0 : UINT64_MAX;  // inside what was freed: that is it
  if (distance != 0) best.reset();
  look(areas_, false);
  if (!best) look(gone_, true);
  return best;
}

std::vector<std::shared_ptr<const Area>> MemoryAreas::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<const Area>> list;
  for (const auto& [address, area] : areas_) list.push_back(area);
  return list;
}

}  // namespace heddle::checker
