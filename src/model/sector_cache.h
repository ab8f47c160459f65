// A cache of sectors of 32 bytes, of which the least recently used one goes first. What real caches do is not
// public: their sizes are, and sectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

namespace heddle::model {

class SectorCache {
 public:
  static constexpr uint64_t sector_bytes = 32;
  explicit SectorCache(uint64_t bytes) : most_(bytes / sector_bytes) {}
  // Whether it has the sector of this number; from now on it does.
  bool find(uint64_t sector);
  void clear();

 private:
  const std::size_t most_;
  std::list<uint64_t> used_;  // the last one first
  std::unordered_map<uint64_t, std::list<uint64_t>::iterator> places_;
};

}  // namespace heddle::model
