// What the generated source offers to this room alone.
#pragma once

#include <cstdint>
#include <span>

#include "arch/device.h"

namespace heddle::arch {

struct CudaAttribute {
  uint32_t number;
  Attribute attribute;
};
std::span<const CudaAttribute> cuda_attribute_table();  // by rising number

}  // namespace heddle::arch
