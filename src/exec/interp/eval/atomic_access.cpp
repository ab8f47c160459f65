#include <atomic>
#include <cstring>
#include <mutex>

#include "exec/interp/eval/atomic.h"

namespace heddle::exec::interp {

Wide atomic_change_wide(std::byte* at, const std::function<Wide(Wide)>& f) {
  static std::mutex lock;
  const std::lock_guard guard(lock);
  Wide old;
  std::memcpy(&old, at, sizeof old);
  const Wide value = f(old);
  std::memcpy(at, &value, sizeof value);
  return old;
}

// Without .sem an atomic operation is relaxed (PTX ISA 8.4).
void fence_before(const Step& s) {
  const isa::Word sem = s.word(isa::Slot::sem);
  if (sem == isa::Word::release || sem == isa::Word::acq_rel)
    std::atomic_thread_fence(std::memory_order_release);
}

void fence_after(const Step& s) {
  const isa::Word sem = s.word(isa::Slot::sem);
  if (sem == isa::Word::acquire || sem == isa::Word::acq_rel)
    std::atomic_thread_fence(std::memory_order_acquire);
}

}  // namespace heddle::exec::interp
