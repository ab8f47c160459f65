// What a kernel needs of a thread's memory, over everything that it may call. Registers:
// registers/estimate.h.
#pragma once

#include <cstdint>

#include "arch/device.h"
#include "module/image.h"

namespace heddle::analysis {

struct ThreadResources {
  uint64_t stack_bytes = 0;  // of the deepest chain of calls, each function once where it is recursive
  bool recursive = false;    // the stack has no bound
  bool undefined = false;    // a function without a body is reachable: its needs are not in the figures
};
ThreadResources estimate_thread(const module::Image& image, uint32_t entry);
// Local memory that math functions take with NVIDIA's compiler, and none here (spec/math/local.toml).
uint64_t math_local_bytes(const module::Image& image, uint32_t entry, const arch::Architecture&);
// As NVIDIA's tools report them for the architecture, with that: a thread's memory, the kernel's own frame.
uint64_t reported_frame(const module::Image& image, uint32_t entry, const arch::Architecture&);
ThreadResources reported_thread(const module::Image& image, uint32_t entry, const arch::Architecture&);

}  // namespace heddle::analysis
