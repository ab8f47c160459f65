// Launches and attributes of kernels.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "api/cuda_state/function_attributes.h"
#include "api/cuda_state/function_facts.h"
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {
namespace {

constexpr std::size_t few_bytes = 512;

// A double as devices without them have it: a float in the lower half of the 64 bits (PTX ISA 11.1.2).
void demote(void* number) {
  double value = 0;
  std::memcpy(&value, number, sizeof value);
  const uint64_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  std::memcpy(number, &bits, sizeof bits);
}

// The arguments as the kernel's parameters lie; most are few.
class Arguments {
 public:
  Status take(const runtime::Kernel& kernel, void** args) {
    const module::Function& entry = kernel.function();
    const std::size_t bytes = runtime::parameter_bytes(entry);
    if (bytes > few_bytes) many_.resize(bytes);
    std::byte* const to = bytes > few_bytes ? many_.data() : few_;
    bytes_ = {to, bytes};
    if (args == nullptr && !entry.signature.params.empty())
      return invalid_value("'" + entry.name + "' takes arguments, none were given");
    const bool singles = kernel.module().image().map_f64_to_f32;
    for (std::size_t i = 0; i < entry.signature.params.size(); ++i) {
      const module::Parameter& parameter = entry.signature.params[i];
      if (args[i] == nullptr)
        return invalid_value("argument " + std::to_string(i) + " of '" + entry.name + "' is NULL");
      std::memcpy(to + parameter.offset, args[i], parameter.size);
      if (singles && parameter.type == isa::Type::f64) demote(to + parameter.offset);
    }
    return Unit{};
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  alignas(16) std::byte few_[few_bytes];
  std::vector<std::byte> many_;
  std::span<const std::byte> bytes_;
};

Status start(const void* func, runtime::LaunchRequest request, void** args, size_t shared,
             cudaStream_t stream, const cuda::LaunchWishes* wishes = nullptr) {
  if (func == nullptr) return failure(Code::invalid_device_function, "the kernel is NULL");
  auto context = runtime_context();
  if (!context) return context.error();
  if (shared > UINT32_MAX) return invalid_value(std::to_string(shared) + " bytes of dynamic shared memory");
  auto on = cuda::find_stream(*context, stream);
  if (!on) return on.error();
  if (Status state = (*context)->check(); !state) return state;
  auto function = Process::get().registry().function(*context, func);
  if (!function) return function.error();
  if (&(*on)->context() != context->get())
    return failure(Code::invalid_handle, "the stream belongs to another device than the current one");
  request.kernel = &(*function)->kernel();
  request.dynamic_shared = static_cast<uint32_t>(shared);
  Arguments arguments;
  if (Status taken = arguments.take(*request.kernel, args); !taken) return taken;
  request.params = arguments.bytes();
  return cuda::launch(**on, **function, request, wishes);
}

}  // namespace

Status cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                        cudaStream_t stream) {
  runtime::LaunchRequest request;
  request.grid = dim(gridDim);
  request.block = dim(blockDim);
  return start(func, request, args, sharedMem, stream);
}

Status cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                   size_t sharedMem, cudaStream_t stream) {
  runtime::LaunchRequest request;
  request.grid = dim(gridDim);
  request.block = dim(blockDim);
  request.cooperative = true;
  return start(func, request, args, sharedMem, stream);
}

Status cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  if (config == nullptr) return invalid_value("the configuration is NULL");
  runtime::LaunchRequest request;
  request.grid = dim(config->gridDim);
  request.block = dim(config->blockDim);
  auto wishes = cuda::wishes_of(config->attrs, config->numAttrs);
  if (!wishes) return wishes.error();
  request.cooperative = wishes->cooperative;
  request.cluster = wishes->cluster;
  return start(func, request, args, config->dynamicSmemBytes, config->stream, &*wishes);
}

// Until CUDA 12. Grids that began one after the other could not wait for each other (multi_grid_group::sync).
Status cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams* launchParamsList, unsigned int numDevices,
                                              unsigned int flags) {
  if (launchParamsList == nullptr || numDevices == 0) return invalid_value("no launches");
  constexpr unsigned no_sync_before = 1, no_sync_after = 2;
  if ((flags & ~(no_sync_before | no_sync_after)) != 0)
    return invalid_value("flags " + std::to_string(flags));
  return failure(Code::not_supported, "grids of several devices cannot wait for each other");
}

