// Errors and versions.
#include "api/cuda_state/driver_version.h"
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"
#include "api/entry/errors.gen.h"
#include "profiler/collect.h"
#include "profiler/start_log.h"

namespace heddle::cudart {

cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(cuda::take_last_error()); }
cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(cuda::peek_last_error()); }

const char* cudaGetErrorName(cudaError_t error) {
  const char* name = entry::runtime_error_name(static_cast<int>(error));
  return name != nullptr ? name : "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  const char* text = entry::error_text(static_cast<int>(error));
  return text != nullptr ? text : "unrecognized error code";
}

Status cudaDriverGetVersion(int* driverVersion) {
  auto version = cuda::driver_version();
  if (!version) return version.error();
  *driverVersion = *version;
  return Unit{};
}
Status cudaRuntimeGetVersion(int* runtimeVersion) {
  *runtimeVersion = CUDART_VERSION;
  return Unit{};
}
// What libcudart.so.13 has under that name.
Status cudaRuntimeGetVersion_v13(int* runtimeVersion) {
  *runtimeVersion = 13000;
  return Unit{};
}

// ---- profilers: where none listens, that is no error (cudaProfilerStart)
Status cudaProfilerStart() {
  profiler::collect(true);
  return Unit{};
}
Status cudaProfilerStop() {
  profiler::collect(false);
  return Unit{};
}
Status cudaProfilerInitialize(const char* configFile, const char* outputFile, cudaOutputMode_t outputMode) {
  if (outputMode != cudaKeyValuePair && outputMode != cudaCSV)
    return invalid_value("output mode " + std::to_string(outputMode));
  const auto started = profiler::start_log(configFile, outputFile, outputMode == cudaCSV);
  if (!started.ok()) return invalid_value(started.error().message);
  if (!*started) return failure(Code::profiler_disabled, "another tool measures this process");
  return Unit{};
}

}  // namespace heddle::cudart
