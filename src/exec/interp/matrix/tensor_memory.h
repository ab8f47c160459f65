// Tensor memory of a block (PTX ISA 9.7.16.1): 128 lanes of 512 columns of 32 bits. Columns are allocated; a
// block has all of them for itself, as if it were alone on its multiprocessor.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace heddle::exec::interp {

// An address: the lane in its upper half, the column in its lower one.
struct TensorAddress {
  uint32_t lane, column;
  static TensorAddress of(uint64_t bits) {
    return {static_cast<uint32_t>(bits >> 16 & 0xffff), static_cast<uint32_t>(bits & 0xffff)};
  }
};

class TensorMemory {
 public:
  static constexpr uint32_t lanes = 128, columns = 512, least = 32;

  // The first of so many columns that lie side by side; nothing where there are none.
  std::optional<uint32_t> allocate(uint32_t count);
  // Whether such an allocation was there.
  bool release(uint32_t first, uint32_t count);
  uint32_t free() const;
  bool any_allocated() const { return free() != columns; }

  // Of a pair of blocks both ask for columns, and both get them when the first one does: those that the other
  // has not asked for yet.
  struct Pending {
    uint32_t first, count;
  };
  void promise(Pending pending) { promised_.push_back(pending); }
  std::optional<Pending> take_promised();

  bool may_allocate() const { return !relinquished_; }
  void relinquish() { relinquished_ = true; }

  // As a block finds it that begins.
  void reset() {
    if (!words_.empty() || !promised_.empty() || relinquished_) *this = {};
  }

  // nullptr: there is no such lane, or the column is not allocated.
  uint32_t* find(uint32_t lane, uint32_t column);

 private:
  std::vector<uint32_t> words_;  // by lane and column; empty before the first allocation
  std::array<bool, columns> taken_{};
  std::array<uint16_t, columns> length_{};  // of the allocation that begins there
  std::deque<Pending> promised_;
  bool relinquished_ = false;
};

}  // namespace heddle::exec::interp
