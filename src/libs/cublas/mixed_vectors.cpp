// Vectors whose elements' types are arguments: computed in double, which every type but itself fits into with
// bits to spare, and rounded once.
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>

#include "libs/cublas/functions.gen.h"
#include "libs/cublas/gemm.h"
#include "libs/cublas/handle.h"

namespace heddle::cublas {
namespace {

using Number = std::complex<double>;

Number load(cudaDataType type, const void* from) {
  const AnyScalar value = any_scalar(from, type);
  return {value.real, value.imaginary};
}
void store(cudaDataType type, void* to, Number value) {
  const double exact[2] = {value.real(), value.imag()};
  if (type == CUDA_R_64F || type == CUDA_C_64F) {
    std::memcpy(to, exact, type == CUDA_C_64F ? 16 : 8);
    return;
  }
  const float rounded[2] = {static_cast<float>(exact[0]), static_cast<float>(exact[1])};
  from_float(type, rounded, to, is_complex_type(type) ? 2 : 1);
}

void known(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_R_32F:
    case CUDA_R_64F:
    case CUDA_C_32F:
    case CUDA_C_64F: return;
    default: refuse(Why::not_supported, "vectors of type " + std::to_string(type));
  }
}

struct Vector {
  const void* first;
  cudaDataType type;
  int64_t step;
  void hold(Access& access, int64_t n, bool write) const {
    const uint64_t count = Access::extent(1, n, std::abs(step));
    if (write)
      access.write_bytes(const_cast<void*>(first), count, bytes_of(type));
    else
      access.read_bytes(first, count, bytes_of(type));
  }
  const std::byte* at(int64_t n, int64_t i) const {
    return static_cast<const std::byte*>(first) +
           (step >= 0 ? i : i - n + 1) * step * static_cast<int64_t>(bytes_of(type));
  }
  Number get(int64_t n, int64_t i) const { return load(type, at(n, i)); }
  void set(int64_t n, int64_t i, Number value) const { store(type, const_cast<std::byte*>(at(n, i)), value); }
};

// A number of host or device memory, by the pointer mode.
class Place {
 public:
  Place(const Call& call, const void* pointer, cudaDataType type, const char* name) : type_(type) {
    if (pointer == nullptr) libs::refuse_null(name);
    if (call.device_scalars())
      pointer_ = pointer;
    else
      value_ = load(type, pointer);
  }
  Number get(Access& access) const {
    return pointer_ == nullptr ? value_ : load(type_, access.read_bytes(pointer_, 1, bytes_of(type_)));
  }

 private:
  const cudaDataType type_;
  const void* pointer_ = nullptr;
  Number value_;
};

template <class Compute>
void give(const Call& call, const char* name, void* result, cudaDataType type, Compute compute) {
  if (result == nullptr) libs::refuse_null("result");
  known(type);
  if (call.device_scalars())
    call.submit(name, [=](Access& access) {
      store(type, access.write_bytes(result, 1, bytes_of(type)), compute(access));
    });
  else
    call.submit_and_wait(name, [=](Access& access) { store(type, result, compute(access)); });
}

void dot(cublasHandle_t handle, const char* name, bool conjugate, int64_t n, Vector x, Vector y, void* result,
         cudaDataType type) {
  const Call call(handle);
  known(x.type);
  known(y.type);
  give(call, name, result, type, [=](Access& access) {
    Number sum = 0;
    if (n <= 0) return sum;
    x.hold(access, n, false);
    y.hold(access, n, false);
    for (int64_t i = 0; i < n; ++i) sum += (conjugate ? std::conj(x.get(n, i)) : x.get(n, i)) * y.get(n, i);
    return sum;
  });
}

template <bool greatest, class Index>
void extreme(cublasHandle_t handle, int64_t n, const void* pointer, cudaDataType type, int64_t step,
             Index* result) {
  const Call call(handle);
  known(type);
  const Vector x{pointer, type, step};
  call.give(greatest ? "IamaxEx" : "IaminEx", result, [=](Access& access) -> Index {
    if (n < 1 || step < 1) return 0;
    x.hold(access, n, false);
    Index best = 0;
    double value = 0;
    for (int64_t i = 0; i < n; ++i) {
      const Number number = x.get(n, i);
      const double size = std::abs(number.real()) + std::abs(number.imag());
      if (i == 0 || (greatest ? size > value : size < value)) {
        value = size;
        best = static_cast<Index>(i);
      }
    }
    return best + 1;
  });
}

}  // namespace

void cublasDotEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                 const void* y, cudaDataType yType, int64_t incy, void* result, cudaDataType resultType,
                 cudaDataType) {
  dot(handle, "DotEx", false, n, {x, xType, incx}, {y, yType, incy}, result, resultType);
}
void cublasDotcEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                  const void* y, cudaDataType yType, int64_t incy, void* result, cudaDataType resultType,
                  cudaDataType) {
  dot(handle, "DotcEx", true, n, {x, xType, incx}, {y, yType, incy}, result, resultType);
}

