#include "exec/jit/kernel/slow_code.h"

namespace heddle::exec::jit {

const std::string* SlowCode::make() {
  const std::lock_guard one_makes_it(mutex_);
  if (promise_) {
    {
      const LibraryWork work(*promise_);
      auto loaded = making_();
      if (loaded)
        is_there(std::move(*loaded));
      else
        why_not_ = loaded.error();
      making_ = nullptr;  // with all that it was made out of
    }
    promise_.reset();
  }
  return why_not_ ? &*why_not_ : nullptr;
}

}  // namespace heddle::exec::jit
