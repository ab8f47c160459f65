// Handles and their modes, descriptions of matrices, objects of analyses.
#include "libs/common/level_log.h"
#include "libs/cusparse/functions.gen.h"
#include "libs/cusparse/handle.h"
#include "libs/cusparse/kept.h"

namespace heddle::cusparse {
namespace {

libs::LevelLog& logger() {
  static auto* const log = new libs::LevelLog(codes, "cuSPARSE", "CUSPARSE");  // for the process's whole life
  return *log;
}

}  // namespace

namespace {

struct StatusWords {
  const char* name;
  const char* words;
};
// In the order of their numbers.
constexpr StatusWords statuses[] = {
    {"CUSPARSE_STATUS_SUCCESS", "success"},
    {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
    {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};
constexpr StatusWords unknown{"unrecognized error code", "unrecognized error code"};
const StatusWords& about(cusparseStatus_t status) {
  const auto place = static_cast<std::size_t>(status);
  return place < std::size(statuses) ? statuses[place] : unknown;
}

template <class Object, class Pointer>
void make(Pointer* out) {
  if (out == nullptr) libs::refuse_null("info");
  *out = libs::Handles<Object>::all().template add<Pointer>(std::make_shared<Object>());
}
// Nothing is destroyed without a word, as by NVIDIA's library.
template <class Object>
void destroy(const void* pointer) {
  if (pointer != nullptr && !libs::Handles<Object>::all().remove(pointer))
    refuse(Why::invalid_value, "no such object");
}

}  // namespace

std::shared_ptr<Handle> use(const void* handle, Why if_none) {
  auto found = libs::Handles<Handle>::all().find(handle);
  if (found == nullptr) refuse(if_none, handle == nullptr ? "the handle is NULL" : "no such handle");
  return found;
}
std::shared_ptr<Description> description(const void* descriptor) {
  auto found = libs::Handles<Description>::all().find(descriptor);
  if (found == nullptr) refuse(Why::invalid_value, "no such description of a matrix");
  return found;
}
int base_of(const void* descriptor) { return description(descriptor)->base; }
int base_of(cusparseIndexBase_t base) {
  require(base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE,
          "the base is neither zero nor one");
  return base;
}
void general(const void* descriptor) {
  if (description(descriptor)->type != CUSPARSE_MATRIX_TYPE_GENERAL)
    libs::refuse_code(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "the matrix is not a general one");
}
char op_of(cusparseOperation_t op) {
  switch (op) {
    case CUSPARSE_OPERATION_NON_TRANSPOSE: return 'N';
    case CUSPARSE_OPERATION_TRANSPOSE: return 'T';
    case CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE: return 'C';
  }
  refuse(Why::invalid_value, "an operation that is none");
}
bool by_rows(cusparseDirection_t direction) {
  require(direction == CUSPARSE_DIRECTION_ROW || direction == CUSPARSE_DIRECTION_COLUMN,
          "the direction is neither row nor column");
  return direction == CUSPARSE_DIRECTION_ROW;
}

void cusparseCreate(cusparseHandle_t* handle) {
  logger();          // as the environment asks for
  libs::services();  // there is a device, or this throws
  *handle = libs::Handles<Handle>::all().add<cusparseHandle_t>(std::make_shared<Handle>());
}
void cusparseDestroy(cusparseHandle_t handle) {
  if (handle != nullptr && !libs::Handles<Handle>::all().remove(handle))
    refuse(Why::not_initialized, "no such handle");
}
void cusparseGetVersion(cusparseHandle_t handle, int* version) {
  use_generic(handle);
  *version = CUSPARSE_VERSION;
}
void cusparseGetProperty(libraryPropertyType type, int* value) {
  switch (type) {
    case MAJOR_VERSION: *value = CUSPARSE_VER_MAJOR; return;
    case MINOR_VERSION: *value = CUSPARSE_VER_MINOR; return;
    case PATCH_LEVEL: *value = CUSPARSE_VER_PATCH; return;
  }
  refuse(Why::invalid_value, "no such property");
}
const char* cusparseGetErrorName(cusparseStatus_t status) { return about(status).name; }
const char* cusparseGetErrorString(cusparseStatus_t status) { return about(status).words; }

void cusparseSetStream(cusparseHandle_t handle, cudaStream_t streamId) {
  use_generic(handle)->stream = streamId;
}
void cusparseGetStream(cusparseHandle_t handle, cudaStream_t* streamId) {
  *streamId = static_cast<cudaStream_t>(use_generic(handle)->stream.load());
}
void cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  const auto found = use_generic(handle);
  require(mode == CUSPARSE_POINTER_MODE_HOST || mode == CUSPARSE_POINTER_MODE_DEVICE, "no such pointer mode");
  found->device_scalars = mode == CUSPARSE_POINTER_MODE_DEVICE;
}
void cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  *mode = use_generic(handle)->device_scalars ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST;
}

// ---- descriptions

void cusparseCreateMatDescr(cusparseMatDescr_t* descrA) { make<Description>(descrA); }
void cusparseDestroyMatDescr(cusparseMatDescr_t descrA) { destroy<Description>(descrA); }

namespace {

// Setters say that there is no description otherwise than the rest does.
std::shared_ptr<Description> to_set(const void* descriptor) {
  if (descriptor == nullptr) refuse(Why::not_initialized, "descrA is NULL");
  return description(descriptor);
}
template <class Value>
Value get(const void* descriptor, std::atomic<Value> Description::* member) {
  const auto found = libs::Handles<Description>::all().find(descriptor);
  return found == nullptr ? static_cast<Value>(-1) : ((*found).*member).load();
}

}  // namespace

void cusparseSetMatType(cusparseMatDescr_t descrA, cusparseMatrixType_t type) {
  const auto found = to_set(descrA);
  require(type >= CUSPARSE_MATRIX_TYPE_GENERAL && type <= CUSPARSE_MATRIX_TYPE_TRIANGULAR,
          "no such type of matrices");
  found->type = type;
}
void cusparseSetMatFillMode(cusparseMatDescr_t descrA, cusparseFillMode_t fillMode) {
  const auto found = to_set(descrA);
  require(fillMode == CUSPARSE_FILL_MODE_LOWER || fillMode == CUSPARSE_FILL_MODE_UPPER, "no such fill mode");
  found->fill = fillMode;
}
void cusparseSetMatDiagType(cusparseMatDescr_t descrA, cusparseDiagType_t diagType) {
  const auto found = to_set(descrA);
  require(diagType == CUSPARSE_DIAG_TYPE_NON_UNIT || diagType == CUSPARSE_DIAG_TYPE_UNIT,
          "no such type of diagonals");
  found->diagonal = diagType;
}
void cusparseSetMatIndexBase(cusparseMatDescr_t descrA, cusparseIndexBase_t base) {
  const auto found = to_set(descrA);
  base_of(base);
  found->base = base;
}
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descrA) {
  return get(descrA, &Description::type);
}
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descrA) {
  return get(descrA, &Description::fill);
}
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descrA) {
  return get(descrA, &Description::diagonal);
}
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descrA) {
  return get(descrA, &Description::base);
}

