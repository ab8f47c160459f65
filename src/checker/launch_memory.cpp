#include "checker/launch_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "support/draw.h"

namespace heddle::checker {

namespace {

constexpr uint64_t chunk = 4096;

const std::byte* at(uint64_t address) { return reinterpret_cast<const std::byte*>(address); }

bool copy_all(const std::vector<MemoryPart>& parts, std::vector<std::unique_ptr<std::byte[]>>& to) {
  to.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (to[i] == nullptr) to[i].reset(new (std::nothrow) std::byte[parts[i].bytes]);
    if (to[i] == nullptr) return false;
    std::memcpy(to[i].get(), at(parts[i].address), parts[i].bytes);
  }
  return true;
}

uint64_t load(const std::byte* from, uint64_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, from, std::min<uint64_t>(bytes, sizeof value));
  return value;
}

// Whether two lists have the same elements, however often each, by sums over them that their order does not
// change.
struct Sum {
  uint64_t plain = 0, mixed = 0;
  void add(uint64_t value) { plain += value, mixed += heddle::mixed(value); }
  bool operator==(const Sum&) const = default;
};

}  // namespace

bool LaunchMemory::keep(std::vector<MemoryPart> parts) {
  parts_ = std::move(parts);
  return copy_all(parts_, before_);
}

bool LaunchMemory::keep_result() { return copy_all(parts_, result_); }

// Pages that nobody has touched stay so.
void LaunchMemory::restore() const {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    for (uint64_t offset = 0; offset < parts_[i].bytes; offset += chunk) {
      const uint64_t bytes = std::min(chunk, parts_[i].bytes - offset);
      auto* to = reinterpret_cast<std::byte*>(parts_[i].address + offset);
      if (std::memcmp(to, before_[i].get() + offset, bytes) != 0)
        std::memcpy(to, before_[i].get() + offset, bytes);
    }
}

bool LaunchMemory::in_heap(uint64_t address) const {
  return std::ranges::any_of(heaps_, [&](const Heap& heap) {
    return address >= heap.address && address - heap.address < heap.bytes;
  });
}

LaunchMemory::Difference LaunchMemory::compare(std::size_t most_words) const {
  Difference all;
  all.permuted = true;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const MemoryPart& part = parts_[i];
    if (part.is_heap) continue;
    std::array<Sum, 2> wide, narrow;  // of the result, and of what is there now
    for (uint64_t offset = 0; offset < part.bytes; offset += chunk) {
      const uint64_t bytes = std::min(chunk, part.bytes - offset);
      const std::byte *now = at(part.address + offset), *result = result_[i].get() + offset;
      if (std::memcmp(now, result, bytes) == 0) continue;
      for (uint64_t k = 0; k < bytes; k += 8) {
        const uint64_t a = load(result + k, bytes - k), b = load(now + k, bytes - k);
        if (a == b || (in_heap(a) && in_heap(b))) continue;
        for (uint64_t rest = a ^ b; rest != 0; rest >>= 8) all.bytes += (rest & 0xff) != 0;
        wide[0].add(a), wide[1].add(b);
        for (unsigned shift : {0U, 32U}) {
          narrow[0].add(a >> shift & UINT32_MAX);
          narrow[1].add(b >> shift & UINT32_MAX);
        }
        if (all.words.size() < most_words)
          all.words.push_back({part.address + offset + k, static_cast<uint32_t>(i), a, b});
      }
    }
    all.permuted &= wide[0] == wide[1] || narrow[0] == narrow[1];
  }
  all.permuted &= all.bytes != 0;
  return all;
}

}  // namespace heddle::checker
