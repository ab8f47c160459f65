// A program in a context: its variables have places, its kernels can be launched.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/pointer_parameters.h"
#include "exec/launch.h"
#include "exec/texture.h"
#include "model/occupancy.h"
#include "module/image.h"
#include "runtime/context.h"
#include "runtime/fences.h"

namespace heddle::runtime {

class Module;

// A kernel of a loaded module, with what the program may set for its launches.
class Kernel {
 public:
  Kernel(Module& module, uint32_t function);
  Module& module() const { return module_; }
  uint32_t index() const { return function_; }  // in Image::functions
  const module::Function& function() const;
  const arch::KernelNeeds& needs() const { return needs_; }
  uint64_t local_bytes() const { return local_bytes_; }  // of a thread, see local_bytes_of()
  uint32_t max_threads() const;                          // of a block, on the context's device
  uint32_t registers() const;                   // of a thread: an estimate, made when first asked for
  bool set_max_dynamic_shared(uint32_t bytes);  // false: more than the device has
  // Its parameters that are addresses; found at the first launch.
  std::span<const analysis::PointerParameter> pointers() const;
  // And what it finds in memory and uses as one.
  std::span<const analysis::FoundPointer> found_pointers() const;
  FenceWatch& fences() const { return fences_; }
  // Whether an executor was told of a launch with such blocks; from now on it was (exec::Executor::prepare).
  bool prepared(const exec::Dim3& block) const {
    const uint64_t packed = block.x | uint64_t{block.y} << 20 | uint64_t{block.z} << 40;
    return prepared_.load(std::memory_order_relaxed) == packed ||
           prepared_.exchange(packed, std::memory_order_relaxed) == packed;
  }

  std::atomic<uint32_t> max_dynamic_shared{0};  // 0: as without asking
  std::atomic<bool> large_cluster_allowed{false};
  std::atomic<int32_t> shared_carveout{-1};  // percent of the multiprocessor's memory that should be shared
  std::atomic<model::CachePreference> cache_preference{};  // none: the context's
  // The cluster of launches that name none, of kernels that are not compiled for one; 0: one block.
  std::array<std::atomic<uint32_t>, 3> cluster{};

 private:
  Module& module_;
  const uint32_t function_;
  const uint64_t local_bytes_;
  const arch::KernelNeeds needs_;
  mutable std::once_flag pointers_known_;
  mutable std::vector<analysis::PointerParameter> pointers_;
  mutable std::vector<analysis::FoundPointer> found_pointers_;
  mutable FenceWatch fences_;
  mutable std::atomic<uint32_t> registers_{0};  // 0: not asked for yet
  mutable std::atomic<uint64_t> prepared_{0};   // the last block, as one number
};

struct Variable {
  uint64_t address = 0, bytes = 0;
};

// A variable that lies where the host wants it, with the contents that it has there.
struct Placement {
  std::string name;
  uint64_t address = 0;
};

class Module : public std::enable_shared_from_this<Module> {
 public:
  // Gives every variable its place. The image must be for the context's device.
  static Outcome<std::shared_ptr<Module>> load(Context& context, std::shared_ptr<const module::Image> image,
                                               std::span<const Placement> placements = {});
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Context& context() const { return *context_; }
  const module::Image& image() const { return *image_; }
  Outcome<Kernel*> kernel(std::string_view name);
  Kernel* kernel(uint32_t function);  // by its number in the image; nullptr for what is no kernel
  std::vector<Kernel*> kernels();
  // Its kernels may launch others, or ask the device runtime for something else.
  bool uses_device_runtime() const { return uses_device_runtime_; }
  Outcome<Variable> variable(std::string_view name) const;
  // What launches see from now on, and what keeps the module for them; those submitted before keep what they
  // saw.
  struct Launched {
    const std::shared_ptr<Module> module;
    const std::shared_ptr<const exec::LoadedModule> loaded;
  };
  std::shared_ptr<const Launched> launched();
  // Texture, sampler and surface variables (references) by the handle of an object.
  Done bind(std::string_view symbol, module::SymbolKind kind, uint64_t handle);
  Outcome<uint64_t> bound(std::string_view symbol, module::SymbolKind kind) const;
  // No more launches; running ones end first.
  Done unload();
  // The context does not keep it any more: who else has it does, and launches that run. Waits for nothing.
  void unload_when_unused();
  // The context has forgotten it.
  void let_go();
  bool loaded() const { return loaded_.load(std::memory_order_acquire); }

 private:
  Module(Context& context, std::shared_ptr<const module::Image> image);
  std::shared_ptr<const exec::LoadedModule> snapshot() const;
  Done place_variables(std::span<const Placement> placements);
  Outcome<uint64_t> place_global(uint32_t symbol);
  Done place_constants(exec::LoadedModule& loaded);
  Done write_initial_bytes(const exec::LoadedModule& loaded, const std::vector<bool>& placed);
  Done make_samplers(exec::LoadedModule& loaded);
  Outcome<AllocationRef> allocate(MemoryRequest request, const std::string& what);
  Outcome<uint32_t> reference(std::string_view symbol, module::SymbolKind kind) const;

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<const module::Image> image_;
  std::deque<Kernel> kernels_;
  bool uses_device_runtime_ = false;
  std::vector<AllocationRef> memory_;
  std::vector<uint64_t> samplers_;  // made from initialisers
  mutable std::mutex mutex_;
  std::shared_ptr<const exec::LoadedModule> loaded_module_;
  // What launches have in common, of which each takes one. Many at a time, because threads that launch and
  // threads that run pull at the count; they keep this module, until let_go().
  std::vector<std::shared_ptr<const Launched>> ready_;
  bool keeps_ready_ = true;
  std::atomic<bool> loaded_{true};
};

// Bytes of a thread's local memory along the deepest chain of calls. Recursion counts once; what it needs
// besides is the context's stack limit.
uint64_t local_bytes_of(const module::Image& image, const module::Function& function);

}  // namespace heddle::runtime
