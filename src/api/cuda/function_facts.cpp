#include "api/cuda/function_facts.h"

#include "api/cuda_state/device.h"

namespace heddle::cu {
namespace {

// Constant memory that a module's kernels share.
int constant_bytes(const cuda::Function& function) {
  uint64_t bytes = 0;
  for (const module::Symbol& symbol : function.module().runtime().image().symbols)
    if (symbol.space == module::Space::const_) bytes += symbol.size;
  return static_cast<int>(bytes);
}

}  // namespace

Status get_attribute(cuda::Function& function, CUfunction_attribute attribute, int& value) {
  const runtime::Kernel& kernel = function.kernel();
  const module::Function& entry = kernel.function();
  const auto capability = static_cast<int>(function.module().context().device().capability());
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: value = static_cast<int>(kernel.max_threads()); break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: value = static_cast<int>(kernel.needs().static_shared); break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: value = constant_bytes(function); break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: value = static_cast<int>(kernel.needs().local_bytes); break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: value = static_cast<int>(kernel.needs().registers); break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: value = capability; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: value = 0; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
      const uint32_t asked = kernel.max_dynamic_shared;
      const arch::Device& device = function.module().context().device().facts();
      const auto usual =
          static_cast<uint32_t>(device.attribute(arch::Attribute::max_shared_memory_per_block).number);
      const uint32_t fixed = kernel.needs().static_shared;
      value = static_cast<int>(asked != 0 ? asked : usual - std::min(usual, fixed));
      break;
    }
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: value = kernel.shared_carveout; break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: value = entry.limits.explicit_cluster ? 1 : 0; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      value = static_cast<int>(entry.limits.required_cluster[0]);
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      value = static_cast<int>(entry.limits.required_cluster[1]);
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      value = static_cast<int>(entry.limits.required_cluster[2]);
      break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      value = kernel.large_cluster_allowed ? 1 : 0;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: value = function.cluster_policy; break;
    default: return invalid_value("no attribute of functions has the number " + std::to_string(attribute));
  }
  return Unit{};
}

Status set_attribute(cuda::Function& function, CUfunction_attribute attribute, int value) {
  runtime::Kernel& kernel = function.kernel();
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      if (value < 0 || !kernel.set_max_dynamic_shared(static_cast<uint32_t>(value)))
        return invalid_value(std::to_string(value) +
                             " bytes of dynamic shared memory are more than the device has for '" +
                             function.name() + "'");
      return Unit{};
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      if (value < -1 || value > 100)
        return invalid_value("a carveout of " + std::to_string(value) + " percent");
      kernel.shared_carveout = value;
      return Unit{};
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      kernel.large_cluster_allowed = value != 0;
      return Unit{};
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      if (value < CU_CLUSTER_SCHEDULING_POLICY_DEFAULT || value > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
        return invalid_value("no scheduling policy has the number " + std::to_string(value));
      function.cluster_policy = value;
      return Unit{};
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return failure(Code::not_supported, "clusters are given by the kernel or the launch");
    default: return invalid_value("attribute " + std::to_string(attribute) + " cannot be set");
  }
}

Status set_cache_config(cuda::Function& function, CUfunc_cache config) {
  if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
    return invalid_value("no cache configuration has the number " + std::to_string(config));
  function.cache_config = config;
  return Unit{};
}

Status parameter_info(const cuda::Function& function, size_t index, size_t* offset, size_t* size) {
  const auto& parameters = function.kernel().function().signature.params;
  if (index >= parameters.size())
    return invalid_value("parameter " + std::to_string(index) + " of " + std::to_string(parameters.size()));
  *offset = parameters[index].offset;
  if (size != nullptr) *size = parameters[index].size;
  return Unit{};
}

}  // namespace heddle::cu
