#include "cache/blake2b.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::cache {

namespace {

// RFC 7693, 2.6 and 2.7.
constexpr std::array<uint64_t, 8> start{0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                        0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                        0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
constexpr uint8_t schedule[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                      {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                      {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                      {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                      {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                      {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                      {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                      {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                      {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                      {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
constexpr unsigned rounds = 12;

struct Quarter {
  uint64_t &a, &b, &c, &d;
  void mix(uint64_t x, uint64_t y) const {
    a += b + x;
    d = std::rotr(d ^ a, 32);
    c += d;
    b = std::rotr(b ^ c, 24);
    a += b + y;
    d = std::rotr(d ^ a, 16);
    c += d;
    b = std::rotr(b ^ c, 63);
  }
};

}  // namespace

Blake2b::Blake2b(std::size_t digest_bytes) : state_(start) {
  state_[0] ^= 0x01010000 ^ digest_bytes;  // no key, one node
}

void Blake2b::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (filled_ == block_.size()) {  // and more to come: it is not the last
      total_ += filled_;
      compress(false);
      filled_ = 0;
    }
    const std::size_t n = std::min(bytes.size(), block_.size() - filled_);
    std::memcpy(block_.data() + filled_, bytes.data(), n);
    filled_ += n;
    bytes = bytes.subspan(n);
  }
}

void Blake2b::finish(std::span<uint8_t> digest) {
  total_ += filled_;
  std::fill(block_.begin() + static_cast<std::ptrdiff_t>(filled_), block_.end(), 0);
  compress(true);
  for (std::size_t i = 0; i < digest.size() && i < sizeof state_; ++i)
    digest[i] = static_cast<uint8_t>(state_[i / 8] >> i % 8 * 8);
}

void Blake2b::compress(bool last) {
  std::array<uint64_t, 16> words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) words[i] |= uint64_t{block_[i * 8 + byte]} << byte * 8;
  }
  std::array<uint64_t, 16> v;
  std::copy(state_.begin(), state_.end(), v.begin());
  std::copy(start.begin(), start.end(), v.begin() + 8);
  v[12] ^= total_;
  if (last) v[14] = ~v[14];
  for (unsigned round = 0; round < rounds; ++round) {
    const auto& order = schedule[round % 10];
    for (std::size_t i = 0; i < 4; ++i)
      Quarter{v[i], v[4 + i], v[8 + i], v[12 + i]}.mix(words[order[2 * i]], words[order[2 * i + 1]]);
    for (std::size_t i = 0; i < 4; ++i)
      Quarter{v[i], v[4 + (i + 1) % 4], v[8 + (i + 2) % 4], v[12 + (i + 3) % 4]}.mix(words[order[8 + 2 * i]],
                                                                                     words[order[9 + 2 * i]]);
  }
  for (std::size_t i = 0; i < 8; ++i) state_[i] ^= v[i] ^ v[8 + i];
}

}  // namespace heddle::cache
