// What a kernel needs of a thread's memory, over everything that it may call. Registers:
// registers/estimate.h.
#pragma once

#include <cstdint>

#include "module/image.h"

namespace heddle::analysis {

struct ThreadResources {
  uint64_t stack_bytes = 0;  // of the deepest chain of calls, each function once where it is recursive
  bool recursive = false;    // the stack has no bound
  bool undefined = false;    // a function without a body is reachable: its needs are not in the figures
};
ThreadResources estimate_thread(const module::Image& image, uint32_t entry);

}  // namespace heddle::analysis
