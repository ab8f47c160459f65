// What kernels have cost in quick code, on disk: a process that is over before better code is there leaves
// word of it, so that a later one makes that code at once, and `heddle cache warm` before any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/disk.h"
#include "exec/jit/compiler/compiler.h"

namespace heddle::exec::jit {

// An entry of the cache: texts by their own keys.
struct ExperienceRecord {
  Experience experience;
  std::vector<cache::Digest> texts;
  std::string device;
  uint32_t function = 0;
  Shape shape;
};
std::string write_experience(const ExperienceRecord& record);
std::optional<ExperienceRecord> read_experience(std::string_view bytes);

class Experiences {
 public:
  Experiences(const std::string& directory, uint64_t max_bytes);

  Experience find(const cache::Digest& key);
  void add(const cache::Digest& key, const CompileRequest& request, const Experience& more);
  void remove(const cache::Digest& key) { records_.remove(key); }
  // Those whose texts are there as well; others are removed.
  std::vector<Waiting> all();

 private:
  std::optional<ExperienceRecord> read(const cache::Digest& key);

  cache::DiskCache records_, texts_;
};

}  // namespace heddle::exec::jit
