// The calls: handles, products, what a program asks about algorithms, copies between layouts.
#include "libs/cublaslt/matmul.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <vector>

#include "libs/common/level_log.h"
#include "libs/common/runtime.h"
#include "libs/common/stream.h"
#include "libs/cublas/handle.h"
#include "libs/cublaslt/functions.gen.h"

namespace heddle::cublaslt {
namespace {

libs::LevelLog& logger() {
  static auto* const log = new libs::LevelLog(codes, "cublasLt", "CUBLASLT");  // for the process's whole life
  return *log;
}

}  // namespace

namespace {

using cublas::bytes_of;

// There is one algorithm: whatever the tiles, the result is the same. Other numbers, which programs kept from
// a device, are the same one.
constexpr int32_t the_algorithm = 0, last_algorithm = 127;

void check_id(int32_t id) { require(id >= 0 && id <= last_algorithm, "no such algorithm"); }
void check_algorithm(const cublasLtMatmulAlgo_t* algo) {
  if (algo != nullptr) check_id(get(algo, "algo").id);
}

cublasLtMatmulHeuristicResult_t result_of(const Algorithm& algorithm) {
  cublasLtMatmulHeuristicResult_t result{};
  put(&result.algo, algorithm);
  result.state = CUBLAS_STATUS_SUCCESS;
  result.wavesCount = 1;
  return result;
}

// What an epilogue needs beside the sizes; a question about algorithms may be asked before it is there.
void check_pointers(const Problem& p) {
  const Operation& op = p.operation;
  if (p.has(with_bias | bias_gradient | bias_gradient_a | bias_gradient_b))
    require(op.bias != nullptr, "the epilogue has a bias, and its pointer is NULL");
  if (!p.has(with_aux)) return;
  require(op.aux != nullptr, "the epilogue has an auxiliary buffer, and its pointer is NULL");
  require(op.aux_ld >= p.shape.m,
          "the leading dimension of the auxiliary buffer is less than that of D's lines");
  if (p.has(with_relu | derivative_relu))
    require(op.aux_ld % 128 == 0, "the leading dimension of the auxiliary bits is no multiple of 128");
}

Scales scales_of(cublasLtPointerMode_t mode, cudaDataType type, const void* alpha, const void* beta) {
  Scales s;
  if (alpha == nullptr) libs::refuse_null("alpha");
  if (beta == nullptr && mode != CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO)
    libs::refuse_null("beta");
  switch (mode) {
    case CUBLASLT_POINTER_MODE_HOST:
      s.alpha = cublas::any_scalar(alpha, type);
      s.beta = cublas::any_scalar(beta, type);
      return s;
    case CUBLASLT_POINTER_MODE_DEVICE:
      s.device_alpha = alpha;
      s.device_beta = beta;
      return s;
    case CUBLASLT_POINTER_MODE_DEVICE_VECTOR:
      s.device_alpha = alpha;
      s.device_beta = beta;
      s.alpha_vector = s.beta_vector = true;
      return s;
    case CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO:
      s.device_alpha = alpha;
      s.alpha_vector = true;
      return s;
    case CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST:
      s.device_alpha = alpha;
      s.alpha_vector = true;
      s.beta = cublas::any_scalar(beta, type);
      return s;
  }
  refuse(Why::invalid_value, "no such pointer mode");
}

template <class Value>
void give_number(Value value, void* buf, size_t size, size_t* written) {
  if (size == 0) {
    if (written == nullptr) libs::refuse_null("sizeWritten");
    *written = sizeof value;
    return;
  }
  if (buf == nullptr) libs::refuse_null("buf");
  require(size == sizeof value, "the attribute has another size");
  std::memcpy(buf, &value, size);
  if (written != nullptr) *written = size;
}
void give_list(std::span<const uint32_t> values, void* buf, size_t size, size_t* written) {
  if (size == 0) {
    if (written == nullptr) libs::refuse_null("sizeWritten");
    *written = values.size_bytes();
    return;
  }
  if (buf == nullptr) libs::refuse_null("buf");
  const size_t some = std::min(size, values.size_bytes());
  std::memcpy(buf, values.data(), some);
  if (written != nullptr) *written = some;
}

}  // namespace

// A handle of cuBLAS may be used as one of cuBLASLt.
void cublasLtCreate(cublasLtHandle_t* lightHandle) {
  logger();  // as the environment asks for
  *lightHandle = libs::Handles<cublas::Handle>::all().add<cublasLtHandle_t>(cublas::make_handle());
}
void cublasLtDestroy(cublasLtHandle_t lightHandle) {
  if (!libs::Handles<cublas::Handle>::all().remove(lightHandle))
    refuse(Why::not_initialized, "no such handle");
}
const char* cublasLtGetStatusName(cublasStatus_t status) {
  const char* name = codes.name(status);
  return name != nullptr ? name : "unknown cublasStatus_t value";
}
const char* cublasLtGetStatusString(cublasStatus_t status) { return cublas::words_of(status); }
size_t cublasLtGetVersion() { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion() { return CUDART_VERSION; }
void cublasLtGetProperty(libraryPropertyType type, int* value) { cublas::property(type, value); }

void cublasLtMatmul(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t computeDesc, const void* alpha,
                    const void* A, cublasLtMatrixLayout_t Adesc, const void* B, cublasLtMatrixLayout_t Bdesc,
                    const void* beta, const void* C, cublasLtMatrixLayout_t Cdesc, void* D,
                    cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t* algo, void* workspace,
                    size_t workspaceSizeInBytes, cudaStream_t stream) {
  cublas::use(lightHandle);
  const Problem p = problem(computeDesc, Adesc, Bdesc, Cdesc == nullptr ? Ddesc : Cdesc, Ddesc);
  check_algorithm(algo);
  check_pointers(p);
  require(workspace != nullptr || workspaceSizeInBytes == 0, "a workspace of some size at NULL");
  const Scales scales = scales_of(p.operation.pointers, p.operation.scale, alpha, beta);
  if (p.shape.empty()) return;
  const Pointers pointers{A, B, C, D};
  libs::Target(stream).submit("cublasLtMatmul",
                              [=](Access& access) { multiply(access, p, scales, pointers); });
}

// ---- algorithms

void cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t operationDesc,
                                    cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
                                    cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
                                    cublasLtMatmulPreference_t preference, int requestedAlgoCount,
                                    cublasLtMatmulHeuristicResult_t heuristicResultsArray[],
                                    int* returnAlgoCount) {
  if (returnAlgoCount == nullptr) libs::refuse_null("returnAlgoCount");
  *returnAlgoCount = 0;
  cublas::use(lightHandle);
  require(requestedAlgoCount > 0, "requestedAlgoCount is not positive");
  if (heuristicResultsArray == nullptr) libs::refuse_null("heuristicResultsArray");
  get(preference, "preference");
  problem(operationDesc, Adesc, Bdesc, Cdesc, Ddesc);
  heuristicResultsArray[0] = result_of({});
  *returnAlgoCount = 1;
}

void cublasLtMatmulAlgoGetIds(cublasLtHandle_t lightHandle, cublasComputeType_t, cudaDataType_t,
                              cudaDataType_t, cudaDataType_t, cudaDataType_t, cudaDataType_t,
                              int requestedAlgoCount, int algoIdsArray[], int* returnAlgoCount) {
  cublas::use(lightHandle);
  require(requestedAlgoCount > 0, "requestedAlgoCount is not positive");
  if (algoIdsArray == nullptr) libs::refuse_null("algoIdsArray");
  if (returnAlgoCount == nullptr) libs::refuse_null("returnAlgoCount");
  algoIdsArray[0] = the_algorithm;
  *returnAlgoCount = 1;
}
void cublasLtMatmulAlgoInit(cublasLtHandle_t lightHandle, cublasComputeType_t, cudaDataType_t, cudaDataType_t,
                            cudaDataType_t, cudaDataType_t, cudaDataType_t, int algoId,
                            cublasLtMatmulAlgo_t* algo) {
  cublas::use(lightHandle);
  if (algo == nullptr) libs::refuse_null("algo");
  check_id(algoId);
  Algorithm chosen;
  chosen.id = algoId;
  put(algo, chosen);
}
void cublasLtMatmulAlgoCheck(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t operationDesc,
                             cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
                             cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
                             const cublasLtMatmulAlgo_t* algo, cublasLtMatmulHeuristicResult_t* result) {
  cublas::use(lightHandle);
  if (algo == nullptr) libs::refuse_null("algo");
  if (result == nullptr) libs::refuse_null("result");
  check_algorithm(algo);
  problem(operationDesc, Adesc, Bdesc, Cdesc, Ddesc);
  *result = result_of(get(algo, "algo"));
}

void cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t* algo,
                                       cublasLtMatmulAlgoCapAttributes_t attr, void* buf, size_t sizeInBytes,
                                       size_t* sizeWritten) {
  if (algo == nullptr) libs::refuse_null("algo");
  check_algorithm(algo);
  const auto number = [&](auto value) { give_number(value, buf, sizeInBytes, sizeWritten); };
  switch (attr) {
    case CUBLASLT_ALGO_CAP_SPLITK_SUPPORT:
    case CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT:
    case CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX:
    case CUBLASLT_ALGO_CAP_LD_NEGATIVE:
    case CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT:
    case CUBLASLT_ALGO_CAP_FLOATING_POINT_EMULATION_SUPPORT: return number(int32_t{0});
    case CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT:
    case CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT:
    case CUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER: return number(int32_t{1});
    case CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK: return number(uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE});
    case CUBLASLT_ALGO_CAP_UPLO_SUPPORT: return number(int32_t{0});
    case CUBLASLT_ALGO_CAP_TILE_IDS:
      return give_list(std::array{uint32_t{CUBLASLT_MATMUL_TILE_UNDEFINED}}, buf, sizeInBytes, sizeWritten);
    case CUBLASLT_ALGO_CAP_STAGES_IDS:
      return give_list(std::array{uint32_t{CUBLASLT_MATMUL_STAGES_UNDEFINED}}, buf, sizeInBytes, sizeWritten);
    case CUBLASLT_ALGO_CAP_POINTER_MODE_MASK: return number(uint32_t{31});
    case CUBLASLT_ALGO_CAP_EPILOGUE_MASK: return number(uint32_t{1023});
    case CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS:
      return number(
          uint64_t{CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F});
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES: return number(uint32_t{1});
    default: break;
  }
  refuse(Why::invalid_value, "no attribute " + std::to_string(attr));
}

// How many answers of the heuristic may be kept. They cost nothing to find again, so none is; the number is
// the program's to set and read.
namespace {
std::atomic<size_t> heuristics_capacity{0};
std::atomic<unsigned> instructions_disabled{0};
}  // namespace
void cublasLtHeuristicsCacheGetCapacity(size_t* capacity) { *capacity = heuristics_capacity; }
void cublasLtHeuristicsCacheSetCapacity(size_t capacity) { heuristics_capacity = capacity; }
// Instructions of the host that the library is not to use: the result is the mask before.
unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask) { return instructions_disabled.exchange(mask); }

// ---- the logger

void cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback) { logger().set_callback(callback); }
void cublasLtLoggerSetFile(FILE* file) { logger().set_file(file); }
void cublasLtLoggerOpenFile(const char* logFile) { logger().open_file(logFile); }
void cublasLtLoggerSetLevel(int level) { logger().set_level(level); }
void cublasLtLoggerSetMask(int mask) { logger().set_mask(mask); }
void cublasLtLoggerForceDisable() { logger().disable(); }

}  // namespace heddle::cublaslt
