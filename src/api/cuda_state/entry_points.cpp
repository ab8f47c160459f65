#include "api/cuda_state/entry_points.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "api/cuda_state/driver_version.h"

namespace heddle::cuda {
namespace {

std::span<const Version> all_versions;

struct ByName {
  bool operator()(const Version& version, const char* text) const {
    return std::strcmp(version.name, text) < 0;
  }
  bool operator()(const char* text, const Version& version) const {
    return std::strcmp(text, version.name) < 0;
  }
};

}  // namespace

bool set_entry_points(std::span<const Version> versions) {
  all_versions = versions;
  return true;
}

Status find_entry_point(const char* name, void** address_out, int cuda_version, uint64_t flags,
                        EntryPointStatus& status, bool has_status) {
  *address_out = nullptr;
  constexpr uint64_t legacy = 1, own_streams = 2;
  if (flags > own_streams) return invalid_value("flags " + std::to_string(flags) + " mean nothing");
  static_assert(legacy < own_streams);
  const auto [begin, end] = std::equal_range(all_versions.begin(), all_versions.end(), name, ByName());
  auto driver = driver_version();
  if (!driver) return driver.error();
  const int newest = std::min(cuda_version, *driver);
  for (auto version = begin; version != end && version->since <= newest; ++version) {
    const auto function =
        flags == own_streams && version->per_thread != nullptr ? version->per_thread : version->plain;
    *address_out = reinterpret_cast<void*>(function);
  }
  status = *address_out != nullptr ? EntryPointStatus::success
           : begin != end          ? EntryPointStatus::version_not_sufficient
                                   : EntryPointStatus::not_found;
  if (status == EntryPointStatus::success || has_status) return Unit{};
  return failure(Code::not_found,
                 begin != end ? std::string(name) + " is younger than version " + std::to_string(newest)
                              : std::string("no function is named ") + name);
}

}  // namespace heddle::cuda
