// A launch that was checked: what runs, and with what. Immutable, so that a graph can run one many times.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/launch.h"
#include "runtime/module.h"

namespace heddle::runtime {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

struct Submission;

// What a grid comes of.
struct Origin {
  const Submission* submission = nullptr;  // of the host's launch; nullptr when nobody watches
  uint64_t parent = 0;                     // the grid whose kernel launched it; 0: the host did
  uint64_t asked = 0;                      // that launch (family_watcher.h); 0: the host's
  uint64_t grid_id = 0;                    // its own; set when it runs
};

class Grid {
 public:
  Grid(const Kernel& kernel, exec::LaunchShape shape, std::span<const std::byte> params,
       std::span<const uint32_t> environment);
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  Module& module() const { return *launched_->module; }
  // As it would run, but for who watches and the deadline. Nothing where that needs more than the launch: it
  // has addresses of memory that is not its context's.
  std::optional<exec::Launch> rehearsal(Context& context) const;
  // To its end. A fault ends the context, too.
  Done run(Context& context, exec::Services& services, const Deadline& deadline, Origin& origin) const;

 private:
  exec::Launch prepared(Context& context, exec::Services& services) const;
  const std::shared_ptr<const Module::Launched> launched_;  // keeps the variables and the kernel
  const Kernel& kernel_;
  const exec::LaunchShape shape_;
  // The parameters: most kernels' are few.
  const std::size_t bytes_;
  alignas(16) std::byte few_[96];
  std::vector<std::byte> many_;
  std::array<uint32_t, 32> environment_;  // exec::Launch::environment
  const std::size_t environment_count_;
};

}  // namespace heddle::runtime
