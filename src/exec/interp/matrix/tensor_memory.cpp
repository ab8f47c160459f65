#include "exec/interp/matrix/tensor_memory.h"

#include <algorithm>

namespace heddle::exec::interp {

std::optional<uint32_t> TensorMemory::allocate(uint32_t count) {
  if (words_.empty()) words_.resize(std::size_t{lanes} * columns);
  for (uint32_t first = 0; first + count <= columns; first += least) {
    const auto from = taken_.begin() + first, to = from + count;
    if (std::find(from, to, true) != to) continue;
    std::fill(from, to, true);
    length_[first] = static_cast<uint16_t>(count);
    return first;
  }
  return std::nullopt;
}

bool TensorMemory::release(uint32_t first, uint32_t count) {
  if (first >= columns || count == 0 || length_[first] != count) return false;
  length_[first] = 0;
  std::fill_n(taken_.begin() + first, count, false);
  return true;
}

uint32_t TensorMemory::free() const {
  return static_cast<uint32_t>(std::count(taken_.begin(), taken_.end(), false));
}

std::optional<TensorMemory::Pending> TensorMemory::take_promised() {
  if (promised_.empty()) return std::nullopt;
  const Pending pending = promised_.front();
  promised_.pop_front();
  return pending;
}

uint32_t* TensorMemory::find(uint32_t lane, uint32_t column) {
  if (lane >= lanes || column >= columns || !taken_[column]) return nullptr;
  return &words_[std::size_t{lane} * columns + column];
}

}  // namespace heddle::exec::interp
