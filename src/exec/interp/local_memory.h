// The local memory of one thread: stack frames and .local variables. It grows as it is touched, up to the
// launch's limit, because most threads use next to nothing of it.
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
    if (offset > limit || bytes > limit - offset) return nullptr;
    uint64_t end = offset + bytes;
    if (end > bytes_.size()) bytes_.resize(std::min(limit, std::max<uint64_t>(std::bit_ceil(end), 256)));
    return bytes_.data() + offset;
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace heddle::exec::interp
