#include "runtime/sealing.h"

#include <sys/mman.h>

#include <mutex>

namespace heddle::runtime {

namespace {

std::mutex mutex;  // of every allocation's `writers`: they are few, and so are those who write

void protect(const Allocation& allocation, int protection) {
  mprotect(reinterpret_cast<void*>(allocation.sealed_begin), allocation.sealed_bytes, protection);
}

}  // namespace

void seal(const Allocation& allocation, uint64_t begin, uint64_t bytes) {
  const std::lock_guard lock(mutex);
  if (bytes == 0 || allocation.sealed_bytes != 0) return;
  allocation.sealed_begin = begin;
  allocation.sealed_bytes = bytes;
  protect(allocation, PROT_READ);
}

Writing::Writing(const AllocationRef& memory) {
  if (memory == nullptr || !memory->read_only) return;
  const std::lock_guard lock(mutex);
  if (memory->sealed_bytes == 0) return;
  sealed_ = memory.get();
  if (sealed_->writers++ == 0) protect(*sealed_, PROT_READ | PROT_WRITE);
}

Writing::~Writing() {
  if (sealed_ == nullptr) return;
  const std::lock_guard lock(mutex);
  if (--sealed_->writers == 0) protect(*sealed_, PROT_READ);
}

}  // namespace heddle::runtime
