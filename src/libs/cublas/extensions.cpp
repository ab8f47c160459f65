// What is no BLAS but near it: sums of matrices, packed triangles, factorisations of batches.
#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <numeric>
#include <vector>

#include "libs/common/parallel.h"
#include "libs/cublas/blas.h"
#include "libs/cublas/functions.gen.h"
#include "libs/cublas/handle.h"
#include "libs/cublas/lapack.h"
#include "libs/cublas/matrix.h"
#include "libs/cublas/operands.h"

namespace heddle::cublas {
namespace {

using fortran::size;
using libs::native;
using libs::native_of;

template <class N>
N conjugate(const N& x) {
  if constexpr (!std::is_arithmetic_v<N>)
    return std::conj(x);
  else
    return x;
}

// LU without exchanges of rows; 0, or the number of the first pivot that is zero.
template <class N>
int lu_without_pivots(int n, N* a, int64_t lda) {
  int info = 0;
  for (int64_t j = 0; j < n; ++j) {
    if (a[j + j * lda] == N(0)) {
      if (info == 0) info = static_cast<int>(j) + 1;
      continue;
    }
    for (int64_t i = j + 1; i < n; ++i) a[i + j * lda] /= a[j + j * lda];
    for (int64_t k = j + 1; k < n; ++k)
      for (int64_t i = j + 1; i < n; ++i) a[i + k * lda] -= a[i + j * lda] * a[j + k * lda];
  }
  return info;
}

template <class N>
std::vector<int> no_pivots(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 1);
  return order;
}

// The inverse from the factors, with rows exchanged as `pivots` say.
template <class N>
int invert(int n, N* a, int64_t lda, const int* pivots) {
  if (n == 0) return 0;  // LAPACK would write the size of a workspace that is not there
  int info = 0;
  std::vector<N> work(static_cast<std::size_t>(n) * 32);
  fortran::getri<N>(n, a, size(lda), pivots, work.data(), static_cast<int>(work.size()), &info);
  return info;
}

// Pieces of a batch that many threads do. What they throw cannot leave them: only memory may be missing.
template <class One>
void each(int64_t count, const One& one) {
  constexpr int64_t together = 4;
  std::atomic<bool> good{true};
  libs::parallel((count + together - 1) / together, [&](int64_t piece) {
    try {
      for (int64_t i = piece * together; i < std::min(count, (piece + 1) * together); ++i) one(i);
    } catch (...) {
      good = false;
    }
  });
  if (!good) throw std::bad_alloc();
}

// Of a program's own memory: LAPACK follows them.
void check_pivots(const int* pivots, int64_t count, int n) {
  for (int64_t i = 0; i < count; ++i)
    if (pivots[i] < 1 || pivots[i] > n) refuse(Why::execution_failed, "a pivot is none of 1 to n");
}

void batch(int64_t n, int64_t batchSize) { require(n >= 0 && batchSize >= 0, "n or batchSize is negative"); }

}  // namespace

