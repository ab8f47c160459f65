// CU_JIT_MAX_REGISTERS, of the options of programs that are compiled at run time: it bounds the kernels of
// PTX.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "api/cuda_state/program.h"
#include "runtime/register_limit.h"

namespace heddle::cu {

// Of a list that JitOptions has read; 0: no limit.
inline uint32_t register_limit(unsigned int count, const CUjit_option* options, void* const* values) {
  uint32_t limit = 0;
  for (unsigned int i = 0; i < count; ++i)
    if (options[i] == CU_JIT_MAX_REGISTERS)
      limit = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
  return limit;
}

inline void limit_registers(cuda::ProgramImage& image, uint32_t most) {
  if (!image.text.empty()) runtime::limit_registers(image.text, most);
}

}  // namespace heddle::cu