// ---- the way of CUDA before 7: configure, arguments one by one, launch
namespace {
struct OldLaunch {
  std::vector<std::byte> bytes;
};
OldLaunch& old_launch() {
  thread_local OldLaunch launch;
  return launch;
}
}  // namespace

Status cudaConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, cudaStream_t stream) {
  cuda::thread().configurations.push_back({dim(gridDim), dim(blockDim), sharedMem, stream});
  old_launch().bytes.clear();
  return Unit{};
}

Status cudaSetupArgument(const void* arg, size_t size, size_t offset) {
  constexpr size_t most = 32768;  // no device takes more
  if (arg == nullptr || size > most || offset > most)
    return invalid_value("an argument of " + std::to_string(size) + " bytes at " + std::to_string(offset));
  if (size == 0) return Unit{};
  std::vector<std::byte>& bytes = old_launch().bytes;
  if (bytes.size() < offset + size) bytes.resize(offset + size);
  std::memcpy(bytes.data() + offset, arg, size);
  return Unit{};
}

Status cudaLaunch(const void* func) {
  auto& pushed = cuda::thread().configurations;
  if (pushed.empty()) return failure(Code::missing_configuration, "a launch without cudaConfigureCall");
  const cuda::CallConfiguration top = pushed.back();
  pushed.pop_back();
  auto kernel = find_kernel(func);
  if (!kernel) return kernel.error();
  std::vector<std::byte> bytes = std::move(old_launch().bytes);
  old_launch().bytes.clear();
  const auto& params = (*kernel)->kernel().function().signature.params;
  bytes.resize(std::max<std::size_t>(bytes.size(), runtime::parameter_bytes((*kernel)->kernel().function())));
  std::vector<void*> args;
  for (const module::Parameter& parameter : params) args.push_back(bytes.data() + parameter.offset);
  return cudart::cudaLaunchKernel(func, {top.grid.x, top.grid.y, top.grid.z},
                                  {top.block.x, top.block.y, top.block.z}, args.data(), top.shared_bytes,
                                  static_cast<cudaStream_t>(top.stream));
}

// ---- attributes
Status cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  auto function = find_kernel(func);
  if (!function) return function.error();
  *attr = cuda::function_attributes((*function)->kernel());
  attr->clusterSchedulingPolicyPreference = (*function)->cluster_policy;
  return Unit{};
}

Status cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  auto function = find_kernel(func);
  if (!function) return function.error();
  return cuda::set_function_attribute(**function, attr, value);
}

Status cudaFuncSetCacheConfig(const void* func, cudaFuncCache cacheConfig) {
  auto function = find_kernel(func);
  if (!function) return function.error();
  return cuda::set_cache_config(**function, cacheConfig);
}

Status cudaFuncSetSharedMemConfig(const void* func, cudaSharedMemConfig config) {
  auto function = find_kernel(func);
  if (!function) return function.error();
  return cuda::set_shared_config(**function, config);
}

Status cudaFuncGetName(const char** name, const void* func) {
  auto function = find_kernel(func);
  if (!function) return function.error();
  *name = (*function)->name().c_str();
  return Unit{};
}

Status cudaFuncGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
  auto function = find_kernel(func);
  if (!function) return function.error();
  return cuda::parameter_info(**function, paramIndex, paramOffset, paramSize);
}

Status cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  if (fn == nullptr) return invalid_value("the function is NULL");
  auto on = find_stream(stream);
  if (!on) return on.error();
  return cuda::submit(**on, cuda::HostWork{fn, userData});
}

// "Converts the double value [...] to an internal float representation if the device does not support double
// arithmetic" (CUDA Runtime API 4.0, 4.7).
Status cudaSetDoubleForDevice(double* d) {
  if (d == nullptr) return invalid_value("the number is NULL");
  auto context = runtime_context();
  if (!context) return context.error();
  if (!(*context)->device().facts().has(arch::Feature::f64)) demote(d);
  return Unit{};
}

Status cudaSetDoubleForHost(double* d) {
  if (d == nullptr) return invalid_value("the number is NULL");
  auto context = runtime_context();
  if (!context) return context.error();
  if ((*context)->device().facts().has(arch::Feature::f64)) return Unit{};
  *d = std::bit_cast<float>(static_cast<uint32_t>(std::bit_cast<uint64_t>(*d)));
  return Unit{};
}

}  // namespace heddle::cudart