// C = alpha op(A) + beta op(B); C may be A or B where that is not transposed.
template <class T>
void geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
          const T* alpha, const T* A, int64_t lda, const T* beta, const T* B, int64_t ldb, T* C,
          int64_t ldc) {
  const Call call(handle);
  const char opa = op_of<T>(transa), opb = op_of<T>(transb);
  require(m >= 0 && n >= 0, "m or n is negative");
  leading(lda, opa == 'N' ? m : n, "lda is less than the rows of A");
  leading(ldb, opb == 'N' ? m : n, "ldb is less than the rows of B");
  leading(ldc, m, "ldc is less than m");
  require(!(static_cast<const T*>(C) == A && (opa != 'N' || lda != ldc)),
          "C is A, which is transposed or has another leading dimension");
  require(!(static_cast<const T*>(C) == B && (opb != 'N' || ldb != ldc)),
          "C is B, which is transposed or has another leading dimension");
  if (m == 0 || n == 0) return;
  const auto by = call.scalar(alpha, "alpha"), with = call.scalar(beta, "beta");
  call.submit("geam", [=](Access& access) {
    using N = native_of<T>;
    const T alpha_value = by.get(access), beta_value = with.get(access);
    const N a = number(alpha_value), b = number(beta_value);
    if (a != N(0)) access.read(A, opa == 'N' ? m : n, opa == 'N' ? n : m, lda);
    if (b != N(0)) access.read(B, opb == 'N' ? m : n, opb == 'N' ? n : m, ldb);
    access.write(C, m, n, ldc);
    const auto element = [](char op, const N* matrix, int64_t ld, int64_t i, int64_t j) {
      if (op == 'N') return matrix[i + j * ld];
      const N value = matrix[j + i * ld];
      return op == 'C' ? conjugate(value) : value;
    };
    // Tiles, so that both a matrix and one that is transposed are walked along their cache lines.
    constexpr int64_t tile = 32;
    for (int64_t j0 = 0; j0 < n; j0 += tile)
      for (int64_t i0 = 0; i0 < m; i0 += tile)
        for (int64_t j = j0; j < std::min(n, j0 + tile); ++j)
          for (int64_t i = i0; i < std::min(m, i0 + tile); ++i) {
            N sum(0);
            if (a != N(0)) sum = a * element(opa, native(A), lda, i, j);
            if (b != N(0)) sum += b * element(opb, native(B), ldb, i, j);
            native(C)[i + j * ldc] = sum;
          }
  });
}

template <class T>
void dgmm(cublasHandle_t handle, cublasSideMode_t mode, int64_t m, int64_t n, const T* A, int64_t lda,
          const T* x, int64_t incx, T* C, int64_t ldc) {
  const Call call(handle);
  const bool left = letter(mode) == 'L';
  require(m >= 0 && n >= 0, "m or n is negative");
  leading(lda, m, "lda is less than m");
  leading(ldc, m, "ldc is less than m");
  if (m == 0 || n == 0) return;
  call.submit("dgmm", [=](Access& access) {
    const int64_t count = left ? m : n;
    const auto* a = native(access.read(A, m, n, lda));
    const auto* d = native(access.read_vector(x, count, incx));
    auto* c = native(access.write(C, m, n, ldc));
    if (incx < 0) d += (1 - count) * incx;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) c[i + j * ldc] = a[i + j * lda] * d[(left ? i : j) * incx];
  });
}

template <class T>
void tpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* AP, T* A, int lda) {
  const Call call(handle);
  const bool lower = letter(uplo) == 'L';
  batch(n, 0);
  leading(lda, n, "lda is less than n");
  if (n == 0) return;
  call.submit("tpttr", [=](Access& access) {
    const T* from = access.read(AP, static_cast<uint64_t>(n) * static_cast<uint64_t>(n + 1) / 2);
    T* to = access.write(A, n, n, lda);
    for (int64_t j = 0; j < n; ++j) {
      const int64_t first = lower ? j : 0, count = lower ? n - j : j + 1;
      std::copy_n(from, count, to + first + j * lda);
      from += count;
    }
  });
}
template <class T>
void trttp(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* A, int lda, T* AP) {
  const Call call(handle);
  const bool lower = letter(uplo) == 'L';
  batch(n, 0);
  leading(lda, n, "lda is less than n");
  if (n == 0) return;
  call.submit("trttp", [=](Access& access) {
    const T* from = access.read(A, n, n, lda);
    T* to = access.write(AP, static_cast<uint64_t>(n) * static_cast<uint64_t>(n + 1) / 2);
    for (int64_t j = 0; j < n; ++j) {
      const int64_t first = lower ? j : 0, count = lower ? n - j : j + 1;
      std::copy_n(from + first + j * lda, count, to);
      to += count;
    }
  });
}

// ---- factorisations of batches: info of each in device memory

