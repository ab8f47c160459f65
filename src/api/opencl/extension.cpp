#include "api/opencl/extension.h"

#include <algorithm>
#include <cstring>

namespace heddle::opencl {

namespace {

cl_name_version named(std::string_view name, cl_version version) {
  cl_name_version result{};
  result.version = version;
  std::memcpy(result.name, name.data(), std::min(name.size(), sizeof result.name - 1));
  return result;
}

std::vector<cl_name_version> shown(std::span<const Extension> all, const arch::Device& device) {
  std::vector<cl_name_version> list;
  for (const Extension& extension : all)
    if (extension.shown(device)) list.push_back(named(extension.name, extension.version));
  return list;
}

}  // namespace

// 1.1 has the 32-bit atomics in its core; 1.2 and 3.0 printf.
cl_version version_of(const arch::Device& device) {
  if (!device.has(arch::Feature::global_atomics_32) || !device.has(arch::Feature::shared_atomics_32))
    return CL_MAKE_VERSION(1, 0, 0);
  return device.has(arch::Feature::device_output) ? CL_MAKE_VERSION(3, 0, 0) : CL_MAKE_VERSION(1, 1, 0);
}

std::vector<cl_name_version> extensions_of(const arch::Device& device) {
  return shown(all_extensions(), device);
}

std::vector<cl_name_version> language_features_of(const arch::Device& device) {
  if (version_of(device) < CL_MAKE_VERSION(3, 0, 0)) return {};
  return shown(all_language_features(), device);
}

bool has_language_feature(const arch::Device& device, std::string_view name) {
  if (version_of(device) < CL_MAKE_VERSION(3, 0, 0)) return false;
  return std::ranges::any_of(all_language_features(), [&](const Extension& feature) {
    return feature.name == name && feature.shown(device);
  });
}

std::vector<cl_name_version> platform_extensions() {
  std::vector<cl_name_version> list;
  for (const Extension& extension : all_extensions())
    if (extension.of_platform) list.push_back(named(extension.name, extension.version));
  return list;
}

std::vector<cl_name_version> language_versions(cl_version device) {
  std::vector<cl_name_version> list;
  const auto add = [&](cl_version version) { list.push_back(named("OpenCL C", version)); };
  add(CL_MAKE_VERSION(1, 0, 0));
  if (device >= CL_MAKE_VERSION(1, 1, 0)) add(CL_MAKE_VERSION(1, 1, 0));
  if (device >= CL_MAKE_VERSION(3, 0, 0)) {
    add(CL_MAKE_VERSION(1, 2, 0));
    add(CL_MAKE_VERSION(3, 0, 0));
  }
  return list;
}

std::string names_of(const std::vector<cl_name_version>& list) {
  std::string names;
  for (const cl_name_version& item : list) names += (names.empty() ? "" : " ") + std::string(item.name);
  return names;
}

std::vector<std::string> compiler_extensions(const arch::Device& device) {
  std::vector<std::string> names;
  for (const cl_name_version& item : extensions_of(device)) names.emplace_back(item.name);
  for (const cl_name_version& item : language_features_of(device)) names.emplace_back(item.name);
  return names;
}

}  // namespace heddle::opencl
