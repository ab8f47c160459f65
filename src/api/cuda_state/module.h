// Code that is loaded in a context, and the functions in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/cuda_state/context.h"
#include "runtime/module.h"

namespace heddle::cuda {

// A kernel of a loaded module. References keep the module.
class Function {
 public:
  Function(Module& module, runtime::Kernel& kernel) : module_(module), kernel_(kernel) {}
  Module& module() const { return module_; }
  runtime::Kernel& kernel() const { return kernel_; }
  const std::string& name() const { return kernel_.function().name; }
  uint64_t handle();

  // What the program asked for. It is told again and changes nothing here.
  std::atomic<int> shared_config{0}, cluster_policy{0};

 private:
  friend class Module;
  Module& module_;
  runtime::Kernel& kernel_;
  std::atomic<uint64_t> handle_{0};
};

class Module : public std::enable_shared_from_this<Module> {
 public:
  static Answer<std::shared_ptr<Module>> load(const ContextRef& context,
                                              std::shared_ptr<const module::Image> image,
                                              std::span<const runtime::Placement> placements = {});
  Module(const ContextRef& context, std::shared_ptr<runtime::Module> runtime);
  ~Module();

  Context& context() const { return *context_; }
  runtime::Module& runtime() const { return *runtime_; }
  bool usable() const { return runtime_->loaded() && !context_->destroyed(); }
  // Of driver programs' modules.
  uint64_t handle();
  Status unload();
  // Its handles mean nothing any more.
  void forget_handles();

  Answer<FunctionRef> function(std::string_view name);
  std::vector<FunctionRef> functions();
  Answer<runtime::Variable> variable(std::string_view name) const;

 private:
  friend class Function;
  const ContextRef context_;
  const std::shared_ptr<runtime::Module> runtime_;
  std::mutex mutex_;
  std::deque<Function> functions_;  // one for each kernel
  uint64_t handle_ = 0;
};

// The function behind a driver handle: of a function, or of a library's kernel in the current context.
Answer<FunctionRef> find_function(const ContextRef& current, const void* handle);

}  // namespace heddle::cuda