void cublasNrm2Ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                  void* result, cudaDataType resultType, cudaDataType) {
  const Call call(handle);
  known(xType);
  const Vector from{x, xType, incx};
  give(call, "Nrm2Ex", result, resultType, [=](Access& access) -> Number {
    if (n < 1 || incx < 1) return 0;
    from.hold(access, n, false);
    double norm = 0;
    for (int64_t i = 0; i < n; ++i) norm = std::hypot(norm, std::abs(from.get(n, i)));
    return norm;
  });
}
void cublasAsumEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                  void* result, cudaDataType resultType, cudaDataType) {
  const Call call(handle);
  known(xType);
  const Vector from{x, xType, incx};
  give(call, "AsumEx", result, resultType, [=](Access& access) -> Number {
    if (n < 1 || incx < 1) return 0;
    from.hold(access, n, false);
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const Number value = from.get(n, i);
      sum += std::abs(value.real()) + std::abs(value.imag());
    }
    return sum;
  });
}

void cublasScalEx(cublasHandle_t handle, int64_t n, const void* alpha, cudaDataType alphaType, void* x,
                  cudaDataType xType, int64_t incx, cudaDataType) {
  const Call call(handle);
  known(xType);
  known(alphaType);
  const Place factor(call, alpha, alphaType, "alpha");
  if (n <= 0 || incx <= 0) return;
  const Vector to{x, xType, incx};
  call.submit("ScalEx", [=](Access& access) {
    const Number by = factor.get(access);
    to.hold(access, n, true);
    for (int64_t i = 0; i < n; ++i) to.set(n, i, by * to.get(n, i));
  });
}
void cublasAxpyEx(cublasHandle_t handle, int64_t n, const void* alpha, cudaDataType alphaType, const void* x,
                  cudaDataType xType, int64_t incx, void* y, cudaDataType yType, int64_t incy, cudaDataType) {
  const Call call(handle);
  known(xType);
  known(yType);
  known(alphaType);
  const Place factor(call, alpha, alphaType, "alpha");
  if (n <= 0) return;
  const Vector from{x, xType, incx}, to{y, yType, incy};
  call.submit("AxpyEx", [=](Access& access) {
    const Number by = factor.get(access);
    from.hold(access, n, false);
    to.hold(access, n, true);
    for (int64_t i = 0; i < n; ++i) to.set(n, i, by * from.get(n, i) + to.get(n, i));
  });
}
void cublasCopyEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx, void* y,
                  cudaDataType yType, int64_t incy) {
  const Call call(handle);
  known(xType);
  known(yType);
  if (n <= 0) return;
  const Vector from{x, xType, incx}, to{y, yType, incy};
  call.submit("CopyEx", [=](Access& access) {
    from.hold(access, n, false);
    to.hold(access, n, true);
    for (int64_t i = 0; i < n; ++i) to.set(n, i, from.get(n, i));
  });
}
void cublasSwapEx(cublasHandle_t handle, int64_t n, void* x, cudaDataType xType, int64_t incx, void* y,
                  cudaDataType yType, int64_t incy) {
  const Call call(handle);
  known(xType);
  known(yType);
  if (n <= 0) return;
  const Vector one{x, xType, incx}, other{y, yType, incy};
  call.submit("SwapEx", [=](Access& access) {
    one.hold(access, n, true);
    other.hold(access, n, true);
    for (int64_t i = 0; i < n; ++i) {
      const Number kept = one.get(n, i);
      one.set(n, i, other.get(n, i));
      other.set(n, i, kept);
    }
  });
}
void cublasRotEx(cublasHandle_t handle, int64_t n, void* x, cudaDataType xType, int64_t incx, void* y,
                 cudaDataType yType, int64_t incy, const void* c, const void* s, cudaDataType csType,
                 cudaDataType) {
  const Call call(handle);
  known(xType);
  known(yType);
  known(csType);
  // The cosine is real, also where the sine is complex.
  const Place cosine(call, c,
                     csType == CUDA_C_32F   ? CUDA_R_32F
                     : csType == CUDA_C_64F ? CUDA_R_64F
                                            : csType,
                     "c"),
      sine(call, s, csType, "s");
  if (n <= 0) return;
  const Vector one{x, xType, incx}, other{y, yType, incy};
  call.submit("RotEx", [=](Access& access) {
    const Number cc = cosine.get(access), ss = sine.get(access);
    one.hold(access, n, true);
    other.hold(access, n, true);
    for (int64_t i = 0; i < n; ++i) {
      const Number a = one.get(n, i), b = other.get(n, i);
      one.set(n, i, cc * a + ss * b);
      other.set(n, i, cc * b - std::conj(ss) * a);
    }
  });
}

template <class Index>
void cublasIamaxEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                   Index* result) {
  extreme<true>(handle, n, x, xType, incx, result);
}
template <class Index>
void cublasIaminEx(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xType, int64_t incx,
                   Index* result) {
  extreme<false>(handle, n, x, xType, incx, result);
}

}  // namespace heddle::cublas

#include "libs/cublas/mixed_vectors.gen.h"
