// Which vectors this host has: for code that is compiled once for each level, and chosen when it runs.
#pragma once

#include <cstdint>

namespace heddle {

// x86-64-v2, -v3 (AVX2 and fused multiplication) and -v4 (AVX-512).
enum class HostLevel : uint8_t { plain, avx2, avx512 };

HostLevel host_level();

}  // namespace heddle
