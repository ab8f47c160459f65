// The memory that a launch may write: kept, put back, and compared with what another run of it left there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::checker {

struct MemoryPart {
  uint64_t address = 0, bytes = 0;
  uint64_t allocation = 0, allocation_bytes = 0;  // whose part it is
  bool is_heap = false;                           // of malloc in kernels: it is put back, not compared
};

class LaunchMemory {
 public:
  // False: the host has no memory for it.
  bool keep(std::vector<MemoryPart> parts);
  // As it was when it was kept.
  void restore() const;
  // What is there now is what others are compared with.
  bool keep_result();
  // Where pieces of the kernels' heap lie depends on who came first: pointers there that differ are the same.
  // It may have come to be with the first run.
  struct Heap {
    uint64_t address = 0, bytes = 0;
  };
  void set_heaps(std::vector<Heap> heaps) { heaps_ = std::move(heaps); }

  // 8 bytes that lie at a multiple of 8, or what there is of them at the end of a part.
  struct Word {
    uint64_t address = 0;
    uint32_t part = 0;
    uint64_t result = 0, now = 0;
    bool operator==(const Word&) const = default;
  };
  struct Difference {
    uint64_t bytes = 0;
    std::vector<Word> words;  // the first of them, so many at most
    bool permuted = false;    // in each part the words of 4 or 8 bytes that differ are the same, elsewhere
    bool operator==(const Difference&) const = default;
  };
  Difference compare(std::size_t most_words) const;
  const std::vector<MemoryPart>& parts() const { return parts_; }

 private:
  bool in_heap(uint64_t address) const;
  std::vector<MemoryPart> parts_;
  std::vector<Heap> heaps_;
  std::vector<std::unique_ptr<std::byte[]>> before_, result_;
};

}  // namespace heddle::checker
