#include "runtime/module.h"

#include <algorithm>
#include <utility>

#include "module/math_function.h"
#include "module/unknown.h"
#include "support/recycled.h"
#include "support/spelling.h"

namespace heddle::runtime {

namespace {

Error not_found(std::string_view what, std::string_view name, const NearestWord& nearest) {
  std::string message = "no " + std::string(what) + " is called '" + std::string(name) + "'";
  if (!nearest.best().empty()) message += "; did you mean '" + std::string(nearest.best()) + "'?";
  return error(ErrorCode::not_found, std::move(message));
}

// Functions that are called but that neither the program nor the host has.
Done check_functions(const module::Image& image, const exec::Executor& executor) {
  std::vector<bool> wanted(image.functions.size(), false);
  for (const module::Function& function : image.functions)
    for (const uint32_t callee : function.callees) wanted[callee] = true;
  for (std::size_t i = 0; i < image.functions.size(); ++i) {
    const module::Function& function = image.functions[i];
    if (function.defined || module::math_function(function) != nullptr ||
        !(wanted[i] || function.address_taken))
      continue;
    if (!executor.provides(function.name))
      return error(ErrorCode::invalid_image,
                   "function '" + function.name + "' is called but defined nowhere");
  }
  return Unit{};
}

Done check_target(const module::Image& image, const arch::Device& device) {
  if (image.target == nullptr) return Unit{};
  const unsigned capability = device.capability().number();
  const isa::TargetInfo& target = *image.target;
  const bool fits = target.suffix == isa::TargetNeed::Suffix::none ? target.sm <= capability
                    : target.suffix == isa::TargetNeed::Suffix::a
                        ? target.sm == capability
                        : target.sm <= capability && target.sm / 10 == capability / 10;
  if (fits) return Unit{};
  return error(ErrorCode::wrong_target, "the program is for " + std::string(target.name) + ", " +
                                            arch::describe(device) + " cannot run it");
}

arch::KernelNeeds needs_of(const module::Function& entry, uint64_t local_bytes) {
  arch::KernelNeeds needs;
  needs.name = entry.name;
  needs.static_shared = entry.static_shared_bytes;
  needs.local_bytes = static_cast<uint32_t>(std::min<uint64_t>(local_bytes, ~0u));
  needs.parameter_bytes = static_cast<uint32_t>(entry.signature.param_bytes);
  const auto& most = entry.limits.max_threads;
  if (most[0] != 0) needs.max_threads = most[0] * std::max(most[1], 1u) * std::max(most[2], 1u);
  return needs;
}

// Frames lie with gaps before them, which a device's limit does not count.
uint64_t deepest(const module::Image& image, const module::Function& function, bool with_gaps) {
  // Depth first over the calls; what is being visited already is recursion and counts once.
  constexpr uint64_t unknown = ~uint64_t{0}, visiting = unknown - 1;
  std::vector<uint64_t> depth(image.functions.size(), unknown);
  struct Visit {
    uint32_t function;
    std::size_t next = 0;
    uint64_t deepest = 0;
  };
  const auto start = static_cast<uint32_t>(&function - image.functions.data());
  std::vector<Visit> stack{{start}};
  depth[start] = visiting;
  for (;;) {
    Visit& visit = stack.back();
    const module::Function& current = image.functions[visit.function];
    if (visit.next < current.callees.size()) {
      const uint32_t callee = current.callees[visit.next++];
      if (depth[callee] == visiting) continue;
      if (depth[callee] != unknown) {
        visit.deepest = std::max(visit.deepest, depth[callee]);
        continue;
      }
      depth[callee] = visiting;
      stack.push_back({callee});
      continue;
    }
    const uint64_t align = std::max<uint64_t>(current.frame_align, 1);
    const uint64_t total =
        (current.frame_bytes + align - 1) / align * align + (with_gaps ? align : 0) + visit.deepest;
    depth[visit.function] = total;
    stack.pop_back();
    if (stack.empty()) return total + image.static_local_bytes;
    stack.back().deepest = std::max(stack.back().deepest, total);
  }
}

}  // namespace

uint64_t local_bytes_of(const module::Image& image, const module::Function& function) {
  return deepest(image, function, true);
}

Kernel::Kernel(Module& module, uint32_t function)
    : module_(module),
      function_(function),
      local_bytes_(local_bytes_of(module.image(), module.image().functions[function])),
      needs_(needs_of(module.image().functions[function],
                      deepest(module.image(), module.image().functions[function], false))) {}

const module::Function& Kernel::function() const { return module_.image().functions[function_]; }

std::span<const analysis::PointerParameter> Kernel::pointers() const {
  std::call_once(pointers_known_, [&] {
    pointers_ = analysis::pointer_parameters(module_.image(), function_);
    found_pointers_ = analysis::found_pointers(module_.image(), function_);
  });
  return pointers_;
}

std::span<const analysis::FoundPointer> Kernel::found_pointers() const {
  (void)pointers();
  return found_pointers_;
}

bool Kernel::set_max_dynamic_shared(uint32_t bytes) {
  const arch::Shared& shared = module_.context().device().facts.arch.shared;
  const uint64_t most = std::max(shared.per_block, shared.per_block_opt_in);
  if (uint64_t{bytes} + function().static_shared_bytes > most) return false;
  max_dynamic_shared = bytes;
  return true;
}

Module::Module(Context& context, std::shared_ptr<const module::Image> image)
    : context_(context.shared_from_this()), image_(std::move(image)) {
  for (uint32_t i = 0; i < image_->functions.size(); ++i)
    if (image_->functions[i].entry && image_->functions[i].defined) kernels_.emplace_back(*this, i);
  for (const module::Function& function : image_->functions)
    uses_device_runtime_ |= !function.defined && exec::find_device_function(function.name).has_value();
}

Outcome<std::shared_ptr<Module>> Module::load(Context& context, std::shared_ptr<const module::Image> image,
                                              std::span<const Placement> placements) {
  if (Done state = context.begin(Site::operation); !state) return state.error();
  if (Done fits = check_target(*image, context.device().facts); !fits) return fits.error();
  if (Done known = check_functions(*image, context.system().executor()); !known) return known.error();
  std::shared_ptr<Module> module(new Module(context, std::move(image)));
  if (module->uses_device_runtime() && !context.device().facts.has(arch::Feature::dynamic_parallelism))
    return error(ErrorCode::not_supported, "the program launches kernels from kernels, which " +
                                               arch::describe(context.device().facts) + " cannot");
  if (Done placed = module->place_variables(placements); !placed) return placed.error();
  context.flush_output();
  if (Done kept = context.remember(module); !kept) return kept.error();
  context.system().watchers().tell([&](Watcher& watcher) { watcher.loaded(*module); });
  return module;
}

// Nobody uses it any more: launches hold a reference.
Module::~Module() {
  for (const uint64_t handle : samplers_) context_->services().samplers.remove(handle);
  for (const AllocationRef& allocation : memory_) context_->system().memory().release(allocation);
}

Outcome<Kernel*> Module::kernel(std::string_view name) {
  NearestWord nearest(name);
  for (Kernel& kernel : kernels_) {
    if (kernel.function().name == name) {
      if (const auto unknown = module::unknown_instruction(*image_, kernel.index()); !unknown.empty())
        return error(ErrorCode::invalid_image,
                     "kernel '" + std::string(name) + "' cannot run: " + std::string(unknown));
      return &kernel;
    }
    nearest.consider(kernel.function().name);
  }
  return not_found("kernel", name, nearest);
}

Kernel* Module::kernel(uint32_t function) {
  for (Kernel& kernel : kernels_)
    if (kernel.index() == function)
      return module::unknown_instruction(*image_, function).empty() ? &kernel : nullptr;
  return nullptr;
}

std::vector<Kernel*> Module::kernels() {
  std::vector<Kernel*> all;
  for (Kernel& kernel : kernels_) all.push_back(&kernel);
  return all;
}

Outcome<Variable> Module::variable(std::string_view name) const {
  const uint32_t index = image_->symbol_index(name);
  if (index != module::none) {
    const uint64_t address = snapshot()->symbol_address[index];
    if (address != 0) return Variable{address, image_->symbols[index].size};
  }
  NearestWord nearest(name);
  for (const module::Symbol& symbol : image_->symbols) nearest.consider(symbol.name);
  return not_found("variable", name, nearest);
}

std::shared_ptr<const Module::Launched> Module::launched() {
  constexpr std::size_t many = 32;
  const std::lock_guard lock(mutex_);
  if (ready_.empty()) {
    auto launched = std::make_shared<const Launched>(shared_from_this(), loaded_module_);
    if (!keeps_ready_) return launched;
    ready_.assign(many, launched);
  }
  std::shared_ptr<const Launched> launched = std::move(ready_.back());
  ready_.pop_back();
  return launched;
}

void Module::let_go() {
  std::vector<std::shared_ptr<const Launched>> gone;
  const std::lock_guard lock(mutex_);
  keeps_ready_ = false;
  gone.swap(ready_);
}

std::shared_ptr<const exec::LoadedModule> Module::snapshot() const {
  const std::lock_guard lock(mutex_);
  return loaded_module_;
}

Outcome<uint32_t> Module::reference(std::string_view symbol, module::SymbolKind kind) const {
  const uint32_t index = image_->symbol_index(symbol);
  if (index != module::none && image_->symbols[index].kind == kind) return index;
  NearestWord nearest(symbol);
  for (const module::Symbol& candidate : image_->symbols)
    if (candidate.kind == kind) nearest.consider(candidate.name);
  return not_found("reference", symbol, nearest);
}

Done Module::bind(std::string_view symbol, module::SymbolKind kind, uint64_t handle) {
  if (Done state = context_->begin(Site::operation); !state) return state;
  const auto index = reference(symbol, kind);
  if (!index) return index.error();
  std::vector<std::shared_ptr<const Launched>> old;
  const std::lock_guard lock(mutex_);
  auto changed = std::make_shared<exec::LoadedModule>(*loaded_module_);
  changed->symbol_handle[*index] = handle;
  loaded_module_ = std::move(changed);
  old.swap(ready_);
  return Unit{};
}

Outcome<uint64_t> Module::bound(std::string_view symbol, module::SymbolKind kind) const {
  const auto index = reference(symbol, kind);
  if (!index) return index.error();
  return snapshot()->symbol_handle[*index];
}

Done Module::unload() {
  if (Done state = context_->begin(Site::operation); !state) return state;
  if (!loaded_.exchange(false)) return error(ErrorCode::invalid_handle, "the module was unloaded before");
  context_->forget(shared_from_this());
  return context_->synchronize();
}

void Module::unload_when_unused() { context_->forget(shared_from_this()); }

}  // namespace heddle::runtime
