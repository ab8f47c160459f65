// What a cublasHandle_t stands for, and one call of it.
#pragma once

#include <cublas_api.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "libs/common/element.h"
#include "libs/common/handles.h"
#include "libs/common/stream.h"

namespace heddle::cublas {

using libs::Access;
using libs::refuse;
using libs::require;
using libs::Why;

struct Handle {
  int device = 0;
  std::atomic<void*> stream{nullptr};
  std::atomic<bool> device_scalars{false};
  std::atomic<cublasAtomicsMode_t> atomics{CUBLAS_ATOMICS_NOT_ALLOWED};
  std::atomic<int> math{CUBLAS_DEFAULT_MATH};
  std::atomic<int> multiprocessors{0};
  // How a device would make double products of integers'. Here they are made of doubles, and these are kept.
  std::atomic<cublasEmulationStrategy_t> emulation{CUBLAS_EMULATION_STRATEGY_DEFAULT};
  std::atomic<cudaEmulationSpecialValuesSupport> emulated_specials{
      CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT};
  std::atomic<cudaEmulationMantissaControl> emulated_mantissa{CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC};
  std::atomic<int> emulated_bits{0}, emulated_offset{0};
  std::atomic<int*> emulated_bits_to{nullptr};
};
using HandleRef = std::shared_ptr<Handle>;
HandleRef make_handle();
// Throws "not initialised" when it is none.
HandleRef use(const void* handle);

// Of libraries that share the statuses.
const char* words_of(cublasStatus_t status);
void property(libraryPropertyType type, int* value);

// What every function begins with: the handle is looked at, then the stream.
class Call {
 public:
  explicit Call(const void* handle) : handle_(use(handle)) {}
  Handle& handle() const { return *handle_; }

  // alpha and beta, and what else the pointer mode speaks of. Asked for where there is work: with a size of 0
  // they may be NULL, as on an H200 (tests/libs/cublas_arguments_test.cpp).
  template <class T>
  libs::Scalar<T> scalar(const T* pointer, const char* name) const {
    if (pointer == nullptr) libs::refuse_null(name);
    return {pointer, handle_->device_scalars.load(std::memory_order_relaxed)};
  }
  bool device_scalars() const { return handle_->device_scalars.load(std::memory_order_relaxed); }

  template <class Body>
  void submit(const char* name, Body body) const {
    libs::Target(handle_->stream).submit(name, std::move(body));
  }
  template <class Body>
  void submit_and_wait(const char* name, Body body) const {
    libs::Target(handle_->stream).submit_and_wait(name, std::move(body));
  }
  // The value of `compute(Access&)`, to host or device memory.
  template <class Result, class Compute>
  void give(const char* name, Result* result, Compute compute) const {
    if (result == nullptr) libs::refuse_null("result");
    if (device_scalars())
      submit(name, [result, compute](Access& access) {
        Result* const to = access.write(result, 1);
        *to = compute(access);
      });
    else
      submit_and_wait(name, [result, compute](Access& access) { *result = compute(access); });
  }

 private:
  const HandleRef handle_;
};

// ---- what arguments say
inline char letter(cublasOperation_t op) {
  switch (op) {
    case CUBLAS_OP_N: return 'N';
    case CUBLAS_OP_T: return 'T';
    case CUBLAS_OP_C: return 'C';
    default: refuse(Why::invalid_value, "an operation that is none of N, T, C");
  }
}
inline char letter(cublasFillMode_t uplo) {
  require(uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER,
          "the fill mode is neither lower nor upper");
  return uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
}
inline char letter(cublasDiagType_t diag) {
  require(diag == CUBLAS_DIAG_UNIT || diag == CUBLAS_DIAG_NON_UNIT,
          "the diagonal is neither unit nor non-unit");
  return diag == CUBLAS_DIAG_UNIT ? 'U' : 'N';
}
inline char letter(cublasSideMode_t side) {
  require(side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT, "the side is neither left nor right");
  return side == CUBLAS_SIDE_LEFT ? 'L' : 'R';
}
inline void leading(int64_t ld, int64_t rows, const char* words) {
  require(ld >= (rows > 1 ? rows : 1), words);
}

}  // namespace heddle::cublas
