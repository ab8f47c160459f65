#include "api/cuda_state/module.h"

#include "api/cuda_state/library.h"
#include "api/cuda_state/resources.h"

namespace heddle::cuda {

namespace {

ResourceFacts facts_of(const Module& module, bool made) {
  return {.kind = Resource::module,
          .made = made,
          .context = module.context().handle(),
          .handle = reinterpret_cast<uint64_t>(&module)};
}

}  // namespace

uint64_t Function::handle() {
  const std::lock_guard lock(module_.mutex_);
  if (handle_ == 0)
    handle_ =
        module_.context_->process().handles().functions.add(FunctionRef(module_.shared_from_this(), this));
  return handle_;
}

Module::Module(const ContextRef& context, std::shared_ptr<runtime::Module> runtime)
    : context_(context), runtime_(std::move(runtime)) {
  for (runtime::Kernel* kernel : runtime_->kernels()) functions_.emplace_back(*this, *kernel);
}
Module::~Module() = default;

Answer<std::shared_ptr<Module>> Module::load(const ContextRef& context,
                                             std::shared_ptr<const module::Image> image,
                                             std::span<const runtime::Placement> placements) {
  auto loaded = runtime::Module::load(*context->runtime(), std::move(image), placements);
  if (!loaded) return failure_of(loaded.error());
  auto module = std::make_shared<Module>(context, std::move(*loaded));
  tell_resource([&] { return facts_of(*module, true); });
  return module;
}

uint64_t Module::handle() {
  const std::lock_guard lock(mutex_);
  if (handle_ == 0) handle_ = context_->process().handles().modules.add(shared_from_this());
  return handle_;
}

void Module::forget_handles() {
  Handles& handles = context_->process().handles();
  const std::lock_guard lock(mutex_);
  handles.modules.remove(handle_);
  for (Function& function : functions_) handles.functions.remove(function.handle_);
}

Status Module::unload() {
  tell_resource([&] { return facts_of(*this, false); });
  context_->process().next_epoch();
  forget_handles();
  return status_of(runtime_->unload());
}

Answer<FunctionRef> Module::function(std::string_view name) {
  auto kernel = runtime_->kernel(name);
  if (!kernel) return failure_of(kernel.error());
  for (Function& function : functions_)
    if (&function.kernel() == *kernel) return FunctionRef(shared_from_this(), &function);
  return failure(Code::not_found, std::string(name));
}

std::vector<FunctionRef> Module::functions() {
  std::vector<FunctionRef> all;
  for (Function& function : functions_) all.emplace_back(shared_from_this(), &function);
  return all;
}

Answer<runtime::Variable> Module::variable(std::string_view name) const {
  auto found = runtime_->variable(name);
  if (!found) return failure_of(found.error());
  return *found;
}

Answer<FunctionRef> find_function(const ContextRef& current, const void* handle) {
  Handles& handles = current->process().handles();
  if (FunctionRef function = handles.functions.find(handle)) {
    if (!function->module().usable()) return failure(Code::invalid_handle, "the function's module is gone");
    return function;
  }
  if (const std::shared_ptr<LibraryKernel> kernel = handles.kernels.find(handle)) return kernel->in(current);
  return failure(Code::invalid_handle, "no such function");
}

}  // namespace heddle::cuda
