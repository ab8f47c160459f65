#include "api/cuda_state/function_facts.h"

#include <algorithm>

#include "analysis/resources.h"
#include "arch/limits.h"
#include "runtime/launch.h"

namespace heddle::cuda {

FunctionFacts function_facts(const Function& function) { return function_facts(function.kernel()); }

FunctionFacts function_facts(const runtime::Kernel& kernel) {
  const module::Image& image = kernel.module().image();
  const arch::Device& device = kernel.module().context().device().facts;
  FunctionFacts facts;
  facts.static_shared = kernel.needs().static_shared;
  for (const module::Symbol& symbol : image.symbols)
    if (symbol.space == module::Space::const_ && symbol.kind == module::SymbolKind::memory)
      facts.constant_bytes += symbol.size;
  facts.local_bytes = analysis::reported_frame(image, kernel.index(), device.arch);
  facts.max_threads = static_cast<int>(kernel.max_threads());
  facts.registers = static_cast<int>(kernel.registers());
  facts.ptx_version = image.target != nullptr ? static_cast<int>(image.target->sm) : 0;
  facts.binary_version = static_cast<int>(device.capability().number());
  const uint32_t raised = kernel.max_dynamic_shared;
  const uint64_t usual = device.arch.shared.per_block;
  facts.max_dynamic_shared =
      static_cast<int>(raised != 0 ? raised : usual - std::min<uint64_t>(usual, facts.static_shared));
  facts.carveout = kernel.shared_carveout;
  const auto& compiled = kernel.function().limits.required_cluster;
  for (std::size_t i = 0; i < 3; ++i)
    facts.required_cluster[i] = static_cast<int>(compiled[0] != 0 ? compiled[i] : kernel.cluster[i].load());
  facts.cluster_must_be_set = kernel.function().limits.explicit_cluster || compiled[0] != 0;
  facts.large_cluster_allowed = kernel.large_cluster_allowed;
  return facts;
}

Answer<int> function_attribute(const Function& function, int attribute) {
  const FunctionFacts facts = function_facts(function);
  switch (static_cast<FunctionAttribute>(attribute)) {
    case FunctionAttribute::max_threads: return facts.max_threads;
    case FunctionAttribute::static_shared: return static_cast<int>(facts.static_shared);
    case FunctionAttribute::constant_bytes: return static_cast<int>(facts.constant_bytes);
    case FunctionAttribute::local_bytes: return static_cast<int>(facts.local_bytes);
    case FunctionAttribute::registers: return facts.registers;
    case FunctionAttribute::ptx_version: return facts.ptx_version;
    case FunctionAttribute::binary_version: return facts.binary_version;
    case FunctionAttribute::cache_mode_ca: return 0;
    case FunctionAttribute::max_dynamic_shared: return facts.max_dynamic_shared;
    case FunctionAttribute::carveout: return facts.carveout;
    case FunctionAttribute::cluster_must_be_set: return facts.cluster_must_be_set ? 1 : 0;
    case FunctionAttribute::cluster_width: return facts.required_cluster[0];
    case FunctionAttribute::cluster_height: return facts.required_cluster[1];
    case FunctionAttribute::cluster_depth: return facts.required_cluster[2];
    case FunctionAttribute::large_cluster_allowed: return facts.large_cluster_allowed ? 1 : 0;
    case FunctionAttribute::cluster_policy: return function.cluster_policy.load();
  }
  return invalid_value("no attribute of functions has the number " + std::to_string(attribute));
}

Status set_function_attribute(Function& function, int attribute, int value) {
  runtime::Kernel& kernel = function.kernel();
  switch (static_cast<FunctionAttribute>(attribute)) {
    case FunctionAttribute::max_dynamic_shared:
      if (value < 0 || !kernel.set_max_dynamic_shared(static_cast<uint32_t>(value)))
        return invalid_value(std::to_string(value) +
                             " bytes of dynamic shared memory are more than the device has for '" +
                             function.name() + "'");
      return Unit{};
    case FunctionAttribute::carveout:
      if (value < -1 || value > 100)
        return invalid_value("a carveout of " + std::to_string(value) + " percent");
      kernel.shared_carveout = value;
      return Unit{};
    case FunctionAttribute::cluster_width:
    case FunctionAttribute::cluster_height:
    case FunctionAttribute::cluster_depth: {
      // "If the value is set during compile time, it cannot be set at run time" (CUfunction_attribute).
      if (kernel.function().limits.required_cluster[0] != 0)
        return failure(Code::not_permitted, "'" + function.name() + "' is compiled for its cluster");
      if (value < 0) return invalid_value("a cluster of " + std::to_string(value) + " blocks");
      const int axis = attribute - static_cast<int>(FunctionAttribute::cluster_width);
      kernel.cluster[static_cast<std::size_t>(axis)] = static_cast<uint32_t>(value);
      return Unit{};
    }
    case FunctionAttribute::large_cluster_allowed: kernel.large_cluster_allowed = value != 0; return Unit{};
    case FunctionAttribute::cluster_policy: {
      constexpr int policies = 3;  // default, spread, load balancing
      if (value < 0 || value >= policies)
        return invalid_value("no scheduling policy has the number " + std::to_string(value));
      function.cluster_policy = value;
      return Unit{};
    }
    default: return invalid_value("attribute " + std::to_string(attribute) + " cannot be set");
  }
}

Status set_cache_config(Function& function, int config) {
  constexpr int configs = 4;  // none, shared, L1, equal
  if (config < 0 || config >= configs)
    return invalid_value("no cache configuration has the number " + std::to_string(config));
  function.kernel().cache_preference = static_cast<model::CachePreference>(config);
  return Unit{};
}

Status set_shared_config(Function& function, int config) {
  constexpr int configs = 3;  // the device's own, four bytes, eight bytes
  if (config < 0 || config >= configs)
    return invalid_value("no bank size has the number " + std::to_string(config));
  function.shared_config = config;
  return Unit{};
}

Status parameter_info(const Function& function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const auto& parameters = function.kernel().function().signature.params;
  if (index >= parameters.size())
    return invalid_value("parameter " + std::to_string(index) + " of " + std::to_string(parameters.size()));
  *offset = parameters[index].offset;
  if (bytes != nullptr) *bytes = parameters[index].size;
  return Unit{};
}

}  // namespace heddle::cuda
