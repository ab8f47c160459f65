// Where a program has its managed variables: clang knows no such thing, so our headers put them into a
// section of their own (include/crt/host_defines.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::cuda {

inline constexpr std::string_view managed_section = "heddle_managed";

struct AddressRange {
  uint64_t begin = 0, end = 0;
  bool holds(uint64_t address) const { return address - begin < end - begin; }
};

// The section's addresses in the executable or shared library that holds `address`; nothing when it has none.
std::optional<AddressRange> managed_section_near(const void* address);

// The same of a file's section headers: addresses as the file has them.
std::optional<AddressRange> section_of_file(const std::string& path, std::string_view name);

}  // namespace heddle::cuda
