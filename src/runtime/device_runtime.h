// Kernels that launch kernels: the device runtime (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism").
//
// A grid's children wait until it has ended: nothing promises that they run before, and a grid counts as
// ended only when its children have. They run in the order of their launches, each with all of its own
// descendants, which no rule of streams and events forbids. What was launched to the tail stream runs after
// them, in the place of the grid itself: chains of such launches may be endless, and use no memory. Only
// cudaDeviceSynchronize in device code (of the first generation) wants children to have run; it runs them
// then, on a thread of its own, while the thread that called waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "exec/launch.h"
#include "runtime/context.h"
#include "runtime/grid.h"

namespace heddle::runtime {

// What programs of an API expect of it: numbers, texts and structures, which the runtime does not know.
class DeviceRuntimeApi {
 public:
  virtual ~DeviceRuntimeApi() = default;
  virtual int code(const Error& error) const = 0;
  virtual std::string error_name(int code) const = 0;
  virtual std::string error_text(int code) const = 0;
  // The functions of exec::answered_by_api().
  virtual Done answer(exec::DeviceCall& call, Context& context, Module& module) const = 0;
};

// "The maximum depth": PTX ISA and guide count the grid that the host launched as 0.
inline constexpr uint32_t deepest_nesting = 24;

// Of a function pointer, as programs have it; nullptr for anything else.
Kernel* find_kernel(Module& module, uint64_t handle);

class FamilyGrid;

// A grid that the host launched, with all that comes of it.
class GridFamily {
 public:
  explicit GridFamily(Context& context, const Deadline& deadline) : context_(context), deadline_(deadline) {}
  Done run(const Grid& grid, const Submission* submission);

 private:
  friend class FamilyGrid;
  struct Work {  // a launch, or a copy
    std::shared_ptr<const Grid> grid;
    std::function<Done()> operation;
    uint64_t asked = 0;  // of a launch (family_watcher.h)
  };
  Done finish(std::unique_ptr<FamilyGrid> grid);
  Context& context_;
  const Deadline deadline_;
  std::atomic<uint64_t> outstanding_{0};  // launches whose grids have not ended
};

// One grid, while it runs and until its children have: what its threads ask for.
class FamilyGrid final : public exec::Services {
 public:
  FamilyGrid(GridFamily& family, Module& module, uint32_t depth, bool counted);
  ~FamilyGrid() override;

  void print(std::string_view text) override { host_.print(text); }
  void print_error(std::string_view text) override { host_.print_error(text); }
  uint64_t allocate(uint64_t bytes) override { return host_.allocate(bytes); }
  bool release(uint64_t address) override { return host_.release(address); }
  const exec::TextureObject* texture(uint64_t handle) override { return host_.texture(handle); }
  const exec::Sampler* sampler(uint64_t handle) override { return host_.sampler(handle); }
  const exec::SurfaceObject* surface(uint64_t handle) override { return host_.surface(handle); }
  std::optional<uint64_t> device_call(exec::DeviceCall& call) override;

 private:
  friend class GridFamily;
  using Function = exec::DeviceFunction;
  struct Prepared {  // a parameter buffer of the second form
    Kernel* kernel = nullptr;
    exec::Dim3 grid, block;
    uint32_t shared = 0;
  };
  // How a stream of device code is told: nothing for one that does not exist.
  enum class Order : uint8_t { in_order, tail };
  Outcome<Order> order_of(uint64_t stream, bool launch);

  Done call(exec::DeviceCall& call);
  uint64_t parameter_buffer(exec::DeviceCall& call);
  Done launch(exec::DeviceCall& call);
  Done submit(const Prepared& launch, uint64_t buffer, Order order, uint64_t asked);
  uint64_t tell_launch(const exec::DeviceCall& asked, Order order);
  Done create(exec::DeviceCall& call, std::unordered_set<uint64_t>& objects, uint32_t only_flags);
  Done destroy(uint64_t object, std::unordered_set<uint64_t>& objects);
  Done allocate(exec::DeviceCall& call);
  Done copy(exec::DeviceCall& call);
  Done set(exec::DeviceCall& call);
  Done submit(std::function<Done()> operation, uint64_t stream);
  Done synchronize(const exec::DeviceCall& asked);
  uint64_t text(const std::string& text);
  uint64_t last_error(exec::DeviceCall& call, bool forget);
  void remember(exec::DeviceCall& call, const Error& error);
  std::optional<GridFamily::Work> take(std::deque<GridFamily::Work>& from);

  Origin origin_;
  GridFamily& family_;
  Context& context_;
  GuestServices& host_;
  Module& module_;
  const uint32_t depth_;
  const bool counted_;
  std::mutex mutex_;
  std::deque<GridFamily::Work> children_, tail_;
  std::unordered_map<uint64_t, Prepared> buffers_;  // by address
  std::unordered_set<uint64_t> streams_, events_;
  uint64_t next_object_ = 0x1000;             // above every stream that has a name
  std::unordered_map<uint64_t, int> errors_;  // by thread of the grid
  std::mutex draining_;
};

}  // namespace heddle::runtime
