#include "exec/jit/launch/regions.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "support/address_limit.h"

namespace heddle::exec::jit {

namespace {

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

std::byte* map(uint64_t bytes, int protection) {
  void* data = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

}  // namespace

SharedMemory::~SharedMemory() {
  if (base_ != nullptr) munmap(base_, mapped_);
}

bool SharedMemory::reserve() {
  static_assert(reserved < apart);
  const Addresses addresses = reserve_addresses(reserved, most + lendable);
  base_ = addresses.base;
  mapped_ = addresses.bytes;
  return base_ != nullptr;
}

std::byte* SharedMemory::place(uint64_t bytes) {
  if (bytes > most) return nullptr;
  if (base_ == nullptr && !reserve()) return nullptr;
  std::byte* const end = base_ + most;
  if (bytes > usable_) {
    constexpr uint64_t first = uint64_t{256} << 10;  // what any block of today's devices may have
    const uint64_t wanted = round_up(std::max(bytes, first), page_bytes());
    if (mprotect(end - wanted, wanted, PROT_READ | PROT_WRITE) != 0) return nullptr;
    // A masked vector access to a page that was never touched is slow as long as all its lanes are off, so
    // all pages are there from the beginning.
    std::memset(end - wanted, 0, wanted - usable_);
    usable_ = wanted;
  }
  return end - round_up(bytes, rounding);
}

Area::~Area() {
  if (data_ != nullptr) munmap(data_, mapped_);
}

std::byte* Area::grow(uint64_t bytes) {
  const uint64_t rounded = round_up(std::max(bytes, 2 * bytes_), page_bytes());
  const uint64_t mapped = rounded + page_bytes();
  std::byte* data = map(mapped, PROT_READ | PROT_WRITE);
  if (data == nullptr) return nullptr;
  if (mprotect(data + rounded, page_bytes(), PROT_NONE) != 0) {
    munmap(data, mapped);
    return nullptr;
  }
  if (data_ != nullptr) munmap(data_, mapped_);
  data_ = data;
  bytes_ = rounded;
  mapped_ = mapped;
  return data_;
}

}  // namespace heddle::exec::jit