// ---- objects of analyses

void cusparseCreateCsric02Info(csric02Info_t* info) { make<CsrCholesky>(info); }
void cusparseDestroyCsric02Info(csric02Info_t info) { destroy<CsrCholesky>(info); }
void cusparseCreateBsric02Info(bsric02Info_t* info) { make<BsrCholesky>(info); }
void cusparseDestroyBsric02Info(bsric02Info_t info) { destroy<BsrCholesky>(info); }
void cusparseCreateCsrilu02Info(csrilu02Info_t* info) { make<CsrIlu>(info); }
void cusparseDestroyCsrilu02Info(csrilu02Info_t info) { destroy<CsrIlu>(info); }
void cusparseCreateBsrilu02Info(bsrilu02Info_t* info) { make<BsrIlu>(info); }
void cusparseDestroyBsrilu02Info(bsrilu02Info_t info) { destroy<BsrIlu>(info); }
void cusparseCreateBsrsv2Info(bsrsv2Info_t* info) { make<BsrVector>(info); }
void cusparseDestroyBsrsv2Info(bsrsv2Info_t info) { destroy<BsrVector>(info); }
void cusparseCreateBsrsm2Info(bsrsm2Info_t* info) { make<BsrMatrix>(info); }
void cusparseDestroyBsrsm2Info(bsrsm2Info_t info) { destroy<BsrMatrix>(info); }
void cusparseCreateCsru2csrInfo(csru2csrInfo_t* info) { make<Unsorted>(info); }
void cusparseDestroyCsru2csrInfo(csru2csrInfo_t info) { destroy<Unsorted>(info); }
void cusparseCreateColorInfo(cusparseColorInfo_t* info) { make<Colors>(info); }
void cusparseDestroyColorInfo(cusparseColorInfo_t info) { destroy<Colors>(info); }
void cusparseCreatePruneInfo(pruneInfo_t* info) { make<Threshold>(info); }
void cusparseDestroyPruneInfo(pruneInfo_t info) { destroy<Threshold>(info); }

// ---- the logger

void cusparseLoggerSetCallback(cusparseLoggerCallback_t callback) { logger().set_callback(callback); }
void cusparseLoggerSetFile(FILE* file) { logger().set_file(file); }
void cusparseLoggerOpenFile(const char* logFile) { logger().open_file(logFile); }
void cusparseLoggerSetLevel(int level) { logger().set_level(level); }
void cusparseLoggerSetMask(int mask) { logger().set_mask(mask); }
void cusparseLoggerForceDisable() { logger().disable(); }

}  // namespace heddle::cusparse
