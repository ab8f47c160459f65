// Level 1: vectors. Increments may be negative, as in BLAS; of nrm2, asum, amax and amin only positive ones
// mean anything.
#include <algorithm>
#include <cmath>

#include "libs/cublas/blas.h"
#include "libs/cublas/functions.gen.h"
#include "libs/cublas/handle.h"
#include "libs/cublas/line.h"

namespace heddle::cublas {
namespace {

using libs::is_complex;
using libs::native;
using libs::native_of;

// Longer vectors than BLAS counts, piece by piece. `piece(begin, count)`.
constexpr int64_t most = int64_t{1} << 30;
template <class Piece>
void pieces(int64_t n, const Piece& piece) {
  for (int64_t begin = 0; begin < n; begin += most) piece(begin, static_cast<int>(std::min(most, n - begin)));
}

// Of vectors without gaps (line.h). Complex products and sums are loops of our own: of OpenBLAS 0.3.21 some
// kernels read behind the end, and scasum is wrong for more than 8 elements on processors with AVX-512.
float product_of(int n, const float* x, const float* y, bool) {
  return fortran::own::cblas_sdot(n, x, 1, y, 1);
}
double product_of(int n, const double* x, const double* y, bool) {
  return fortran::own::cblas_ddot(n, x, 1, y, 1);
}
template <class R>
std::complex<R> product_of(int n, const std::complex<R>* x, const std::complex<R>* y, bool conjugated) {
  // Eight sums side by side, for vector instructions, and so that errors grow slower.
  R real[8] = {}, imaginary[8] = {};
  const R sign = conjugated ? R(-1) : R(1);
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int j = 0; j < 8; ++j) {
      const R a = x[i + j].real(), b = sign * x[i + j].imag(), c = y[i + j].real(), d = y[i + j].imag();
      real[j] += a * c - b * d;
      imaginary[j] += a * d + b * c;
    }
  for (; i < n; ++i) {
    const R a = x[i].real(), b = sign * x[i].imag(), c = y[i].real(), d = y[i].imag();
    real[i % 8] += a * c - b * d;
    imaginary[i % 8] += a * d + b * c;
  }
  std::complex<R> sum;
  for (int j = 0; j < 8; ++j) sum += std::complex<R>(real[j], imaginary[j]);
  return sum;
}
float norm_of(int n, const float* x) { return fortran::own::cblas_snrm2(n, x, 1); }
double norm_of(int n, const double* x) { return fortran::own::cblas_dnrm2(n, x, 1); }
float norm_of(int n, const std::complex<float>* x) { return fortran::own::cblas_scnrm2(n, x, 1); }
double norm_of(int n, const std::complex<double>* x) { return fortran::own::cblas_dznrm2(n, x, 1); }
template <class R>
R sum_of(int64_t n, const R* x) {
  R sums[8] = {}, sum = 0;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int j = 0; j < 8; ++j) sums[j] += std::abs(x[i + j]);
  for (; i < n; ++i) sums[i % 8] += std::abs(x[i]);
  for (const R one : sums) sum += one;
  return sum;
}
template <class R>
R sum_of(int64_t n, const std::complex<R>* x) {
  return sum_of(2 * n, reinterpret_cast<const R*>(x));
}

template <class T>
T magnitude(const T& x) {
  return std::abs(x);
}
template <class R>
R magnitude(const std::complex<R>& x) {
  return std::abs(x.real()) + std::abs(x.imag());
}

// The first element of the greatest (least) magnitude, counted from 1. What is not a number is never chosen,
// unless it comes first.
template <bool greatest, class N>
int64_t extreme(const N* x, int64_t n, int64_t step) {
  int64_t best = 0;
  auto value = magnitude(x[0]);
  for (int64_t i = 1; i < n; ++i) {
    const auto other = magnitude(x[i * step]);
    if (greatest ? other > value : other < value) {
      value = other;
      best = i;
    }
  }
  return best + 1;
}

template <class T>
void dot_with(cublasHandle_t handle, const char* name, int64_t n, const T* x, int64_t incx, const T* y,
              int64_t incy, T* result, bool conjugated) {
  Call(handle).give(name, result, [=](Access& access) {
    native_of<T> sum{};
    if (n > 0) {
      const Line<native_of<T>> from(native(access.read_vector(x, n, incx)), n, incx),
          with(native(access.read_vector(y, n, incy)), n, incy);
      pieces(n, [&](int64_t begin, int count) {
        sum += product_of(count, from.data() + begin, with.data() + begin, conjugated);
      });
    }
    return *reinterpret_cast<const T*>(&sum);
  });
}

