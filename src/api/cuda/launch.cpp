#include "api/cuda/launch.h"

#include <cstring>
#include <map>
#include <mutex>

#include "api/cuda_state/work.h"

namespace heddle::cu {
namespace {

// Has the function's own size: what a buffer has more or less of is an error of the program.
Answer<std::vector<std::byte>> from_buffer(const cuda::Function& function, void* const* extra) {
  const void* buffer = nullptr;
  const size_t* bytes = nullptr;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = static_cast<const size_t*>(extra[1]);
    else
      return invalid_value("'extra' has a word that is none of CU_LAUNCH_PARAM_*");
  }
  if (buffer == nullptr || bytes == nullptr) return invalid_value("'extra' lacks the buffer or its size");
  const uint64_t wanted = runtime::parameter_bytes(function.kernel().function());
  // Programs round the size up, to the alignment of a structure for example.
  if (*bytes < wanted || *bytes > most_parameter_bytes)
    return invalid_value("a buffer of " + std::to_string(*bytes) + " bytes for '" + function.name() +
                         "', which takes " + std::to_string(wanted));
  const auto* begin = static_cast<const std::byte*>(buffer);
  return std::vector<std::byte>(begin, begin + wanted);
}

Status submit_launch(cuda::Function& function, const Launch& launch, std::span<const std::byte> parameters) {
  auto stream = find_stream(launch.stream);
  if (!stream) return stream.error();
  if (&(*stream)->context() != &function.module().context())
    return failure(Code::invalid_handle,
                   "the stream belongs to another context than '" + function.name() + "'");
  runtime::LaunchRequest request;
  request.kernel = &function.kernel();
  request.grid = launch.grid;
  request.block = launch.block;
  request.cluster = launch.cluster;
  request.dynamic_shared = launch.dynamic_shared;
  request.cooperative = launch.cooperative;
  request.params = parameters;
  return cuda::launch(**stream, function, request);
}

struct OldLaunches {
  std::mutex mutex;
  std::map<uint64_t, OldLaunch> of;  // by the handle of a function, which is never used twice
};
OldLaunches& old_launches() {
  static auto& launches = *new OldLaunches;  // programs call until the very end of a process
  return launches;
}

}  // namespace

Answer<std::vector<std::byte>> pack_arguments(const cuda::Function& function, void* const* arguments,
                                              void* const* extra) {
  if (arguments != nullptr && extra != nullptr)
    return invalid_value("arguments and 'extra' exclude each other");
  if (extra != nullptr) return from_buffer(function, extra);
  const auto& parameters = function.kernel().function().signature.params;
  if (arguments == nullptr && !parameters.empty())
    return invalid_value("'" + function.name() + "' takes " + std::to_string(parameters.size()) +
                         " arguments, none are given");
  auto packed = runtime::pack_parameters(function.kernel(), arguments);
  if (!packed) return cuda::failure_of(packed.error());
  return *packed;
}

Answer<Launch> launch_of(const CUlaunchConfig& config) {
  Launch launch;
  launch.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  launch.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  launch.dynamic_shared = config.sharedMemBytes;
  launch.stream = config.hStream;
  if (config.numAttrs != 0 && config.attrs == nullptr) return invalid_value("attrs is NULL");
  for (unsigned int i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    switch (attribute.id) {
      case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: launch.cooperative = attribute.value.cooperative != 0; break;
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        launch.cluster = exec::Dim3{attribute.value.clusterDim.x, attribute.value.clusterDim.y,
                                    attribute.value.clusterDim.z};
        break;
      default:
        if (attribute.id < 0 || attribute.id > CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING)
          return invalid_value("no attribute of launches has the number " + std::to_string(attribute.id));
        break;  // advice about caches, priorities and overlap, which cannot be followed or seen
    }
  }
  return launch;
}

Status launch_function(CUfunction handle, const Launch& launch, void* const* arguments, void* const* extra) {
  auto function = find_function(handle);
  if (!function) return function.error();
  auto parameters = pack_arguments(**function, arguments, extra);
  if (!parameters) return parameters.error();
  return submit_launch(**function, launch, *parameters);
}

Status change_old_launch(CUfunction handle, const std::function<Status(OldLaunch&)>& change) {
  auto function = find_function(handle);
  if (!function) return function.error();
  OldLaunches& launches = old_launches();
  const std::lock_guard lock(launches.mutex);
  return change(launches.of[number_of(handle)]);
}

Status launch_old(CUfunction handle, const exec::Dim3& grid, CUstream stream) {
  auto function = find_function(handle);
  if (!function) return function.error();
  OldLaunch old;
  {
    OldLaunches& launches = old_launches();
    const std::lock_guard lock(launches.mutex);
    old = launches.of[number_of(handle)];
  }
  old.parameters.resize(runtime::parameter_bytes((*function)->kernel().function()));
  Launch launch;
  launch.grid = grid;
  launch.block = old.block;
  launch.dynamic_shared = old.dynamic_shared;
  launch.stream = stream;
  return submit_launch(**function, launch, old.parameters);
}

}  // namespace heddle::cu
