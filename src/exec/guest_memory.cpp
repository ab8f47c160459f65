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

// A page: what may be done with it, and with which of its bytes: [first, end). Two ranges that share one are
// taken for one from the first byte to the last.
struct Page {
  uint8_t access = no_access;
  uint16_t first = 0, end = page_bytes;
  uint32_t packed() const { return access | uint32_t{first} << 3 | uint32_t{end} << 16; }
  static Page of(uint32_t bits) {
    return {static_cast<uint8_t>(bits & 7), static_cast<uint16_t>(bits >> 3 & 0x1fff),
            static_cast<uint16_t>(bits >> 16)};
  }
};

}  // namespace

struct GuestMemory::Leaf {
  std::atomic<uint32_t> pages[std::size_t{1} << leaf_bits]{};  // Page::packed
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
    const uint32_t whole = Page{before}.packed();
    for (auto& page : existing->pages) page.store(whole, std::memory_order_relaxed);
    middle.access[index].store(Middle::mixed, std::memory_order_release);
  }
  return *existing;
}

void GuestMemory::set(uint64_t begin, uint64_t end, uint8_t access) {
  const uint64_t first_byte = begin, end_byte = std::min(end, space_bytes);
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
    const bool ragged = first_byte > begin || end_byte < piece;
    if (piece - begin == leaf_bytes && !ragged) {
      middle->access[index].store(access, std::memory_order_release);
    } else {
      Leaf& pages = leaf(*middle, index);
      for (uint64_t at = begin; at < piece; at += page_bytes) {
        std::atomic<uint32_t>& page = pages.pages[at / page_bytes % (uint64_t{1} << leaf_bits)];
        Page now{access};
        if (access != no_access) {
          now.first = static_cast<uint16_t>(first_byte > at ? first_byte - at : 0);
          now.end = static_cast<uint16_t>(std::min(end_byte - at, page_bytes));
          if (const Page old = Page::of(page.load(std::memory_order_relaxed)); old.access != no_access) {
            now.first = std::min(now.first, old.first);
            now.end = std::max(now.end, old.end);
          }
        }
        page.store(now.packed(), std::memory_order_release);
      }
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
      const Page found =
          Page::of(leaf->pages[page & ((uint64_t{1} << leaf_bits) - 1)].load(std::memory_order_acquire));
      access = found.access;
      next = page + 1;
      const uint64_t begin = page << page_bits;
      if (std::max(address, begin) - begin < found.first ||
          std::min(last + 1 - begin, page_bytes) > found.end)
        return false;
    }
    if ((access & need) == 0) return false;
    page = next;
  }
  return true;
}

}  // namespace heddle::exec
