// One piece of memory that guests or copies may use, and whose it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/address_space.h"

namespace heddle::runtime {

class Context;
class VirtualRange;

enum class MemoryKind : uint8_t {
  device,
  pinned,      // page-locked host memory
  registered,  // the host's own memory, page-locked afterwards
  managed,     // host and devices share it
  array,       // texels; see array.h
  variable,    // a module's variables
  heap,        // what malloc in kernels gives out
  imported,    // pages of another process
  reserved,    // addresses for physical memory, which comes and goes (virtual_range.h)
};
std::string_view name(MemoryKind);

// What the program has said that kernels do with it: undefined behaviour where they do more (OpenCL,
// CL_MEM_READ_ONLY), which nobody but a checker looks for.
enum class KernelUse : uint8_t { any, reads, writes };

struct Allocation {
  uint64_t id = 0;  // never used twice in a process
  MemoryKind kind = MemoryKind::device;
  uint64_t address = 0, bytes = 0;
  Context* owner = nullptr;    // it dies with its owner
  uint32_t device = 0;         // index of the owner's device
  bool guest_visible = true;   // kernels may touch it; false: host memory that is page-locked only
  bool every_context = false;  // kernels of every context may
  bool read_only = false;      // for kernels
  KernelUse kernel_use = KernelUse::any;
  uint32_t flags = 0;  // of the API that asked; unused here
  // Of one that kernels may only read, once it is sealed: its pages, and how many write there now
  // (sealing.h).
  mutable uint64_t sealed_begin = 0, sealed_bytes = 0;
  mutable unsigned writers = 0;
  VirtualRange* range = nullptr;  // of what is reserved
  // Bytes next to it that nobody has and that hold a pattern (fences.h).
  uint32_t fence_before = 0, fence_behind = 0;
  uint64_t end() const { return address + bytes; }
  bool holds(uint64_t a, uint64_t n) const { return a >= address && n <= bytes && a - address <= bytes - n; }
};
using AllocationRef = std::shared_ptr<const Allocation>;

}  // namespace heddle::runtime
