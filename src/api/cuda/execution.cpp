// Functions and their launches.
#include <cstring>

#include "api/cuda/functions.gen.h"
#include "api/cuda/launch.h"
#include "api/cuda_state/function_facts.h"

namespace heddle::cu {

// ---- functions
Status cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) {
  auto function = find_function(hfunc);
  if (!function) return function.error();
  return tell(pi, cuda::function_attribute(**function, attrib));
}
Status cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  auto function = find_function(hfunc);
  if (!function) return function.error();
  return cuda::set_function_attribute(**function, attrib, value);
}
Status cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  auto function = find_function(hfunc);
  if (!function) return function.error();
  return cuda::set_cache_config(**function, config);
}
Status cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
  auto function = find_function(hfunc);
  if (!function) return function.error();
  return cuda::set_shared_config(**function, config);
}
Status cuFuncGetModule(CUmodule* hmod, CUfunction hfunc) {
  auto function = find_function(hfunc);
  if (!function) return function.error();
  *hmod = as_handle<CUmodule>((*function)->module().handle());
  return Unit{};
}
Status cuFuncGetName(const char** name, CUfunction hfunc) {
  if (hfunc == nullptr) return missing("hfunc");
  auto function = find_function(hfunc);
  if (!function) return function.error();
  *name = (*function)->name().c_str();
  return Unit{};
}
Status cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
  auto function = find_function(func);
  if (!function) return function.error();
  return cuda::parameter_info(**function, paramIndex, paramOffset, paramSize);
}
Status cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  auto found = find_function(function);
  if (!found) return found.error();
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return Unit{};
}
Status cuFuncLoad(CUfunction function) {
  auto found = find_function(function);
  return found ? Status(Unit{}) : Status(found.error());
}

// ---- launches
Status cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                      unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                      unsigned int sharedMemBytes, CUstream hStream, void** kernelParams, void** extra) {
  Launch launch;
  launch.grid = {gridDimX, gridDimY, gridDimZ};
  launch.block = {blockDimX, blockDimY, blockDimZ};
  launch.dynamic_shared = sharedMemBytes;
  launch.stream = hStream;
  return launch_function(f, launch, kernelParams, extra);
}

Status cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                 unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                 unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                 void** kernelParams) {
  Launch launch;
  launch.grid = {gridDimX, gridDimY, gridDimZ};
  launch.block = {blockDimX, blockDimY, blockDimZ};
  launch.dynamic_shared = sharedMemBytes;
  launch.stream = hStream;
  launch.cooperative = true;
  return launch_function(f, launch, kernelParams, nullptr);
}

Status cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams, void** extra) {
  if (config == nullptr) return missing("config");
  auto launch = launch_of(*config);
  if (!launch) return launch.error();
  return launch_function(f, *launch, kernelParams, extra);
}

Status cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS* launchParamsList, unsigned int numDevices,
                                            unsigned int flags) {
  if (launchParamsList == nullptr) return missing("launchParamsList");
  if (numDevices == 0) return invalid_value("launches on 0 devices");
  if (Status known = known_flags(flags, CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
                                            CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC);
      !known)
    return known;
  return failure(Code::not_supported, "grids of several devices cannot wait for each other");
}

// ---- launches in pieces, from before cuLaunchKernel: what is set stays with the function
Status cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
  return change_old_launch(hfunc, [&](OldLaunch& old) -> Status {
    if (x <= 0 || y <= 0 || z <= 0) return invalid_value("a block with a side of less than 1");
    old.block = {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
    return Unit{};
  });
}
Status cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
  return change_old_launch(hfunc, [&](OldLaunch& old) -> Status {
    old.dynamic_shared = bytes;
    return Unit{};
  });
}
Status cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
  if (numbytes > cuda::most_parameter_bytes)
    return invalid_value(std::to_string(numbytes) + " bytes of parameters");
  return change_old_launch(hfunc, [&](OldLaunch& old) -> Status {
    old.parameters.resize(numbytes);
    return Unit{};
  });
}
Status cuParamSetv(CUfunction hfunc, int offset, void* ptr, unsigned int numbytes) {
  if (ptr == nullptr && numbytes != 0) return missing("ptr");
  if (offset < 0 || numbytes > cuda::most_parameter_bytes ||
      static_cast<unsigned>(offset) > cuda::most_parameter_bytes - numbytes)
    return invalid_value("parameters from " + std::to_string(offset) + " on, " + std::to_string(numbytes) +
                         " bytes");
  return change_old_launch(hfunc, [&](OldLaunch& old) -> Status {
    const std::size_t end = static_cast<std::size_t>(offset) + numbytes;
    if (old.parameters.size() < end) old.parameters.resize(end);
    if (numbytes != 0) std::memcpy(old.parameters.data() + offset, ptr, numbytes);
    return Unit{};
  });
}
Status cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
  return cu::cuParamSetv(hfunc, offset, &value, sizeof value);
}
Status cuParamSetf(CUfunction hfunc, int offset, float value) {
  return cu::cuParamSetv(hfunc, offset, &value, sizeof value);
}
Status cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
  if (auto function = find_function(f); !function) return function.error();
  if (auto stream = find_stream(hStream); !stream) return stream.error();
  if (grid_width <= 0 || grid_height <= 0) return invalid_value("a grid with a side of less than 1");
  return launch_old(f, {static_cast<uint32_t>(grid_width), static_cast<uint32_t>(grid_height), 1}, hStream);
}
Status cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
  return cu::cuLaunchGridAsync(f, grid_width, grid_height, nullptr);
}
Status cuLaunch(CUfunction f) { return cu::cuLaunchGrid(f, 1, 1); }

}  // namespace heddle::cu
