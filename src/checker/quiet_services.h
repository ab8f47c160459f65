// The services of runs that nobody shall notice: they print nothing, and the heap of kernels is afterwards as
// it was before.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string_view>

#include "exec/launch.h"

namespace heddle::checker {

class QuietServices final : public exec::Services {
 public:
  explicit QuietServices(exec::Services& own) : own_(own) {}
  ~QuietServices() override {
    for (const uint64_t address : taken_) own_.release(address);
  }
  void print(std::string_view) override {}
  uint64_t allocate(uint64_t bytes) override {
    const uint64_t address = own_.allocate(bytes);
    const std::lock_guard lock(mutex_);
    if (address != 0) taken_.insert(address);
    return address;
  }
  // What was there before stays until the launch itself gives it back.
  bool release(uint64_t address) override {
    const std::lock_guard lock(mutex_);
    if (taken_.erase(address) != 0) return own_.release(address);
    return given_back_.insert(address).second;
  }
  const exec::TextureObject* texture(uint64_t handle) override { return own_.texture(handle); }
  const exec::Sampler* sampler(uint64_t handle) override { return own_.sampler(handle); }
  const exec::SurfaceObject* surface(uint64_t handle) override { return own_.surface(handle); }

 private:
  exec::Services& own_;
  std::mutex mutex_;
  std::set<uint64_t> taken_, given_back_;
};

}  // namespace heddle::checker
