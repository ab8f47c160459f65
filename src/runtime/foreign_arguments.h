// Arguments of a launch that the kernel uses as addresses and that point to memory which is there, but not
// for kernels of this context: the host's own, which was neither allocated, managed nor registered, or
// another context's without peer access. Native code could touch it, since the pages are the process's; a
// device could not. What is not mapped at all needs no care: there native code faults by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/context.h"
#include "runtime/module.h"

namespace heddle::runtime {

class ForeignArguments {
 public:
  // Mostly none. What may be touched is asked now, so just before the kernel runs.
  ForeignArguments(Context& context, const Kernel& kernel, const exec::LoadedModule& module,
                   std::span<const std::byte> params);

  bool any() const { return !list_.empty() || needs_reference_; }
  // Native code is held to the rule by displaced values, unless somebody could see that they are others: then
  // only an executor that asks for each access will do. So it is, too, where the kernel will find such an
  // address in memory, one step away from an argument or a variable.
  bool needs_reference() const { return needs_reference_; }
  // The parameters with those values in a half of the address space that no process has, so that an access
  // there faults. Valid as long as this is.
  std::span<const std::byte> displaced(std::span<const std::byte> params);
  // The address that the program meant.
  static uint64_t meant(uint64_t address);
  // "the 2nd argument of the launch is 0x7ffd...", for the argument that an access at this address comes from
  // most likely; empty where there is none.
  std::string name_for(uint64_t address) const;

 private:
  struct Argument {
    uint32_t parameter = 0, offset = 0, within = 0;
    uint64_t value = 0;
  };
  std::vector<Argument> list_;
  bool needs_reference_ = false;
  struct alignas(16) Words {
    std::byte bytes[16];
  };
  std::vector<Words> copy_;
};

}  // namespace heddle::runtime
