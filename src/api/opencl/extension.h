// Extensions, and optional features of OpenCL C 3.0, by what devices have. The lists are spec/opencl's; the
// compiler is told the same.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/opencl/headers.h"
#include "arch/device.h"

namespace heddle::opencl {

struct Extension {
  std::string_view name;
  cl_version version;
  bool of_platform;                           // shown by the platform, too
  bool (*shown)(const arch::Device& device);  // whether the device has it
};
std::span<const Extension> all_extensions();
std::span<const Extension> all_language_features();  // __opencl_c_*

// The version of OpenCL that a device shows: its core features are there (OpenCL Programming Guide, C.1).
cl_version version_of(const arch::Device& device);
std::vector<cl_name_version> extensions_of(const arch::Device& device);
std::vector<cl_name_version> language_features_of(const arch::Device& device);
bool has_language_feature(const arch::Device& device, std::string_view name);
std::vector<cl_name_version> platform_extensions();
std::vector<cl_name_version> language_versions(cl_version device);  // of OpenCL C
std::string names_of(const std::vector<cl_name_version>& list);     // with blanks between
// What the compiler may use for the device: both lists' names.
std::vector<std::string> compiler_extensions(const arch::Device& device);

}  // namespace heddle::opencl
