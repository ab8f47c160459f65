// Resources of the program that graphs keep alive (cudaUserObject_t).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "api/cuda_state/code.h"

namespace heddle::cuda {

class UserObject {
 public:
  UserObject(void* object, void (*destroy)(void*), uint64_t references)
      : object_(object), destroy_(destroy), references_(references) {}
  void retain(uint64_t count) {
    const std::lock_guard lock(mutex_);
    references_ += count;
  }
  // The last one ends it. False when there are not so many; `last` says that its handle is gone, too.
  bool release(uint64_t count, bool& last) {
    last = false;
    {
      const std::lock_guard lock(mutex_);
      if (count > references_) return false;
      references_ -= count;
      if (references_ != 0) return true;
    }
    last = true;
    destroy_(object_);
    return true;
  }
  uint64_t handle = 0;

 private:
  void* const object_;
  void (*const destroy_)(void*);
  std::mutex mutex_;
  uint64_t references_;
};

}  // namespace heddle::cuda
