// The local memory of one thread: stack frames and .local variables. It grows as it is touched, up to the
// launch's limit, because most threads use next to nothing of it; or it lies in somebody else's bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::exec::interp {

class LocalMemory {
 public:
  // Host place of [offset, offset + bytes), or nullptr beyond `limit`. Valid until the next call.
  std::byte* at(uint64_t offset, uint64_t bytes, uint64_t limit) {
    if (foreign_ != nullptr) limit = std::min(limit, foreign_bytes_);
    if (offset > limit || bytes > limit - offset) return nullptr;
    if (foreign_ != nullptr) return foreign_ + offset;
    uint64_t end = offset + bytes;
    if (end > bytes_.size()) bytes_.resize(std::min(limit, std::max<uint64_t>(std::bit_ceil(end), 256)));
    return bytes_.data() + offset;
  }

  void borrow(std::byte* data, uint64_t bytes) {
    foreign_ = data;
    foreign_bytes_ = bytes;
  }

 private:
  std::vector<std::byte> bytes_;
  std::byte* foreign_ = nullptr;
  uint64_t foreign_bytes_ = 0;
};

}  // namespace heddle::exec::interp
