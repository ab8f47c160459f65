// Handles and streams.
#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/handle.h"

namespace heddle::cusolver {

std::shared_ptr<Handle> use(const void* handle) {
  auto found = libs::Handles<Handle>::all().find(handle);
  if (found == nullptr)
    refuse(Why::not_initialized, handle == nullptr ? "the handle is NULL" : "no such handle");
  return found;
}

void cusolverDnCreate(cusolverDnHandle_t* handle) {
  cublas::make_handle();  // starts what is behind both
  *handle = libs::Handles<Handle>::all().add<cusolverDnHandle_t>(std::make_shared<Handle>());
}
void cusolverDnDestroy(cusolverDnHandle_t handle) {
  if (!libs::Handles<Handle>::all().remove(handle)) refuse(Why::not_initialized, "no such handle");
}
void cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t streamId) { use(handle)->stream = streamId; }
void cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* streamId) {
  *streamId = static_cast<cudaStream_t>(use(handle)->stream.load());
}
void cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t mode) {
  const auto found = use(handle);
  require(mode == CUSOLVER_DETERMINISTIC_RESULTS || mode == CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS,
          "no such mode");
  found->deterministic = mode;
}
void cusolverDnGetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t* mode) {
  *mode = use(handle)->deterministic;
}

void cusolverGetProperty(libraryPropertyType type, int* value) {
  switch (type) {
    case MAJOR_VERSION: *value = CUSOLVER_VER_MAJOR; return;
    case MINOR_VERSION: *value = CUSOLVER_VER_MINOR; return;
    case PATCH_LEVEL: *value = CUSOLVER_VER_PATCH; return;
  }
  refuse(Why::invalid_value, "no such property");
}
void cusolverGetVersion(int* version) { *version = CUSOLVER_VERSION; }

}  // namespace heddle::cusolver
