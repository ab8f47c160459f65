// Looks names up in the tables that tools/gen/isa_names.py lays out: one hash, one compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::isa {

struct PerfectHash {
  uint32_t bits, bucket_bits;
  std::span<const uint16_t> seeds;   // by bucket
  std::span<const uint16_t> places;  // index of the key + 1, or 0
  // The only key that `text` can be, as an index from 1; 0 for none. The caller compares.
  std::size_t candidate(std::string_view text) const {
    uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    const uint64_t seed = seeds[hash & ((uint64_t{1} << bucket_bits) - 1)];
    return places[((hash ^ seed * 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93) >> (64 - bits)];
  }
};

}  // namespace heddle::isa
