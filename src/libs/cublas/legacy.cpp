// The interface of CUDA 3 and before: one handle for the process, which the calls do not name, numbers of
// host memory, letters for what has enumerations now, and the last error instead of a status. The bodies are
// generated: each passes its arguments to the function of the newer interface.
#include <atomic>
#include <mutex>

#include "libs/common/runtime.h"
#include "libs/cublas/functions.gen.h"
#include "libs/cublas/handle.h"

namespace heddle::cublas {
namespace {

struct Default {
  std::mutex mutex;
  cublasHandle_t handle = nullptr;
  std::atomic<int> error{CUBLAS_STATUS_SUCCESS};
};
Default& shared_default() {
  static auto* const made = new Default;  // for the process's whole life
  return *made;
}

// Made by the first call, if not by cublasInit.
cublasHandle_t default_handle() {
  Default& own = shared_default();
  const std::lock_guard lock(own.mutex);
  if (own.handle == nullptr) own.handle = libs::Handles<Handle>::all().add<cublasHandle_t>(make_handle());
  return own.handle;
}

template <class Body>
void with_default_handle(const Body& body) {
  try {
    body(default_handle());
  } catch (const libs::Refusal& refusal) {
    shared_default().error = libs::code_of(codes, refusal);
    throw;
  } catch (...) {
    shared_default().error = CUBLAS_STATUS_ALLOC_FAILED;
    throw;
  }
}

char lower(char letter) { return static_cast<char>(letter | 0x20); }
cublasFillMode_t fill_mode(char uplo) {
  require(lower(uplo) == 'l' || lower(uplo) == 'u', "uplo is neither L nor U");
  return lower(uplo) == 'l' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
cublasOperation_t operation(char trans) {
  switch (lower(trans)) {
    case 'n': return CUBLAS_OP_N;
    case 't': return CUBLAS_OP_T;
    case 'c': return CUBLAS_OP_C;
    default: refuse(Why::invalid_value, "trans is none of N, T, C");
  }
}
cublasSideMode_t side_mode(char side) {
  require(lower(side) == 'l' || lower(side) == 'r', "side is neither L nor R");
  return lower(side) == 'l' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}
cublasDiagType_t diagonal(char diag) {
  require(lower(diag) == 'n' || lower(diag) == 'u', "diag is neither N nor U");
  return lower(diag) == 'n' ? CUBLAS_DIAG_NON_UNIT : CUBLAS_DIAG_UNIT;
}

}  // namespace

void cublasInit() { default_handle(); }
void cublasShutdown() {
  Default& own = shared_default();
  const std::lock_guard lock(own.mutex);
  if (own.handle == nullptr) refuse(Why::not_initialized, "cublasInit was not called");
  libs::Handles<Handle>::all().remove(own.handle);
  own.handle = nullptr;
}
// Tells it once.
void cublasGetError() {
  if (const int code = shared_default().error.exchange(CUBLAS_STATUS_SUCCESS); code != 0)
    libs::refuse_code(code, "the last error");
}
void cublasGetVersion(int* version) { *version = CUBLAS_VERSION; }

void cublasAlloc(int n, int elemSize, void** devicePtr) {
  require(n > 0 && elemSize > 0, "n or elemSize is not positive");
  *devicePtr = nullptr;
  if (HEDDLE_RUNTIME(cudaMalloc)(devicePtr, static_cast<size_t>(n) * static_cast<size_t>(elemSize)) !=
      cudaSuccess)
    refuse(Why::alloc_failed, "the device has no memory left");
}
void cublasFree(void* devicePtr) {
  if (HEDDLE_RUNTIME(cudaFree)(devicePtr) != cudaSuccess) refuse(Why::internal_error, "that cannot be freed");
}
void cublasSetKernelStream(cudaStream_t stream) { use(default_handle())->stream = stream; }

}  // namespace heddle::cublas

#include "libs/cublas/legacy.gen.h"
