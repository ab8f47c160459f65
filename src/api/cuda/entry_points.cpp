#include "api/cuda/entry_points.h"

#include <algorithm>
#include <cstring>

namespace heddle::cu {

EntryPoint find_entry_point(const char* name, int cuda_version, bool per_thread) {
  struct ByName {
    bool operator()(const Version& version, const char* text) const {
      return std::strcmp(version.name, text) < 0;
    }
    bool operator()(const char* text, const Version& version) const {
      return std::strcmp(text, version.name) < 0;
    }
  };
  const auto all = all_versions();
  const auto [begin, end] = std::equal_range(all.begin(), all.end(), name, ByName());
  EntryPoint entry;
  entry.known = begin != end;
  for (auto version = begin; version != end; ++version) {
    if (version->since > cuda_version) break;
    const auto function = per_thread && version->per_thread != nullptr ? version->per_thread : version->plain;
    entry.address = reinterpret_cast<void*>(function);
  }
  return entry;
}

}  // namespace heddle::cu