template <class T, class Factor>
void scale(cublasHandle_t handle, int64_t n, const Factor* alpha, T* x, int64_t incx) {
  const Call call(handle);
  if (n <= 0 || incx <= 0) return;
  const auto factor = call.scalar(alpha, "alpha");
  call.submit("scal", [=](Access& access) {
    const Factor a = factor.get(access);
    auto* const to = native(access.write_vector(x, n, incx));
    const auto by = *reinterpret_cast<const native_of<Factor>*>(&a);
    if (by == native_of<Factor>(0)) {  // 0 times what is not a number is not 0
      for (int64_t i = 0; i < n; ++i) to[i * incx] *= by;
      return;
    }
    if (incx != 1) {
      for (int64_t i = 0; i < n; ++i) to[i * incx] *= by;
      return;
    }
    pieces(n, [&](int64_t begin, int count) {
      if constexpr (std::is_same_v<T, Factor>)
        fortran::scal<native_of<T>>(count, by, to + begin, 1);
      else
        fortran::scal_real<native_of<T>>(count, by, to + begin, 1);
    });
  });
}

// Two vectors that are both changed.
template <class T, class Body>
void on_both(Access& access, int64_t n, T* x, int64_t incx, T* y, int64_t incy, const Body& body) {
  Line<native_of<T>> one(native(access.write_vector(x, n, incx)), n, incx),
      other(native(access.write_vector(y, n, incy)), n, incy);
  body(one.data(), other.data());
  one.put_back();
  other.put_back();
}

template <bool greatest, class T, class Index>
void find_extreme(cublasHandle_t handle, const char* name, int64_t n, const T* x, int64_t incx,
                  Index* result) {
  Call(handle).give(name, result, [=](Access& access) -> Index {
    if (n < 1 || incx < 1) return 0;
    return static_cast<Index>(extreme<greatest>(native(access.read_vector(x, n, incx)), n, incx));
  });
}

}  // namespace

template <class T>
void axpy(cublasHandle_t handle, int64_t n, const T* alpha, const T* x, int64_t incx, T* y, int64_t incy) {
  const Call call(handle);
  if (n <= 0) return;
  const auto factor = call.scalar(alpha, "alpha");
  call.submit("axpy", [=](Access& access) {
    const T a = factor.get(access);
    const auto by = *reinterpret_cast<const native_of<T>*>(&a);
    if (by == native_of<T>(0)) return;  // neither vector is touched: on an H200 they may be NULL
    const Line<native_of<T>> from(native(access.read_vector(x, n, incx)), n, incx);
    Line<native_of<T>> to(native(access.write_vector(y, n, incy)), n, incy);
    pieces(n, [&](int64_t begin, int count) {
      fortran::axpy<native_of<T>>(count, by, from.data() + begin, 1, to.data() + begin, 1);
    });
    to.put_back();
  });
}

template <class T>
void copy(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, T* y, int64_t incy) {
  const Call call(handle);
  if (n <= 0) return;
  call.submit("copy", [=](Access& access) {
    const Line<native_of<T>> from(native(access.read_vector(x, n, incx)), n, incx);
    Line<native_of<T>> to(native(access.write_vector(y, n, incy)), n, incy);
    std::copy_n(from.data(), n, to.data());
    to.put_back();
  });
}

template <class T>
void swap(cublasHandle_t handle, int64_t n, T* x, int64_t incx, T* y, int64_t incy) {
  const Call call(handle);
  if (n <= 0) return;
  call.submit("swap", [=](Access& access) {
    on_both(access, n, x, incx, y, incy,
            [=](auto* one, auto* other) { std::swap_ranges(one, one + n, other); });
  });
}

template <class T>
void scal(cublasHandle_t handle, int64_t n, const T* alpha, T* x, int64_t incx) {
  scale(handle, n, alpha, x, incx);
}
template <class T>
void scal_cs(cublasHandle_t handle, int64_t n, const real_of<T>* alpha, T* x, int64_t incx) {
  scale(handle, n, alpha, x, incx);
}

template <class T>
void dot(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, const T* y, int64_t incy, T* result) {
  dot_with(handle, "dot", n, x, incx, y, incy, result, false);
}
template <class T>
void dotu(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, const T* y, int64_t incy, T* result) {
  dot_with(handle, "dotu", n, x, incx, y, incy, result, false);
}
template <class T>
void dotc(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, const T* y, int64_t incy, T* result) {
  dot_with(handle, "dotc", n, x, incx, y, incy, result, true);
}

