#include "api/cuda_state/device_runtime.h"

#include <cuda_runtime_api.h>

#include <span>

#include "api/cuda_state/code.h"
#include "api/cuda_state/device_facts.h"
#include "api/cuda_state/function_attributes.h"
#include "api/cuda_state/limits.h"
#include "api/cuda_state/occupancy.h"
#include "api/cuda_state/process.h"
#include "api/entry/errors.gen.h"
#include "model/occupancy.h"
#include "runtime/launch.h"

namespace heddle::cuda {
namespace {

using exec::DeviceCall;
using runtime::Done;
using runtime::Error;
using runtime::ErrorCode;
using runtime::Outcome;
using Function = exec::DeviceFunction;

template <class T>
Done put(DeviceCall& call, const T& value) {
  call.write(call.argument(0), std::as_bytes(std::span(&value, 1)));
  return Unit{};
}

Error no_kernel() { return runtime::error(ErrorCode::invalid_kernel, "no kernel of the program"); }

Done device_attribute_of(DeviceCall& call) {
  auto device = Process::get().device(static_cast<int>(call.argument(2)));
  if (!device) return runtime::error(ErrorCode::no_device, device.error().message);
  const auto value = device_attribute(**device, static_cast<int>(call.argument(1)));
  if (!value) return runtime::invalid(value.error().message);
  return put(call, *value);
}

Done attributes_of(DeviceCall& call, runtime::Module& module) {
  const runtime::Kernel* kernel = runtime::find_kernel(module, call.argument(1));
  if (kernel == nullptr) return no_kernel();
  return put(call, function_attributes(*kernel));
}

Done occupancy_of(DeviceCall& call, const runtime::Context& context, runtime::Module& module) {
  const runtime::Kernel* kernel = runtime::find_kernel(module, call.argument(1));
  if (kernel == nullptr) return no_kernel();
  const auto needs = block_needs(*kernel, static_cast<int>(call.argument(2)), call.argument(3));
  if (!needs) return runtime::invalid(needs.error().message);
  return put(call, static_cast<int>(model::occupancy(context.device().facts.arch, *needs).blocks));
}

class Answers final : public runtime::DeviceRuntimeApi {
 public:
  int code(const Error& error) const override { return static_cast<int>(failure_of(error).code); }
  std::string error_name(int code) const override {
    const char* name = entry::runtime_error_name(code);
    return name == nullptr ? "unrecognized error code" : name;
  }
  std::string error_text(int code) const override {
    const char* text = entry::error_text(code);
    return text == nullptr ? "unrecognized error code" : text;
  }
  Done answer(DeviceCall& call, runtime::Context& context, runtime::Module& module) const override {
    switch (call.function()) {
      case Function::get_device: return put(call, static_cast<int>(context.device().index));
      case Function::get_device_count: return put(call, static_cast<int>(Process::get().devices().size()));
      case Function::device_get_attribute: return device_attribute_of(call);
      case Function::device_get_limit: {
        // What a kernel can ask for is what the context enforces.
        const auto limit = enforced_limit(static_cast<int>(call.argument(1)));
        if (!limit) return runtime::invalid("limit " + std::to_string(call.argument(1)));
        const auto value = context.limit(*limit);
        if (!value) return value.error();
        return put(call, *value);
      }
      case Function::device_get_cache_config: return put(call, cudaFuncCachePreferNone);
      case Function::device_get_shared_mem_config: return put(call, cudaSharedMemBankSizeFourByte);
      case Function::runtime_get_version: return put(call, CUDART_VERSION);
      case Function::func_get_attributes: return attributes_of(call, module);
      case Function::occupancy_max_active_blocks_per_multiprocessor:
      case Function::occupancy_max_active_blocks_per_multiprocessor_with_flags:
        return occupancy_of(call, context, module);
      // The handle is where the value lies, for the first argument as for all that are written.
      case Function::graph_set_conditional: return put(call, static_cast<uint32_t>(call.argument(1)));
      default: return runtime::error(ErrorCode::not_supported, "this function of the device runtime");
    }
  }
};

}  // namespace

const runtime::DeviceRuntimeApi& device_runtime_api() {
  static const Answers answers;
  return answers;
}

}  // namespace heddle::cuda
