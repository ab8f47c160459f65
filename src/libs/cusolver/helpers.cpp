// Handles and streams.
#include "libs/common/level_log.h"
#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/handle.h"

namespace heddle::cusolver {
namespace {

libs::LevelLog& logger() {
  static auto* const log =
      new libs::LevelLog(codes, "cuSolverDN", "CUSOLVERDN");  // for the process's whole life
  return *log;
}

}  // namespace

std::shared_ptr<Handle> use(const void* handle) {
  auto found = libs::Handles<Handle>::all().find(handle);
  if (found == nullptr)
    refuse(Why::not_initialized, handle == nullptr ? "the handle is NULL" : "no such handle");
  return found;
}

void cusolverDnCreate(cusolverDnHandle_t* handle) {
  logger();               // as the environment asks for
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

// The emulation of float products by bfloat16 is exact enough to be left out: all is full float.
void cusolverDnSetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t mode) {
  const auto found = use(handle);
  require(mode == CUSOLVER_DEFAULT_MATH || mode == CUSOLVER_FP32_EMULATED_BF16X9_MATH, "no such mode");
  found->math = mode;
}
void cusolverDnGetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t* mode) { *mode = use(handle)->math; }
void cusolverDnSetEmulationStrategy(cusolverDnHandle_t handle, cudaEmulationStrategy_t strategy) {
  const auto found = use(handle);
  require(strategy >= CUDA_EMULATION_STRATEGY_DEFAULT && strategy <= CUDA_EMULATION_STRATEGY_EAGER,
          "no such strategy");
  found->emulation = strategy;
}
void cusolverDnGetEmulationStrategy(cusolverDnHandle_t handle, cudaEmulationStrategy_t* strategy) {
  *strategy = use(handle)->emulation;
}

namespace {

template <class Object, class Pointer>
void make(Pointer* out) {
  *out = libs::Handles<Object>::all().template add<Pointer>(std::make_shared<Object>());
}
template <class Object>
void destroy(const void* pointer) {
  if (pointer != nullptr && !libs::Handles<Object>::all().remove(pointer))
    refuse(Why::invalid_value, "no such object");
}

}  // namespace

void cusolverDnCreateSyevjInfo(syevjInfo_t* info) { make<JacobiEigen>(info); }
void cusolverDnDestroySyevjInfo(syevjInfo_t info) { destroy<JacobiEigen>(info); }
void cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info) { make<JacobiSingular>(info); }
void cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info) { destroy<JacobiSingular>(info); }
void cusolverDnCreateParams(cusolverDnParams_t* params) { make<Parameters>(params); }
void cusolverDnDestroyParams(cusolverDnParams_t params) { destroy<Parameters>(params); }
void cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                             cusolverAlgMode_t algo) {
  object<Parameters>(params);
  require(function >= CUSOLVERDN_GETRF && function <= CUSOLVERDN_SYEVBATCHED, "no such function");
  require(algo >= CUSOLVER_ALG_0 && algo <= CUSOLVER_ALG_2, "no such algorithm");
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

// ---- the logger

void cusolverDnLoggerSetCallback(cusolverDnLoggerCallback_t callback) { logger().set_callback(callback); }
void cusolverDnLoggerSetFile(FILE* file) { logger().set_file(file); }
void cusolverDnLoggerOpenFile(const char* logFile) { logger().open_file(logFile); }
void cusolverDnLoggerSetLevel(int level) { logger().set_level(level); }
void cusolverDnLoggerSetMask(int mask) { logger().set_mask(mask); }
void cusolverDnLoggerForceDisable() { logger().disable(); }

}  // namespace heddle::cusolver
