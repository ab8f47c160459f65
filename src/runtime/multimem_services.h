// What kernels of a device ask of their host, multimem addresses among it.
#pragma once

#include "exec/multimem.h"
#include "runtime/memory.h"

namespace heddle::runtime {

// As `others`, for a launch.
class MultimemOfMemory final : public exec::MultimemServices {
 public:
  MultimemOfMemory(exec::Services& others, const Memory& memory, uint32_t device)
      : others_(others), memory_(memory), device_(device) {}
  void print(std::string_view text) override { others_.print(text); }
  void print_error(std::string_view text) override { others_.print_error(text); }
  uint64_t allocate(uint64_t bytes) override { return others_.allocate(bytes); }
  bool release(uint64_t address) override { return others_.release(address); }
  const exec::TextureObject* texture(uint64_t handle) override { return others_.texture(handle); }
  const exec::Sampler* sampler(uint64_t handle) override { return others_.sampler(handle); }
  const exec::SurfaceObject* surface(uint64_t handle) override { return others_.surface(handle); }
  std::optional<uint64_t> device_call(exec::DeviceCall& call) override { return others_.device_call(call); }
  std::string multimem(uint64_t address, uint32_t bytes, bool write, const Use& use) override;

 private:
  exec::Services& others_;
  const Memory& memory_;
  const uint32_t device_;
};

}  // namespace heddle::runtime