template <class T>
void getrfBatched(cublasHandle_t handle, int n, T* const A[], int lda, int* P, int* info, int batchSize) {
  const Call call(handle);
  batch(n, batchSize);
  leading(lda, n, "lda is less than n");
  if (batchSize == 0) return;
  call.submit("getrfBatched", [=](Access& access) {
    const auto count = static_cast<uint64_t>(batchSize);
    const auto* as = access.read(A, count);
    access.write(info, count);
    if (P != nullptr) access.write(P, count * static_cast<uint64_t>(n));
    for (int i = 0; i < batchSize; ++i) access.write(as[i], n, n, lda);
    each(batchSize, [&](int64_t i) {
      if (P == nullptr) {
        info[i] = lu_without_pivots(n, native(as[i]), lda);
        return;
      }
      Matrix<native_of<T>> a(native(as[i]), n, n, lda);
      fortran::getrf<native_of<T>>(n, n, a.data(), a.ld(), P + i * n, info + i);
      a.put_back(native(as[i]), lda);
    });
  });
}

template <class T>
void getriBatched(cublasHandle_t handle, int n, const T* const A[], int lda, const int* P, T* const C[],
                  int ldc, int* info, int batchSize) {
  const Call call(handle);
  batch(n, batchSize);
  leading(lda, n, "lda is less than n");
  leading(ldc, n, "ldc is less than n");
  if (batchSize == 0) return;
  call.submit("getriBatched", [=](Access& access) {
    const auto count = static_cast<uint64_t>(batchSize);
    const auto* as = access.read(A, count);
    const auto* cs = access.read(C, count);
    access.write(info, count);
    if (P != nullptr)
      check_pivots(access.read(P, count * static_cast<uint64_t>(n)), int64_t{batchSize} * n, n);
    for (int i = 0; i < batchSize; ++i) {
      access.read(as[i], n, n, lda);
      access.write(cs[i], n, n, ldc);
    }
    const std::vector<int> own = no_pivots<T>(n);
    each(batchSize, [&](int64_t i) {
      Matrix<native_of<T>> a(native(as[i]), n, n, lda);
      info[i] = invert(n, a.data(), a.ld(), P == nullptr ? own.data() : P + i * n);
      a.put_back(native(cs[i]), ldc);
    });
  });
}

template <class T>
void getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs, const T* const Aarray[],
                  int lda, const int* devIpiv, T* const Barray[], int ldb, int* info, int batchSize) {
  const Call call(handle);
  const char op = op_of<T>(trans);
  if (info == nullptr) libs::refuse_null("info");
  *info = n < 0                  ? -2
          : nrhs < 0             ? -3
          : lda < std::max(1, n) ? -5
          : ldb < std::max(1, n) ? -8
          : batchSize < 0        ? -10
                                 : 0;
  require(*info == 0, "a size is negative or less than n");
  if (n == 0 || nrhs == 0 || batchSize == 0) return;
  call.submit("getrsBatched", [=](Access& access) {
    const auto count = static_cast<uint64_t>(batchSize);
    const auto* as = access.read(Aarray, count);
    const auto* bs = access.read(Barray, count);
    if (devIpiv != nullptr)
      check_pivots(access.read(devIpiv, count * static_cast<uint64_t>(n)), int64_t{batchSize} * n, n);
    for (int i = 0; i < batchSize; ++i) {
      access.read(as[i], n, n, lda);
      access.write(bs[i], n, nrhs, ldb);
    }
    const std::vector<int> own = no_pivots<T>(n);
    each(batchSize, [&](int64_t i) {
      int unused = 0;
      Matrix<native_of<T>> a(native(as[i]), n, n, lda), b(native(bs[i]), n, nrhs, ldb);
      fortran::getrs<native_of<T>>(op, n, nrhs, a.data(), a.ld(),
                                   devIpiv == nullptr ? own.data() : devIpiv + i * n, b.data(), b.ld(),
                                   &unused);
      b.put_back(native(bs[i]), ldb);
    });
  });
}

