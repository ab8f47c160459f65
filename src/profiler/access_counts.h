// What one access of a warp adds to the counters of its group.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "arch/device.h"
#include "observe/observer.h"
#include "profiler/counters.gen.h"

namespace heddle::profiler {

// As many as the largest group has fields; those of a group stand in the order of its fields.
inline constexpr std::size_t most_fields =
    std::max({device_fields, banked_fields, broadcast_fields, looked_fields});
using FieldCounts = std::array<uint64_t, most_fields>;

enum class GroupKind : uint8_t { device, banked, broadcast };
GroupKind kind_of(observe::Space space);

FieldCounts count_access(const arch::Architecture& arch, const observe::Access& access);

}  // namespace heddle::profiler
