// compute_52, sm_90a, and which of them there are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "fatbin/fatbin.h"

namespace heddle::driver {

// "sm_52": real; "compute_90a": virtual. Those that spec/arch has.
struct ArchName {
  bool real = false;
  std::string name;     // "52", "90a"
  uint32_t number = 0;  // 52, 90
  bool operator==(const ArchName&) const = default;
};
std::optional<ArchName> parse_arch(std::string_view text);
std::string spelled(const ArchName& arch);     // "sm_52"
std::string as_virtual(const ArchName& arch);  // "compute_52"
fatbin::Arch in_fat_binary(const ArchName& arch);
// Whether CUDA C++ is compiled for it; PTX is read for all.
bool compiles_for(const ArchName& arch);
const arch::Architecture& architecture_of(const ArchName& arch);

std::vector<uint32_t> all_numbers();  // that nvcc compiles for: 10, 11, ..., 121
// Of the devices that programs will see (HEDDLE_DEVICES, HEDDLE_DEVICE), each once.
std::vector<uint32_t> native_numbers();

}  // namespace heddle::driver