template <class T>
void nrm2(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, real_of<T>* result) {
  Call(handle).give("nrm2", result, [=](Access& access) {
    real_of<T> norm = 0;
    if (n < 1 || incx < 1) return norm;
    const Line<native_of<T>> from(native(access.read_vector(x, n, incx)), n, incx);
    pieces(n, [&](int64_t begin, int count) {
      const real_of<T> piece = norm_of(count, from.data() + begin);
      norm = begin == 0 ? piece : std::hypot(norm, piece);
    });
    return norm;
  });
}

template <class T>
void asum(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, real_of<T>* result) {
  Call(handle).give("asum", result, [=](Access& access) {
    if (n < 1 || incx < 1) return real_of<T>(0);
    return sum_of(n, Line<native_of<T>>(native(access.read_vector(x, n, incx)), n, incx).data());
  });
}

template <class T, class Index>
void amax(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, Index* result) {
  find_extreme<true>(handle, "amax", n, x, incx, result);
}
template <class T, class Index>
void amin(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, Index* result) {
  find_extreme<false>(handle, "amin", n, x, incx, result);
}

// ---- rotations

template <class T>
void rot(cublasHandle_t handle, int64_t n, T* x, int64_t incx, T* y, int64_t incy, const real_of<T>* c,
         const T* s) {
  const Call call(handle);
  if (n <= 0) return;
  const auto cosine = call.scalar(c, "c");
  const auto sine = call.scalar(s, "s");
  call.submit("rot", [=](Access& access) {
    const real_of<T> cc = cosine.get(access);
    const T ss = sine.get(access);
    on_both(access, n, x, incx, y, incy, [&](auto* one, auto* other) {
      fortran::rot<native_of<T>>(fortran::size(n), one, 1, other, 1, cc, *native(&ss));
    });
  });
}
template <class T>
void rot_cs(cublasHandle_t handle, int64_t n, T* x, int64_t incx, T* y, int64_t incy, const real_of<T>* c,
            const real_of<T>* s) {
  const Call call(handle);
  if (n <= 0) return;
  const auto cosine = call.scalar(c, "c");
  const auto sine = call.scalar(s, "s");
  call.submit("rot", [=](Access& access) {
    const real_of<T> cc = cosine.get(access), ss = sine.get(access);
    on_both(access, n, x, incx, y, incy, [&](auto* one, auto* other) {
      fortran::rot_real<native_of<T>>(fortran::size(n), one, 1, other, 1, cc, ss);
    });
  });
}

template <class T>
void rotg(cublasHandle_t handle, T* a, T* b, real_of<T>* c, T* s) {
  const Call call(handle);
  require(a != nullptr && b != nullptr && c != nullptr && s != nullptr, "a, b, c or s is NULL");
  const auto make = [=] { fortran::rotg<native_of<T>>(native(a), native(b), c, native(s)); };
  if (!call.device_scalars()) return make();
  call.submit("rotg", [=](Access& access) {
    access.write(a, 1);
    access.write(b, 1);
    access.write(c, 1);
    access.write(s, 1);
    make();
  });
}

template <class T>
void rotm(cublasHandle_t handle, int64_t n, T* x, int64_t incx, T* y, int64_t incy, const T* param) {
  const Call call(handle);
  if (n <= 0) return;
  if (param == nullptr) libs::refuse_null("param");
  struct Parameters {
    T of[5];
  };
  const bool device = call.device_scalars();
  Parameters given{};
  if (!device) std::copy_n(param, 5, given.of);
  call.submit("rotm", [=](Access& access) {
    Parameters p = given;
    if (device) std::copy_n(access.read(param, 5), 5, p.of);
    if (p.of[0] == T(-2)) return;  // the rotation by nothing: reference BLAS touches neither vector
    on_both(access, n, x, incx, y, incy, [&](T* one, T* other) {
      fortran::rotm<T>(fortran::size(n), one, 1, other, 1, static_cast<const T*>(p.of));
    });
  });
}

template <class T>
void rotmg(cublasHandle_t handle, T* d1, T* d2, T* x1, const T* y1, T* param) {
  const Call call(handle);
  require(d1 != nullptr && d2 != nullptr && x1 != nullptr && y1 != nullptr && param != nullptr,
          "d1, d2, x1, y1 or param is NULL");
  const auto make = [=] { fortran::rotmg<T>(d1, d2, x1, *y1, param); };
  if (!call.device_scalars()) return make();
  call.submit("rotmg", [=](Access& access) {
    access.write(d1, 1);
    access.write(d2, 1);
    access.write(x1, 1);
    access.read(y1, 1);
    access.write(param, 5);
    make();
  });
}

}  // namespace heddle::cublas

#include "libs/cublas/level1.gen.h"
