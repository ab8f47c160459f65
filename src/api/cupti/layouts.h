// How long the records of each kind are, and where their times lie: what a program needs to go from one to
// the next, and we to turn times into those of the program's clock.
#pragma once

#include <cupti.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::cupti {

struct Layout {
  CUpti_ActivityKind kind;
  uint32_t bytes;
  std::array<uint16_t, 5> times;  // offsets; 0: no more of them (a record begins with its kind)
};

// nullptr: records of this kind are never made here.
const Layout* layout_of(CUpti_ActivityKind kind);

}  // namespace heddle::cupti
