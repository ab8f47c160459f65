#include "exec/guest_memory.h"

#include <algorithm>

namespace heddle::exec {

namespace {

constexpr unsigned page_bits = 12, leaf_bits = 12, middle_bits = 12, top_bits = 11;
constexpr uint64_t page_bytes = uint64_t{1} << page_bits;
constexpr uint64_t leaf_bytes = page_bytes << leaf_bits;
constexpr uint64_t middle_bytes = leaf_bytes << middle_bits;
constexpr uint64_t space_bytes = middle_bytes << top_bits;

constexpr uint8_t no_access = 0, readable = 1, writable_too = 3;

uint8_t needed(bool write) { return write ? 2 : 1; }

}  // namespace

struct GuestMemory::Leaf {
  std::atomic<uint8_t> pages[std::size_t{1} << leaf_bits]{};
};

struct GuestMemory::Middle {
  // What holds for all of an entry's 16 MiB, or `mixed`: then the leaf says.
  static constexpr uint8_t mixed = 4;
  std::atomic<uint8_t> access[std::size_t{1} << middle_bits]{};
  std::atomic<Leaf*> leaf[std::size_t{1} << middle_bits]{};
};

GuestMemory::GuestMemory() : top_(std::make_unique<std::atomic<Middle*>[]>(std::size_t{1} << top_bits)) {}
GuestMemory::~GuestMemory() = default;

void GuestMemory::add(uint64_t begin, uint64_t bytes, bool writable) {
  if (bytes == 0) return;
  const std::lock_guard lock(writers_);
  ranges_[begin] = {begin + bytes, writable};
  set(begin, begin + bytes, writable ? writable_too : readable);
}

void GuestMemory::remove(uint64_t begin) {
  const std::lock_guard lock(writers_);
  const auto found = ranges_.find(begin);
  if (found == ranges_.end()) return;
  const uint64_t end = found->second.end;
  ranges_.erase(found);
  set(begin, end, no_access);
  // A neighbour may share the first or the last page.
  auto next = ranges_.lower_bound(begin);
  if (next != ranges_.begin()) {
    const auto& [start, range] = *std::prev(next);
    if (range.end > begin / page_bytes * page_bytes)
      set(start, range.end, range.writable ? writable_too : readable);
  }
  const uint64_t last = (end + page_bytes - 1) / page_bytes * page_bytes;
  if (next != ranges_.end() && next->first < last)
    set(next->first, next->second.end, next->second.writable ? writable_too : readable);
}

GuestMemory::Leaf& GuestMemory::leaf(Middle& middle, uint64_t index) {
  Leaf* existing = middle.leaf[index].load(std::memory_order_relaxed);
  if (existing == nullptr) {
    leaves_.push_back(std::make_unique<Leaf>());
    existing = leaves_.back().get();
    middle.leaf[index].store(existing, std::memory_order_release);
  }
  const uint8_t before = middle.access[index].load(std::memory_order_relaxed);
  if (before != Middle::mixed) {
    for (auto& page : existing->pages) page.store(before, std::memory_order_relaxed);
    middle.access[index].store(Middle::mixed, std::memory_order_release);
  }
  return *existing;
}

void GuestMemory::set(uint64_t begin, uint64_t end, uint8_t access) {
  begin = begin / page_bytes * page_bytes;
  end = std::min((end + page_bytes - 1) / page_bytes * page_bytes, space_bytes);
  while (begin < end) {
    std::atomic<Middle*>& slot = top_[begin / middle_bytes];
    Middle* middle = slot.load(std::memory_order_relaxed);
    if (middle == nullptr) {
      middles_.push_back(std::make_unique<Middle>());
      middle = middles_.back().get();
      slot.store(middle, std::memory_order_release);
    }
    const uint64_t index = begin / leaf_bytes % (uint64_t{1} << middle_bits);
    const uint64_t piece = std::min(end, (begin / leaf_bytes + 1) * leaf_bytes);
    if (piece - begin == leaf_bytes) {
      middle->access[index].store(access, std::memory_order_release);
    } else {
      Leaf& pages = leaf(*middle, index);
      for (uint64_t page = begin; page < piece; page += page_bytes)
        pages.pages[page / page_bytes % (uint64_t{1} << leaf_bits)].store(access, std::memory_order_release);
    }
    begin = piece;
  }
}

bool GuestMemory::accessible(uint64_t address, uint64_t bytes, bool write) const {
  if (address >= space_bytes || bytes > space_bytes - address) return false;
  const uint8_t need = needed(write);
  const uint64_t last = address + (bytes == 0 ? 0 : bytes - 1);
  for (uint64_t page = address >> page_bits; page <= last >> page_bits;) {
    const Middle* middle = top_[page >> (leaf_bits + middle_bits)].load(std::memory_order_acquire);
    if (middle == nullptr) return false;
    const uint64_t index = page >> leaf_bits & ((uint64_t{1} << middle_bits) - 1);
    uint8_t access = middle->access[index].load(std::memory_order_acquire);
    uint64_t next = ((page >> leaf_bits) + 1) << leaf_bits;
    if (access == Middle::mixed) {
      const Leaf* leaf = middle->leaf[index].load(std::memory_order_acquire);
      access = leaf->pages[page & ((uint64_t{1} << leaf_bits) - 1)].load(std::memory_order_acquire);
      next = page + 1;
    }
    if ((access & need) == 0) return false;
    page = next;
  }
  return true;
}

}  // namespace heddle::exec
