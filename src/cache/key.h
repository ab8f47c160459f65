// What an entry of a cache is found by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "cache/blake2b.h"

namespace heddle::cache {

using Digest = std::array<uint8_t, 16>;

// What an entry depends on, piece by piece; no two lists of pieces look the same.
class KeyHash {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  void add(uint64_t number);
  Digest digest() const;

 private:
  Blake2b hash_{sizeof(Digest)};
};

// Of the program that this is in: its version and its linker's build id, and that of the library with the
// compilers beside it, so that no build reads what another one meant otherwise. Always the same in a process.
const Digest& build_identity();

}  // namespace heddle::cache
