#include "cache/checksum.h"

#include <bit>
#include <cstring>

namespace heddle::cache {

namespace {

// Each step is a bijection of the state and of the word, so that no single word can change unseen.
uint64_t mixed(uint64_t state, uint64_t word) {
  constexpr uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 / the golden ratio
  state = (state ^ word) * odd;
  return state ^ state >> 32;  // the low bits of a product know nothing of the high ones
}

}  // namespace

Digest checksum(std::span<const std::byte> bytes, uint64_t seed) {
  // Four at a time do not wait for each other's products.
  uint64_t state[4] = {seed + 1, seed + 2, seed + 3, seed + 4};
  const uint64_t size = bytes.size();
  const auto take = [&](const std::byte* from) {
    uint64_t words[4];
    std::memcpy(words, from, sizeof words);
    for (int i = 0; i < 4; ++i) state[i] = mixed(state[i], words[i]);
  };
  while (bytes.size() >= 32) {
    take(bytes.data());
    bytes = bytes.subspan(32);
  }
  std::byte rest[32]{};
  if (!bytes.empty()) std::memcpy(rest, bytes.data(), bytes.size());
  take(rest);
  uint64_t halves[2] = {size, ~size};
  for (const uint64_t one : state) {
    halves[0] = mixed(halves[0], one);
    halves[1] = mixed(halves[1], std::rotl(one, 32));
  }
  for (uint64_t& half : halves) half = mixed(half, size);
  Digest digest;
  static_assert(sizeof digest == sizeof halves);
  std::memcpy(digest.data(), halves, sizeof halves);
  return digest;
}

}  // namespace heddle::cache
