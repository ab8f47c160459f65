// Results of the compiler, kept on disk for the next process (docs/reference/heddle-cache.md).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cache/disk.h"
#include "frontend/opencl.h"

namespace heddle::opencl {

class BuildCache {
 public:
  // Of this process's environment; without a folder nothing is kept.
  static BuildCache& get();
  BuildCache(const std::string& directory, uint64_t max_bytes);

  // Each as its namesake of frontend/opencl.h.
  frontend::OpenClResult compile(const frontend::OpenClTarget&, std::string_view source,
                                 std::span<const frontend::OpenClHeader> headers, std::string_view options);
  frontend::OpenClResult link(const frontend::OpenClTarget&, std::span<const std::string> objects,
                              std::string_view options);
  frontend::OpenClResult build(const frontend::OpenClTarget&, std::string_view source,
                               std::string_view options);

 private:
  frontend::OpenClResult get(const cache::KeyHash& key, const std::function<frontend::OpenClResult()>& make);
  std::optional<cache::DiskCache> disk_;
};

}  // namespace heddle::opencl
