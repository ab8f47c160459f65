// Devices as plain values: a name, a compute capability, and the facts that spec/arch and spec/devices state.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::arch {

struct Capability {
  uint8_t major = 0, minor = 0;
  constexpr unsigned number() const { return major * 10u + minor; }  // 90 for 9.0
  auto operator<=>(const Capability&) const = default;
};

// Named abilities of a compute capability. Ask for one; never compare capabilities.
enum class Feature : uint8_t;

struct Device {
  std::string_view id;    // "gtx480": what users write
  std::string_view name;  // "GeForce GTX 480": what the driver reports
  Capability capability;
  uint32_t multiprocessors = 0;
};

}  // namespace heddle::arch
