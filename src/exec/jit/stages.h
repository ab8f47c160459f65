// The stages of a kernel's way to machine code, each as text: what `heddle ptx jit` prints and the tests
// check. No LLVM here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "arch/device.h"
#include "exec/fault.h"
#include "module/image.h"

namespace heddle::exec::jit {

enum class StagePlan : uint8_t { given, quick, best };  // as for a tier's code, or the vectors given

struct StageRequest {
  const module::Image& image;
  uint32_t entry;
  const arch::Device& device;
  // From the vectoriser on.
  Dim3 block{256, 1, 1};
  unsigned lanes = 16, vectors = 2;
  StagePlan plan = StagePlan::given;
};

struct Stage {
  std::string_view name, title;
  std::string (*print)(const StageRequest&);
};
std::span<const Stage> stages();  // in their order

}  // namespace heddle::exec::jit
