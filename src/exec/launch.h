// The contract between the runtime and an executor: everything that one launch needs, as values and narrow
// interfaces.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "exec/device_call.h"
#include "exec/fault.h"
#include "exec/guest_memory.h"
#include "exec/texture.h"
#include "module/image.h"
#include "observe/observer.h"
#include "support/result.h"

namespace heddle::exec {

// An image with its variables placed. Addresses are host addresses (global, const). Texture, sampler and
// surface symbols hold the handle that is bound to them, which the runtime may change between launches.
struct LoadedModule {
  std::shared_ptr<const module::Image> image;
  std::vector<uint64_t> symbol_address;  // by symbol index; 0 for shared, local and param ones
  std::vector<uint64_t> symbol_handle;   // texture, sampler and surface symbols
};

// What a running kernel may ask of its host. Called from any executor thread.
class Services {
 public:
  virtual ~Services() = default;
  virtual void print(std::string_view text) = 0;  // device printf, already formatted
  virtual void print_error(std::string_view text) {
    print(text);
  }  // assertions: the process writes them to stderr
  virtual uint64_t allocate(uint64_t bytes) = 0;  // device malloc: 0 when the heap is full
  virtual bool release(uint64_t address) = 0;     // device free: false for a pointer that malloc did not give
  virtual const TextureObject* texture(uint64_t handle) = 0;  // nullptr: no such handle
  virtual const Sampler* sampler(uint64_t handle) = 0;
  virtual const SurfaceObject* surface(uint64_t handle) = 0;
  // The device runtime: what the call returns, or nothing when this host has none.
  virtual std::optional<uint64_t> device_call(DeviceCall&) { return std::nullopt; }
};

struct LaunchShape {
  Dim3 grid{}, block{}, cluster{};  // cluster {1,1,1}: none
  uint32_t dynamic_shared = 0;      // bytes
  bool cooperative = false;         // all blocks resident: grid-wide waiting is allowed
};

struct Launch {
  const LoadedModule* module = nullptr;
  uint32_t function = 0;  // an entry
  LaunchShape shape;
  std::span<const std::byte> params;  // laid out as the entry's signature says
  // %envreg0 and on (PTX ISA 10.29), "initialized by the driver": at most 32. Empty: CUDA's, which say where
  // the memory of cooperative groups lies.
  std::span<const uint32_t> environment;
  const arch::Device* device = nullptr;
  GuestMemory* memory = nullptr;
  Services* services = nullptr;
  uint64_t local_bytes = 1 << 20;  // stack and local memory of one thread, at most
  uint64_t grid_id = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline;  // the device's run-time limit
  const std::atomic<bool>* cancel = nullptr;
  observe::Observer* observer = nullptr;  // who watches; nullptr: nobody
};

struct LaunchReport {
  uint64_t warp_instructions = 0, thread_instructions = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::string_view name() const = 0;
  // Whether a call of a function without a body reaches the host: such a program can be loaded.
  virtual bool provides(std::string_view function) const = 0;
  // Checks nothing that the runtime's launch checks cover (limits of the device); runs to the end or to the
  // first fault.
  virtual Result<LaunchReport, Fault> run(const Launch&) = 0;
  // On the thread that asks for the launch, before another one may run it: what run() might have to load.
  // That thread may hold the loader's lock, in a constructor of a library, and wait for the other.
  virtual void prepare(const Launch&) {}
};

}  // namespace heddle::exec
