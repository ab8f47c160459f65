// What texts say of what fat binaries keep as numbers.
#pragma once

#include <optional>
#include <string_view>

#include "fatbin/fatbin.h"

namespace heddle::fatbin {

// "80", "90a", "100f": what stands behind sm_ and compute_.
std::optional<Arch> parse_arch(std::string_view number);

struct PtxVersion {
  uint16_t major = 0, minor = 0;
};
// Of ".version 8.5", which every PTX has.
std::optional<PtxVersion> version_of(std::string_view ptx);

}  // namespace heddle::fatbin
