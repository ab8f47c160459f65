#include "exec/jit/fiber/stacks.h"

#include <sys/mman.h>

namespace heddle::exec::jit {

namespace {

constexpr size_t page = 4096;
// Above so many stacks the system may have no room for a guard page each (vm.max_map_count).
constexpr size_t most_guarded = 8192;
// Frames of the same code in every thread would otherwise lie a power of two apart and share few cache sets.
constexpr size_t colours = 16, colour_bytes = 192;

}  // namespace

Stacks::~Stacks() { release(); }

void Stacks::release() {
  if (map_) munmap(map_, count_ * stride_);
  map_ = nullptr;
  count_ = stride_ = 0;
}

bool Stacks::reserve(size_t count, size_t bytes, size_t before) {
  const size_t stride = (bytes + colours * colour_bytes + page - 1) / page * page + page;
  if (count <= count_ && stride <= stride_) return true;
  release();
  void* map = mmap(nullptr, count * stride, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (map == MAP_FAILED) return false;
  map_ = static_cast<std::byte*>(map);
  count_ = count;
  stride_ = stride;
  for (size_t i = 0; i < count && before + count <= most_guarded; ++i) {
    if (mprotect(map_ + i * stride, page, PROT_NONE) != 0) break;
  }
  return true;
}

std::byte* Stacks::top(size_t index) const {
  return map_ + (index + 1) * stride_ - index % colours * colour_bytes;
}

bool Stacks::is_guard(uintptr_t address) const {
  const uintptr_t offset = address - reinterpret_cast<uintptr_t>(map_);
  return map_ != nullptr && offset < count_ * stride_ && offset % stride_ < page;
}

}  // namespace heddle::exec::jit
