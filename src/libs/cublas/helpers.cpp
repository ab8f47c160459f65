// Handles and their modes, copies of vectors and matrices, words for statuses, the logger.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "libs/common/log.h"
#include "libs/common/runtime.h"
#include "libs/cublas/functions.gen.h"
#include "libs/cublas/handle.h"

namespace heddle::cublas {
namespace {

struct StatusWords {
  cublasStatus_t status;
  const char* words;
};
constexpr StatusWords status_words[] = {
    {CUBLAS_STATUS_SUCCESS, "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "the function requires an architectural feature absent from the device"},
    {CUBLAS_STATUS_MAPPING_ERROR, "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "the GPU program failed to execute"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "the functionality requested is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR,
     "the functionality requested requires some license and an error was detected"},
};

// What the variables of the environment ask of the logger; looked at once, with the first handle.
void start_log_of_environment() {
  const auto flag = [](const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr && std::strcmp(text, "0") != 0 && *text != '\0';
  };
  if (!flag("CUBLAS_LOGINFO_DBG")) return;
  const char* to = std::getenv("CUBLAS_LOGDEST_DBG");
  const std::string_view where = to == nullptr ? "stdout" : to;
  libs::log_to(true, where == "stdout", where == "stderr",
               where == "stdout" || where == "stderr" ? nullptr : to);
}

void check_cuda(int status, const char* what) {
  if (status != 0)
    libs::refuse_code(CUBLAS_STATUS_MAPPING_ERROR,
                      std::string(what) + " failed with CUDA error " + std::to_string(status));
}

// Elements of `bytes` each, with increments, as rows of a copy in two dimensions.
void copy_vector(int64_t n, int64_t bytes, const void* x, int64_t incx, void* y, int64_t incy, bool to_device,
                 void* stream, bool async) {
  require(incx > 0 && incy > 0 && bytes > 0, "an increment or the size of an element is not positive");
  if (n == 0) return;
  if (n < 0) libs::refuse_code(CUBLAS_STATUS_MAPPING_ERROR, "n is negative");
  const auto kind = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  if (incx == 1 && incy == 1) {
    const auto all = static_cast<size_t>(n * bytes);
    return check_cuda(
        async ? HEDDLE_RUNTIME(cudaMemcpyAsync)(y, x, all, kind, static_cast<cudaStream_t>(stream))
              : HEDDLE_RUNTIME(cudaMemcpy)(y, x, all, kind),
        "the copy");
  }
  const auto from = static_cast<size_t>(incx * bytes), to = static_cast<size_t>(incy * bytes);
  check_cuda(async ? HEDDLE_RUNTIME(cudaMemcpy2DAsync)(y, to, x, from, static_cast<size_t>(bytes),
                                                       static_cast<size_t>(n), kind,
                                                       static_cast<cudaStream_t>(stream))
                   : HEDDLE_RUNTIME(cudaMemcpy2D)(y, to, x, from, static_cast<size_t>(bytes),
                                                  static_cast<size_t>(n), kind),
             "the copy");
}

void copy_matrix(int64_t rows, int64_t columns, int64_t bytes, const void* a, int64_t lda, void* b,
                 int64_t ldb, bool to_device, void* stream, bool async) {
  require(rows >= 0 && columns >= 0 && bytes > 0 && lda > 0 && ldb > 0,
          "a size is negative, or that of an element not positive");
  if (rows == 0 || columns == 0) return;
  if (lda < rows || ldb < rows)
    libs::refuse_code(CUBLAS_STATUS_MAPPING_ERROR, "a leading dimension is less than the number of rows");
  const auto kind = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  const auto from = static_cast<size_t>(lda * bytes), to = static_cast<size_t>(ldb * bytes),
             row = static_cast<size_t>(rows * bytes);
  check_cuda(async ? HEDDLE_RUNTIME(cudaMemcpy2DAsync)(b, to, a, from, row, static_cast<size_t>(columns),
                                                       kind, static_cast<cudaStream_t>(stream))
                   : HEDDLE_RUNTIME(cudaMemcpy2D)(b, to, a, from, row, static_cast<size_t>(columns), kind),
             "the copy");
}

}  // namespace

const char* words_of(cublasStatus_t status) {
  for (const StatusWords& known : status_words)
    if (known.status == status) return known.words;
  return "unknown cublasStatus_t value";
}
void property(libraryPropertyType type, int* value) {
  switch (type) {
    case MAJOR_VERSION: *value = CUBLAS_VER_MAJOR; return;
    case MINOR_VERSION: *value = CUBLAS_VER_MINOR; return;
    case PATCH_LEVEL: *value = CUBLAS_VER_PATCH; return;
  }
  refuse(Why::invalid_value, "no such property");
}

void cublasCreate_v2(cublasHandle_t* handle) {
  [[maybe_unused]] static const bool log = (start_log_of_environment(), true);
  *handle = libs::Handles<Handle>::all().add<cublasHandle_t>(make_handle());
}
void cublasDestroy_v2(cublasHandle_t handle) {
  if (!libs::Handles<Handle>::all().remove(handle)) refuse(Why::not_initialized, "no such handle");
}
void cublasGetVersion_v2(cublasHandle_t, int* version) { *version = CUBLAS_VERSION; }
void cublasGetProperty(libraryPropertyType type, int* value) { property(type, value); }
size_t cublasGetCudartVersion() { return CUDART_VERSION; }

// Work needs no memory of the device besides its operands, so the program's is left alone.
void cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t) {
  use(handle);
  require(reinterpret_cast<uintptr_t>(workspace) % 256 == 0, "the workspace is not aligned to 256 bytes");
}
void cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId) { use(handle)->stream = streamId; }
void cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* streamId) {
  *streamId = static_cast<cudaStream_t>(use(handle)->stream.load());
}
void cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  *mode = use(handle)->device_scalars ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST;
}
void cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  const HandleRef found = use(handle);
  require(mode == CUBLAS_POINTER_MODE_DEVICE || mode == CUBLAS_POINTER_MODE_HOST, "no such pointer mode");
  found->device_scalars = mode == CUBLAS_POINTER_MODE_DEVICE;
}
void cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) { *mode = use(handle)->atomics; }
void cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  const HandleRef found = use(handle);
  require(mode == CUBLAS_ATOMICS_ALLOWED || mode == CUBLAS_ATOMICS_NOT_ALLOWED, "no such atomics mode");
  found->atomics = mode;
}
void cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  *mode = static_cast<cublasMath_t>(use(handle)->math.load());
}
void cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  const HandleRef found = use(handle);
  const int kind = static_cast<int>(mode) & 0xf, rest = static_cast<int>(mode) & ~0xf;
  const bool known = kind <= CUBLAS_FP32_EMULATED_BF16X9_MATH || kind == CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH;
  require(known && (rest & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) == 0, "no such math mode");
  found->math = static_cast<int>(mode);
}
void cublasGetSmCountTarget(cublasHandle_t handle, int* smCountTarget) {
  *smCountTarget = use(handle)->multiprocessors;
}
void cublasSetSmCountTarget(cublasHandle_t handle, int smCountTarget) {
  const HandleRef found = use(handle);
  require(smCountTarget >= 0, "a negative number of multiprocessors");
  found->multiprocessors = smCountTarget;
}
void cublasGetEmulationStrategy(cublasHandle_t handle, cublasEmulationStrategy_t* emulationStrategy) {
  *emulationStrategy = use(handle)->emulation;
}
void cublasSetEmulationStrategy(cublasHandle_t handle, cublasEmulationStrategy_t emulationStrategy) {
  use(handle)->emulation = emulationStrategy;
}

