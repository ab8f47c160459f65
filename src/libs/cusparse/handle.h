// What a cusparseHandle_t stands for, one call of it, and the descriptions of matrices of the older
// functions.
#pragma once

#include <cusparse.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "libs/common/element.h"
#include "libs/common/handles.h"
#include "libs/common/stream.h"

namespace heddle::cusparse {

using libs::Access;
using libs::native;
using libs::native_of;
using libs::real_of;
using libs::refuse;
using libs::require;
using libs::Why;

struct Handle {
  std::atomic<void*> stream{nullptr};
  std::atomic<bool> device_scalars{false};
};
// Throws when it is none: for the older functions it is "not initialised".
std::shared_ptr<Handle> use(const void* handle, Why if_none = Why::not_initialized);
// For the generic API, and for what sets and asks a handle's properties, it is an argument that is wrong, as
// for an H200.
inline std::shared_ptr<Handle> use_generic(const void* handle) { return use(handle, Why::invalid_value); }

// A scalar of a type that is known at run time only, from host or device memory.
class Number {
 public:
  Number(const void* pointer, bool on_device, std::size_t bytes) : pointer_(on_device ? pointer : nullptr) {
    if (!on_device) std::memcpy(value_, pointer, bytes);
  }
  template <class N>
  N get(Access& access) const {
    N value;
    std::memcpy(&value, pointer_ == nullptr ? value_ : access.read_bytes(pointer_, 1, sizeof(N)), sizeof(N));
    return value;
  }

 private:
  const void* pointer_;
  alignas(16) unsigned char value_[16] = {};
};

class Call {
 public:
  explicit Call(const void* handle) : handle_(use(handle)) {}
  static Call generic(const void* handle) { return Call(use_generic(handle)); }
  bool device_scalars() const { return handle_->device_scalars.load(std::memory_order_relaxed); }
  template <class T>
  libs::Scalar<native_of<T>> scalar(const T* pointer, const char* name) const {
    if (pointer == nullptr) libs::refuse_null(name);
    return {native(pointer), device_scalars()};
  }
  Number number(const void* pointer, std::size_t bytes, const char* name) const {
    if (pointer == nullptr) libs::refuse_null(name);
    return {pointer, device_scalars(), bytes};
  }
  template <class Body>
  void submit(const char* name, Body body) const {
    libs::Target(handle_->stream).submit(name, std::move(body));
  }
  template <class Body>
  void submit_and_wait(const char* name, Body body) const {
    libs::Target(handle_->stream).submit_and_wait(name, std::move(body));
  }
  // Work that has a number for the host or, in device pointer mode, for the device: `compute(Access&)`. The
  // place may be nullptr, then nobody asked.
  template <class Result, class Compute>
  void give(const char* name, Result* result, Compute compute) const {
    if (result == nullptr) return submit(name, [compute](Access& access) { compute(access); });
    const libs::Target target(handle_->stream);
    if (device_scalars())
      submit(name, [result, compute](Access& access) {
        Result* const to = access.write(result, 1);
        *to = compute(access);
      });
    else if (target.capturing())  // the host has it when the graph ran, as by a copy
      submit(name, [result, compute](Access& access) { *result = compute(access); });
    else
      submit_and_wait(name, [result, compute](Access& access) { *result = compute(access); });
  }

 private:
  explicit Call(std::shared_ptr<Handle> handle) : handle_(std::move(handle)) {}
  const std::shared_ptr<Handle> handle_;
};

struct Description {
  std::atomic<cusparseMatrixType_t> type{CUSPARSE_MATRIX_TYPE_GENERAL};
  std::atomic<cusparseFillMode_t> fill{CUSPARSE_FILL_MODE_LOWER};
  std::atomic<cusparseDiagType_t> diagonal{CUSPARSE_DIAG_TYPE_NON_UNIT};
  std::atomic<cusparseIndexBase_t> base{CUSPARSE_INDEX_BASE_ZERO};
};
std::shared_ptr<Description> description(const void* descriptor);

// ---- what arguments say
int base_of(const void* descriptor);          // of a description
int base_of(cusparseIndexBase_t base);        // checked
void general(const void* descriptor);         // refuses what is no general matrix
char op_of(cusparseOperation_t op);           // N, T or C
bool by_rows(cusparseDirection_t direction);  // how elements lie in a block
inline void size(int64_t n, const char* words) { require(n >= 0, words); }
template <class... Pointers>
void given(const char* words, const Pointers*... pointers) {
  require(((pointers != nullptr) && ...), words);
}

// Objects that keep what an analysis found.
template <class Object>
std::shared_ptr<Object> object(const void* pointer) {
  auto found = libs::Handles<Object>::all().find(pointer);
  if (found == nullptr) refuse(Why::invalid_value, "no such object of an analysis");
  return found;
}

// What a factorisation met on the diagonal: the first row without a pivot, -1 if there is none.
struct Pivots {
  std::atomic<int64_t> structural{-1}, numerical{-1};
  std::atomic<bool> boosted{false};
  double tolerance = 0;
  double real = 0, imaginary = 0;
  int64_t first() const {
    const int64_t s = structural, n = numerical;
    return s < 0 ? n : n < 0 ? s : std::min(s, n);
  }
};
struct CsrIlu : Pivots {};
struct BsrIlu : Pivots {};
struct CsrCholesky : Pivots {};
struct BsrCholesky : Pivots {};
struct BsrVector : Pivots {};
struct BsrMatrix : Pivots {};

}  // namespace heddle::cusparse
