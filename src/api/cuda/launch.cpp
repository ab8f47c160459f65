#include "api/cuda/launch.h"

#include <cstring>
#include <map>
#include <mutex>

#include "api/cuda_state/work.h"

namespace heddle::cu {
namespace {

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
  return cuda::launch(**stream, function, request, &launch.wishes);
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

Answer<Launch> launch_of(const CUlaunchConfig& config) {
  Launch launch;
  launch.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  launch.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  launch.dynamic_shared = config.sharedMemBytes;
  launch.stream = config.hStream;
  auto wishes = cuda::wishes_of(config.attrs, config.numAttrs);
  if (!wishes) return wishes.error();
  launch.cooperative = wishes->cooperative;
  launch.cluster = wishes->cluster;
  launch.wishes = std::move(*wishes);
  return launch;
}

Status launch_function(CUfunction handle, const Launch& launch, void* const* arguments, void* const* extra) {
  auto function = find_function(handle);
  if (!function) return function.error();
  auto parameters = cuda::pack_arguments(**function, arguments, extra);
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