void cublasGetEmulationSpecialValuesSupport(cublasHandle_t handle, cudaEmulationSpecialValuesSupport* mask) {
  *mask = use(handle)->emulated_specials;
}
void cublasSetEmulationSpecialValuesSupport(cublasHandle_t handle, cudaEmulationSpecialValuesSupport mask) {
  const HandleRef found = use(handle);
  constexpr int known =
      CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_INFINITY | CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NAN;
  require(mask == CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT || (mask & ~known) == 0,
          "no such special values");
  found->emulated_specials = mask;
}
void cublasGetFixedPointEmulationMantissaControl(cublasHandle_t handle,
                                                 cudaEmulationMantissaControl* mantissaControl) {
  *mantissaControl = use(handle)->emulated_mantissa;
}
void cublasSetFixedPointEmulationMantissaControl(cublasHandle_t handle,
                                                 cudaEmulationMantissaControl mantissaControl) {
  const HandleRef found = use(handle);
  require(mantissaControl == CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC ||
              mantissaControl == CUDA_EMULATION_MANTISSA_CONTROL_FIXED,
          "no such control of mantissas");
  found->emulated_mantissa = mantissaControl;
}
void cublasGetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t handle, int* maxMantissaBitCount) {
  *maxMantissaBitCount = use(handle)->emulated_bits;
}
void cublasSetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t handle, int maxMantissaBitCount) {
  const HandleRef found = use(handle);
  require(maxMantissaBitCount >= 0, "a negative number of bits");
  found->emulated_bits = maxMantissaBitCount;
}
void cublasGetFixedPointEmulationMantissaBitOffset(cublasHandle_t handle, int* mantissaBitOffset) {
  *mantissaBitOffset = use(handle)->emulated_offset;
}
void cublasSetFixedPointEmulationMantissaBitOffset(cublasHandle_t handle, int mantissaBitOffset) {
  use(handle)->emulated_offset = mantissaBitOffset;
}
void cublasGetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle, int** mantissaBitCount) {
  *mantissaBitCount = use(handle)->emulated_bits_to;
}
void cublasSetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle, int* mantissaBitCount) {
  use(handle)->emulated_bits_to = mantissaBitCount;
}

