// BLAKE2b (RFC 7693): a hash that nobody finds collisions of, at the speed of reading.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::cache {

class Blake2b {
 public:
  explicit Blake2b(std::size_t digest_bytes);  // 1 to 64
  void add(std::span<const std::byte> bytes);
  // As many bytes as the digest has. Once, at the end.
  void finish(std::span<uint8_t> digest);

 private:
  void compress(bool last);

  std::array<uint64_t, 8> state_;
  std::array<uint8_t, 128> block_{};
  std::size_t filled_ = 0;
  uint64_t total_ = 0;  // bytes compressed; the standard's counter of 128 bits is never needed
};

}  // namespace heddle::cache
