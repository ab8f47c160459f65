#include "exec/jit/fiber/cluster_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "exec/memory_map.h"
#include "support/address_limit.h"

namespace heddle::exec::jit {

namespace {

constexpr uint64_t vector_bytes = 64;  // a block's memory ends at most so far before its last page does
constexpr uint64_t window = (uint64_t{4} << 30) + (uint64_t{64} << 10);  // 32-bit addresses, and an access

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
uint64_t round_down(uint64_t value, uint64_t to) { return value / to * to; }

}  // namespace

ClusterMemory::~ClusterMemory() { release(); }

void ClusterMemory::release() {
  for (const View& view : views_) munmap(view.base, view.bytes);
  views_.clear();
  pieces_.clear();
  if (file_ >= 0) close(file_);
  file_ = -1;
  blocks_ = 0;
}

bool ClusterMemory::reserve(uint32_t blocks, uint64_t bytes, uint64_t reserved) {
  const bool as_before = blocks_ == blocks && bytes_ == bytes && reserved_ == reserved;
  if (as_before && process_ == getpid()) return true;
  release();
  process_ = getpid();
  const uint64_t page = page_bytes(), rounded = round_up(bytes, vector_bytes);
  // The memory ends where a page does.
  const uint64_t before = round_up(rounded, page) - rounded;
  pieces_.push_back({0, before + rounded});
  const uint64_t begin = round_down(before + reserved_shared_end - reserved, page);
  const uint64_t end = round_up(before + reserved_shared_end, page);
  if (reserved != 0 && begin >= pieces_.front().bytes) pieces_.push_back({begin, end - begin});
  of_block_ = 0;
  for (const Piece& piece : pieces_) of_block_ += piece.bytes;
  blocks_ = blocks, bytes_ = bytes, reserved_ = reserved;

  // Where addresses are limited, one view must do.
  const bool several = !addresses_are_limited();
  if (several) file_ = memfd_create("heddle shared memory", MFD_CLOEXEC);
  if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(std::max<uint64_t>(of_block_, page) * blocks)) != 0) {
    close(file_);
    file_ = -1;
  }
  const auto whole = [&] {
    for (uint32_t view = 0; view < (file_ >= 0 ? blocks + 1 : 1); ++view) {
      if (!add_view()) return false;
      views_.back().zero = views_.back().base + before;
      for (uint32_t rank = 0; rank < blocks; ++rank)
        if ((view == 0 || view == rank + 1) && !show(views_.back(), rank)) return false;
    }
    return true;
  };
  if (whole()) return true;
  release();
  return false;
}

bool ClusterMemory::add_view() {
  static_assert(window < apart);
  const Addresses addresses =
      reserve_addresses(window + page_bytes(), uint64_t{blocks_} << shared_rank_shift);
  if (addresses.base == nullptr) return false;
  View view;
  view.base = addresses.base;
  view.bytes = addresses.bytes;
  views_.push_back(view);
  return true;
}

// All pages are there from the beginning: a masked vector access to one that was never touched is slow as
// long as all its lanes are off.
bool ClusterMemory::show(const View& view, uint32_t rank) {
  uint64_t at = rank * of_block_;
  for (const Piece& piece : pieces_) {
    std::byte* const begin = view.base + shared_address(rank, 0) + piece.begin;
    if (piece.bytes == 0) continue;
    const int flags = MAP_FIXED | (file_ >= 0 ? MAP_SHARED | MAP_POPULATE : MAP_PRIVATE | MAP_ANONYMOUS);
    if (mmap(begin, piece.bytes, PROT_READ | PROT_WRITE, flags, file_,
             file_ >= 0 ? static_cast<off_t>(at) : 0) == MAP_FAILED)
      return false;
    if (file_ < 0) std::memset(begin, 0, piece.bytes);
    at += piece.bytes;
  }
  return true;
}

std::optional<uint64_t> ClusterMemory::address_of(uintptr_t host) const {
  for (const View& view : views_)
    if (host - reinterpret_cast<uintptr_t>(view.base) < view.bytes)
      return host - reinterpret_cast<uintptr_t>(view.zero);
  return std::nullopt;
}

}  // namespace heddle::exec::jit