const char* cublasGetStatusName(cublasStatus_t status) {
  const char* name = codes.name(status);
  return name != nullptr ? name : "unknown cublasStatus_t value";
}
const char* cublasGetStatusString(cublasStatus_t status) { return words_of(status); }
void cublasXerbla(const char* srName, int info) {
  std::fprintf(stderr, "On entry to %s parameter number %d had an illegal value\n",
               srName == nullptr ? "" : srName, info);
}

void cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr, const char* logFileName) {
  if (!libs::log_to(logIsOn != 0, logToStdOut != 0, logToStdErr != 0, logFileName))
    refuse(Why::invalid_value, "the log file cannot be opened");
}
void cublasSetLoggerCallback(cublasLogCallback userCallback) { libs::log_to(userCallback); }
void cublasGetLoggerCallback(cublasLogCallback* userCallback) { *userCallback = libs::log_callback(); }

// ---- copies between host and device

void cublasSetVector(int64_t n, int64_t elemSize, const void* x, int64_t incx, void* devicePtr,
                     int64_t incy) {
  copy_vector(n, elemSize, x, incx, devicePtr, incy, true, nullptr, false);
}
void cublasGetVector(int64_t n, int64_t elemSize, const void* x, int64_t incx, void* y, int64_t incy) {
  copy_vector(n, elemSize, x, incx, y, incy, false, nullptr, false);
}
void cublasSetMatrix(int64_t rows, int64_t cols, int64_t elemSize, const void* A, int64_t lda, void* B,
                     int64_t ldb) {
  copy_matrix(rows, cols, elemSize, A, lda, B, ldb, true, nullptr, false);
}
void cublasGetMatrix(int64_t rows, int64_t cols, int64_t elemSize, const void* A, int64_t lda, void* B,
                     int64_t ldb) {
  copy_matrix(rows, cols, elemSize, A, lda, B, ldb, false, nullptr, false);
}
void cublasSetVectorAsync(int64_t n, int64_t elemSize, const void* hostPtr, int64_t incx, void* devicePtr,
                          int64_t incy, cudaStream_t stream) {
  copy_vector(n, elemSize, hostPtr, incx, devicePtr, incy, true, stream, true);
}
void cublasGetVectorAsync(int64_t n, int64_t elemSize, const void* devicePtr, int64_t incx, void* hostPtr,
                          int64_t incy, cudaStream_t stream) {
  copy_vector(n, elemSize, devicePtr, incx, hostPtr, incy, false, stream, true);
}
void cublasSetMatrixAsync(int64_t rows, int64_t cols, int64_t elemSize, const void* A, int64_t lda, void* B,
                          int64_t ldb, cudaStream_t stream) {
  copy_matrix(rows, cols, elemSize, A, lda, B, ldb, true, stream, true);
}
void cublasGetMatrixAsync(int64_t rows, int64_t cols, int64_t elemSize, const void* A, int64_t lda, void* B,
                          int64_t ldb, cudaStream_t stream) {
  copy_matrix(rows, cols, elemSize, A, lda, B, ldb, false, stream, true);
}

}  // namespace heddle::cublas
