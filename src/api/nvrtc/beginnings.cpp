#include "api/nvrtc/beginnings.h"

#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "cache/disk.h"
#include "cache/key.h"
#include "support/setting.h"

namespace heddle::nvrtc {
namespace {

// clang says by these what compiles and for which system. NVRTC is none of these compilers and has no system
// (NVRTC, "Predefined Macros"), and headers that serve several compilers take __CUDACC_RTC__ for it only
// where no other is there. Headers of the C library must not come after: without __GNUC__ they define away
// __attribute__, and kernels with it. Those that clang's own headers include came before.
constexpr const char* not_of_nvrtc[] = {
    "__clang__",
    "__clang_major__",
    "__clang_minor__",
    "__clang_patchlevel__",
    "__clang_version__",
    "__GNUC__",
    "__GNUC_MINOR__",
    "__GNUC_PATCHLEVEL__",
    "__GNUG__",
    "__VERSION__",
    "__linux",
    "__linux__",
    "linux",
    "__gnu_linux__",
    "__unix",
    "__unix__",
    "unix",
    "_GNU_SOURCE",
};

// Programs that differ in nothing but their text share one; a few sets of options are in use at a time.
constexpr std::size_t most_kept = 8;

class Beginnings {
 public:
  Beginnings() {
    const auto environment = [](const char* name) -> const char* { return setting(name); };
    const auto bytes = cache::cache_size(environment);  // a wrong size is told where devices are asked for
    const std::string directory = bytes ? cache::cache_directory(environment) : std::string();
    if (!directory.empty()) disk_.emplace(cache::Kind::program, directory, *bytes);
  }

  SharedBeginning get(const frontend::Job& job, bool anew) {
    const cache::Digest key = key_of(job);
    if (!anew) {
      const std::lock_guard lock(mutex_);
      if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
    }
    auto own = std::make_shared<frontend::Beginning>();
    own->lines = beginning_lines();
    std::optional<std::string> stored;
    if (disk_ && !anew) stored = disk_->find(key);
    if (stored) {
      own->parsed = std::move(*stored);
    } else {
      frontend::Product product = frontend::precompile(job, own->lines);
      if (!product.ok || product.output.empty()) return nullptr;
      own->parsed = std::move(product.output);
      if (disk_) (void)disk_->store(key, own->parsed);
    }
    const std::lock_guard lock(mutex_);
    if (kept_.size() >= most_kept) kept_.clear();
    kept_.insert_or_assign(key, own);
    return own;
  }

 private:
  static cache::Digest key_of(const frontend::Job& job) {
    cache::KeyHash key;
    key.add(std::as_bytes(std::span(cache::build_identity())));
    key.add("beginning");
    key.add(beginning_lines());
    if (const auto resources = frontend::resource_directory()) key.add(*resources);
    for (const std::string& word : job.arguments) key.add(word);
    return key.digest();
  }

  std::optional<cache::DiskCache> disk_;
  std::mutex mutex_;
  std::map<cache::Digest, SharedBeginning> kept_;
};

// Never destroyed: programs compile until the very end of a process.
Beginnings& beginnings() {
  static auto& own = *new Beginnings;
  return own;
}

}  // namespace

const std::string& beginning_lines() {
  static const auto& lines = *[] {
    auto* text = new std::string;
    for (const char* name : not_of_nvrtc) *text += "#undef " + std::string(name) + "\n";
    // NVRTC has these macros by itself, and headers made for it (cuda_fp16.h of wheels) include nothing.
    *text += "#include <nv/target>\n";
    // Nor do those headers include their functions' bodies, which NVRTC has in a library, unless they are
    // told.
    for (const char* header : {"FP16", "BF16"})
      *text += "#define __FORCE_INCLUDE_CUDA_" + std::string(header) + "_HPP_FROM_" + header + "_H__\n";
    return text;
  }();
  return lines;
}

SharedBeginning beginning_for(const frontend::Job& job) { return beginnings().get(job, false); }
SharedBeginning renewed_beginning(const frontend::Job& job) { return beginnings().get(job, true); }

}  // namespace heddle::nvrtc