template <class T>
void matinvBatched(cublasHandle_t handle, int n, const T* const A[], int lda, T* const Ainv[], int lda_inv,
                   int* info, int batchSize) {
  const Call call(handle);
  batch(n, batchSize);
  require(n <= 32, "matinvBatched is for matrices of up to 32 x 32");
  leading(lda, n, "lda is less than n");
  leading(lda_inv, n, "lda_inv is less than n");
  if (batchSize == 0) return;
  call.submit("matinvBatched", [=](Access& access) {
    const auto count = static_cast<uint64_t>(batchSize);
    const auto* as = access.read(A, count);
    const auto* cs = access.read(Ainv, count);
    access.write(info, count);
    for (int i = 0; i < batchSize; ++i) {
      access.read(as[i], n, n, lda);
      access.write(cs[i], n, n, lda_inv);
    }
    each(batchSize, [&](int64_t i) {
      std::array<int, 32> pivots{};
      Matrix<native_of<T>> a(native(as[i]), n, n, lda);
      fortran::getrf<native_of<T>>(n, n, a.data(), a.ld(), pivots.data(), info + i);
      if (info[i] == 0) info[i] = invert(n, a.data(), a.ld(), pivots.data());
      a.put_back(native(cs[i]), lda_inv);
    });
  });
}

template <class T>
void geqrfBatched(cublasHandle_t handle, int m, int n, T* const Aarray[], int lda, T* const TauArray[],
                  int* info, int batchSize) {
  const Call call(handle);
  if (info == nullptr) libs::refuse_null("info");
  *info = m < 0 ? -1 : n < 0 ? -2 : lda < std::max(1, m) ? -4 : batchSize < 0 ? -7 : 0;
  require(*info == 0, "a size is negative, or lda less than m");
  if (m == 0 || n == 0 || batchSize == 0) return;
  call.submit("geqrfBatched", [=](Access& access) {
    const auto count = static_cast<uint64_t>(batchSize);
    const auto* as = access.read(Aarray, count);
    const auto* taus = access.read(TauArray, count);
    for (int i = 0; i < batchSize; ++i) {
      access.write(as[i], m, n, lda);
      access.write(taus[i], static_cast<uint64_t>(std::min(m, n)));
    }
    each(batchSize, [&](int64_t i) {
      std::vector<native_of<T>> work(static_cast<std::size_t>(n) * 32);
      int unused = 0;
      Matrix<native_of<T>> a(native(as[i]), m, n, lda);
      fortran::geqrf<native_of<T>>(m, n, a.data(), a.ld(), native(taus[i]), work.data(),
                                   static_cast<int>(work.size()), &unused);
      a.put_back(native(as[i]), lda);
    });
  });
}

template <class T>
void gelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs, T* const Aarray[],
                 int lda, T* const Carray[], int ldc, int* info, int* devInfoArray, int batchSize) {
  const Call call(handle);
  if (info == nullptr) libs::refuse_null("info");
  *info = m < 0                  ? -2
          : n < 0                ? -3
          : nrhs < 0             ? -4
          : lda < std::max(1, m) ? -6
          : ldc < std::max(1, m) ? -8
          : batchSize < 0        ? -11
                                 : 0;
  require(*info == 0, "a size is negative, or a leading dimension less than m");
  if (letter(trans) != 'N') refuse(Why::not_supported, "gelsBatched solves systems that are not transposed");
  if (m < n) refuse(Why::not_supported, "gelsBatched solves systems with at least as many rows as columns");
  if (n == 0 || nrhs == 0 || batchSize == 0) return;
  call.submit("gelsBatched", [=](Access& access) {
    const auto count = static_cast<uint64_t>(batchSize);
    const auto* as = access.read(Aarray, count);
    const auto* cs = access.read(Carray, count);
    if (devInfoArray != nullptr) access.write(devInfoArray, count);
    for (int i = 0; i < batchSize; ++i) {
      access.write(as[i], m, n, lda);
      access.write(cs[i], m, nrhs, ldc);
    }
    each(batchSize, [&](int64_t i) {
      std::vector<native_of<T>> work(static_cast<std::size_t>(std::max(n, nrhs) + n) * 32);
      int state = 0;
      Matrix<native_of<T>> a(native(as[i]), m, n, lda), c(native(cs[i]), m, nrhs, ldc);
      fortran::gels<native_of<T>>('N', m, n, nrhs, a.data(), a.ld(), c.data(), c.ld(), work.data(),
                                  static_cast<int>(work.size()), &state);
      a.put_back(native(as[i]), lda);
      c.put_back(native(cs[i]), ldc);
      if (devInfoArray != nullptr) devInfoArray[i] = state;
    });
  });
}

}  // namespace heddle::cublas

#include "libs/cublas/extensions.gen.h"
