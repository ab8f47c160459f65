// Level 2: a matrix and vectors. Matrices are full, banded or packed, by columns.
#include <algorithm>
#include <cstring>
#include <vector>

#include "libs/cublas/blas.h"
#include "libs/cublas/functions.gen.h"
#include "libs/cublas/gemm.h"
#include "libs/cublas/handle.h"
#include "libs/cublas/line.h"
#include "libs/cublas/operands.h"

namespace heddle::cublas {
namespace {

using fortran::size;
using libs::is_complex;
using libs::native;
using libs::native_of;

void steps(int64_t incx, int64_t incy = 1) { require(incx != 0 && incy != 0, "an increment is 0"); }
void order(int64_t n) { require(n >= 0, "n is negative"); }
uint64_t packed(int64_t n) { return static_cast<uint64_t>(n) * static_cast<uint64_t>(n + 1) / 2; }

// How a matrix lies in memory: columns of `rows` elements, `ld` apart. Packed: one column.
struct Storage {
  int64_t rows, columns, ld;
};
Storage full(int64_t m, int64_t n, int64_t ld) {
  leading(ld, m, "lda is less than the rows of A");
  return {m, n, ld};
}
Storage band(int64_t width, int64_t n, int64_t ld) {
  require(width >= 1, "a number of diagonals is negative");
  leading(ld, width, "lda is less than the rows of the band");
  return {width, n, ld};
}
Storage triangle(int64_t n) { return {static_cast<int64_t>(packed(n)), 1, 1}; }

// OpenBLAS's kernels of full symmetric matrices read up to a vector behind the last element, where a device's
// memory may end: then the matrix is copied.
enum class Reads { no_more, behind };
template <class T>
class Operand {
 public:
  Operand(Access& access, const T* A, Storage storage, Reads reads) : data_(A) {
    constexpr uint64_t more = 64;
    const uint64_t count = Access::extent(storage.rows, storage.columns, storage.ld);
    if (reads == Reads::no_more || access.readable(A + count, more)) return;
    copy_.resize(count + more);
    std::memcpy(copy_.data(), A, count * sizeof(T));
    data_ = copy_.data();
  }
  const T* data() const { return data_; }

 private:
  std::vector<T> copy_;
  const T* data_;
};

// y = alpha A x + beta y, of whatever A: `in` elements of x, `out` of y.
template <class T, class Product>
void product(cublasHandle_t handle, const char* name, Storage storage, int64_t in, int64_t out,
             const T* alpha, const T* A, const T* x, int64_t incx, const T* beta, T* y, int64_t incy,
             Product multiply, Reads how = Reads::no_more) {
  const Call call(handle);
  steps(incx, incy);
  if (in == 0 || out == 0) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  call.submit(name, [=](Access& access) {
    const T a = by.get(access), b = keep.get(access);
    if (!is_zero(a)) {
      access.read(A, storage.rows, storage.columns, storage.ld);
      access.read_vector(x, in, incx);
    }
    access.write_vector(y, out, incy);
    const bool reads = !is_zero(a);
    const Line<native_of<T>> from(native(x), reads ? in : 0, reads ? incx : 1);
    Line<native_of<T>> to(native(y), out, incy);
    const Operand<T> matrix(access, A, storage, reads ? how : Reads::no_more);
    multiply(number(a), native(matrix.data()), from.data(), number(b), to.data());
    to.put_back();
  });
}

// x = op(A) x or its solution, of a triangle A.
template <class T, class Solve>
void in_place(cublasHandle_t handle, const char* name, int64_t n, Storage storage, const T* A, T* x,
              int64_t incx, Solve solve) {
  const Call call(handle);
  order(n);
  steps(incx);
  if (n == 0) return;
  call.submit(name, [=](Access& access) {
    access.read(A, storage.rows, storage.columns, storage.ld);
    access.write_vector(x, n, incx);
    Line<native_of<T>> line(native(x), n, incx);
    solve(native(A), line.data());
    line.put_back();
  });
}

// A = alpha x y' + A, of whatever A.
template <class T, class Scalar, class Update>
void rank_update(cublasHandle_t handle, const char* name, Storage storage, const Scalar* alpha, const T* x,
                 int64_t rows, int64_t incx, const T* y, int64_t columns, int64_t incy, T* A, Update update) {
  const Call call(handle);
  steps(incx, incy);
  if (rows == 0 || columns == 0) return;
  const auto by = call.scalar(alpha, "alpha");
  call.submit(name, [=](Access& access) {
    const Scalar a = by.get(access);
    access.read_vector(x, rows, incx);
    access.read_vector(y, columns, incy);
    access.write(A, storage.rows, storage.columns, storage.ld);
    const Line<native_of<T>> left(native(x), rows, incx), right(native(y), columns, incy);
    update(number(a), left.data(), right.data(), native(A));
  });
}

}  // namespace

template <class T>
void gemv(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const T* alpha, const T* A,
          int64_t lda, const T* x, int64_t incx, const T* beta, T* y, int64_t incy) {
  const char op = op_of<T>(trans);
  require(m >= 0 && n >= 0, "m or n is negative");
  // An H200 looks at them, unlike at those of its kin.
  if (m > 0 && n > 0 && alpha != nullptr && !use(handle)->device_scalars && !is_zero(*alpha))
    require(A != nullptr && x != nullptr, "A or x is NULL");
  product(handle, "gemv", full(m, n, lda), op == 'N' ? n : m, op == 'N' ? m : n, alpha, A, x, incx, beta, y,
          incy, [=](auto a, auto* from, auto* with, auto b, auto* to) {
            fortran::gemv<native_of<T>>(op, size(m), size(n), a, from, size(lda), with, 1, b, to, 1);
          });
}
template <class T>
void gbmv(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, int64_t kl, int64_t ku,
          const T* alpha, const T* A, int64_t lda, const T* x, int64_t incx, const T* beta, T* y,
          int64_t incy) {
  use(handle);
  const char op = op_of<T>(trans);
  require(m >= 0 && n >= 0 && kl >= 0 && ku >= 0, "m, n, kl or ku is negative");
  product(handle, "gbmv", band(kl + ku + 1, n, lda), op == 'N' ? n : m, op == 'N' ? m : n, alpha, A, x, incx,
          beta, y, incy, [=](auto a, auto* from, auto* with, auto b, auto* to) {
            fortran::gbmv<native_of<T>>(op, size(m), size(n), size(kl), size(ku), a, from, size(lda), with, 1,
                                        b, to, 1);
          });
}

// The same with hermitian matrices where they are complex; of symv and hemv each has both kinds.
#define HEDDLE_SYMMETRIC(name)                                                                   \
  template <class T>                                                                             \
  void name(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* A, \
            int64_t lda, const T* x, int64_t incx, const T* beta, T* y, int64_t incy) {          \
    use(handle);                                                                                 \
    const char half = letter(uplo);                                                              \
    order(n);                                                                                    \
    product(                                                                                     \
        handle, #name, full(n, n, lda), n, n, alpha, A, x, incx, beta, y, incy,                  \
        [=](auto a, auto* from, auto* with, auto b, auto* to) {                                  \
          fortran::name<native_of<T>>(half, size(n), a, from, size(lda), with, 1, b, to, 1);     \
        },                                                                                       \
        Reads::behind);                                                                          \
  }
#define HEDDLE_SYMMETRIC_BAND(name, routine)                                                                 \
  template <class T>                                                                                         \
  void name(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t k, const T* alpha, const T* A,  \
            int64_t lda, const T* x, int64_t incx, const T* beta, T* y, int64_t incy) {                      \
    use(handle);                                                                                             \
    const char half = letter(uplo);                                                                          \
    order(n);                                                                                                \
    product(handle, #name, band(k + 1, n, lda), n, n, alpha, A, x, incx, beta, y, incy,                      \
            [=](auto a, auto* from, auto* with, auto b, auto* to) {                                          \
              fortran::routine<native_of<T>>(half, size(n), size(k), a, from, size(lda), with, 1, b, to, 1); \
            });                                                                                              \
  }
#define HEDDLE_SYMMETRIC_PACKED(name, routine)                                                    \
  template <class T>                                                                              \
  void name(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* AP, \
            const T* x, int64_t incx, const T* beta, T* y, int64_t incy) {                        \
    use(handle);                                                                                  \
    const char half = letter(uplo);                                                               \
    order(n);                                                                                     \
    product(handle, #name, triangle(n), n, n, alpha, AP, x, incx, beta, y, incy,                  \
            [=](auto a, auto* from, auto* with, auto b, auto* to) {                               \
              fortran::routine<native_of<T>>(half, size(n), a, from, with, 1, b, to, 1);          \
            });                                                                                   \
  }
HEDDLE_SYMMETRIC(symv)
HEDDLE_SYMMETRIC(hemv)
HEDDLE_SYMMETRIC_BAND(sbmv, sbmv)
HEDDLE_SYMMETRIC_BAND(hbmv, sbmv)
HEDDLE_SYMMETRIC_PACKED(spmv, spmv)
HEDDLE_SYMMETRIC_PACKED(hpmv, spmv)

#define HEDDLE_TRIANGLE(name)                                                                             \
  template <class T>                                                                                      \
  void name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, \
            int64_t n, const T* A, int64_t lda, T* x, int64_t incx) {                                     \
    use(handle);                                                                                          \
    const char half = letter(uplo), op = op_of<T>(trans), unit = letter(diag);                            \
    in_place(handle, #name, n, full(n, n, lda), A, x, incx, [=](auto* from, auto* to) {                   \
      fortran::name<native_of<T>>(half, op, unit, size(n), from, size(lda), to, 1);                       \
    });                                                                                                   \
  }
#define HEDDLE_TRIANGLE_BAND(name)                                                                        \
  template <class T>                                                                                      \
  void name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, \
            int64_t n, int64_t k, const T* A, int64_t lda, T* x, int64_t incx) {                          \
    use(handle);                                                                                          \
    const char half = letter(uplo), op = op_of<T>(trans), unit = letter(diag);                            \
    in_place(handle, #name, n, band(k + 1, n, lda), A, x, incx, [=](auto* from, auto* to) {               \
      fortran::name<native_of<T>>(half, op, unit, size(n), size(k), from, size(lda), to, 1);              \
    });                                                                                                   \
  }
#define HEDDLE_TRIANGLE_PACKED(name)                                                                      \
  template <class T>                                                                                      \
  void name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, \
            int64_t n, const T* AP, T* x, int64_t incx) {                                                 \
    use(handle);                                                                                          \
    const char half = letter(uplo), op = op_of<T>(trans), unit = letter(diag);                            \
    in_place(handle, #name, n, triangle(n), AP, x, incx, [=](auto* from, auto* to) {                      \
      fortran::name<native_of<T>>(half, op, unit, size(n), from, to, 1);                                  \
    });                                                                                                   \
  }
HEDDLE_TRIANGLE(trmv)
HEDDLE_TRIANGLE(trsv)
HEDDLE_TRIANGLE_BAND(tbmv)
HEDDLE_TRIANGLE_BAND(tbsv)
HEDDLE_TRIANGLE_PACKED(tpmv)
HEDDLE_TRIANGLE_PACKED(tpsv)

// ---- rank updates

#define HEDDLE_GER(name, routine)                                                                        \
  template <class T>                                                                                     \
  void name(cublasHandle_t handle, int64_t m, int64_t n, const T* alpha, const T* x, int64_t incx,       \
            const T* y, int64_t incy, T* A, int64_t lda) {                                               \
    require(m >= 0 && n >= 0, "m or n is negative");                                                     \
    rank_update(handle, #name, full(m, n, lda), alpha, x, m, incx, y, n, incy, A,                        \
                [=](auto a, auto* left, auto* right, auto* to) {                                         \
                  fortran::routine<native_of<T>>(size(m), size(n), a, left, 1, right, 1, to, size(lda)); \
                });                                                                                      \
  }
HEDDLE_GER(ger, ger)
HEDDLE_GER(geru, ger)
HEDDLE_GER(gerc, gerc)

template <class T>
void syr(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* x, int64_t incx,
         T* A, int64_t lda) {
  const char half = letter(uplo);
  order(n);
  rank_update(handle, "syr", full(n, n, lda), alpha, x, n, incx, x, n, incx, A,
              [=](auto a, auto* with, auto*, auto* to) {
                fortran::syr<native_of<T>>(half, size(n), a, with, 1, to, size(lda));
              });
}
template <class T>
void her(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const real_of<T>* alpha, const T* x,
         int64_t incx, T* A, int64_t lda) {
  const char half = letter(uplo);
  order(n);
  rank_update(handle, "her", full(n, n, lda), alpha, x, n, incx, x, n, incx, A,
              [=](auto a, auto* with, auto*, auto* to) {
                fortran::her<native_of<T>>(half, size(n), a, with, 1, to, size(lda));
              });
}
template <class T>
void hpr(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const real_of<T>* alpha, const T* x,
         int64_t incx, T* AP) {
  const char half = letter(uplo);
  order(n);
  rank_update(handle, is_complex<T> ? "hpr" : "spr", triangle(n), alpha, x, n, incx, x, n, incx, AP,
              [=](auto a, auto* with, auto*, auto* to) {
                fortran::spr<native_of<T>>(half, size(n), a, with, 1, to);
              });
}
template <class T>
void spr(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* x, int64_t incx,
         T* AP) {
  hpr<T>(handle, uplo, n, alpha, x, incx, AP);
}

template <class T>
void syr2(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* x, int64_t incx,
          const T* y, int64_t incy, T* A, int64_t lda) {
  const char half = letter(uplo);
  order(n);
  rank_update(handle, "syr2", full(n, n, lda), alpha, x, n, incx, y, n, incy, A,
              [=](auto a, auto* left, auto* right, auto* to) {
                if constexpr (!is_complex<T>) {
                  fortran::syr2<T>(half, size(n), a, left, 1, right, 1, to, size(lda));
                } else {  // BLAS has none
                  for (int64_t j = 0; j < n; ++j) {
                    const auto xj = a * left[j], yj = a * right[j];
                    for (int64_t i = half == 'L' ? j : 0; i < (half == 'L' ? n : j + 1); ++i)
                      to[i + j * lda] += left[i] * yj + right[i] * xj;
                  }
                }
              });
}
template <class T>
void her2(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* x, int64_t incx,
          const T* y, int64_t incy, T* A, int64_t lda) {
  const char half = letter(uplo);
  order(n);
  rank_update(handle, "her2", full(n, n, lda), alpha, x, n, incx, y, n, incy, A,
              [=](auto a, auto* left, auto* right, auto* to) {
                fortran::her2<native_of<T>>(half, size(n), a, left, 1, right, 1, to, size(lda));
              });
}
#define HEDDLE_PACKED_UPDATE_2(name)                                                             \
  template <class T>                                                                             \
  void name(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T* alpha, const T* x, \
            int64_t incx, const T* y, int64_t incy, T* AP) {                                     \
    use(handle);                                                                                 \
    const char half = letter(uplo);                                                              \
    order(n);                                                                                    \
    rank_update(handle, #name, triangle(n), alpha, x, n, incx, y, n, incy, AP,                   \
                [=](auto a, auto* left, auto* right, auto* to) {                                 \
                  fortran::spr2<native_of<T>>(half, size(n), a, left, 1, right, 1, to);          \
                });                                                                              \
  }
HEDDLE_PACKED_UPDATE_2(spr2)
HEDDLE_PACKED_UPDATE_2(hpr2)

// ---- batches

namespace {

template <class T>
struct Places {
  const T* a;
  const T* x;
  T* y;
};

template <class T, class Place>
void gemv_batch(cublasHandle_t handle, const char* name, cublasOperation_t trans, int64_t m, int64_t n,
                const T* alpha, int64_t lda, int64_t incx, const T* beta, int64_t incy, int64_t batchCount,
                Place place) {
  const Call call(handle);
  const char op = op_of<T>(trans);
  require(m >= 0 && n >= 0 && batchCount >= 0, "m, n or batchCount is negative");
  const Storage storage = full(m, n, lda);
  steps(incx, incy);
  if (m == 0 || n == 0 || batchCount == 0) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  call.submit(name, [=](Access& access) {
    const T a = by.get(access), b = keep.get(access);
    for (int64_t i = 0; i < batchCount; ++i) {
      const Places<T> one = place(access, i);
      const int64_t in = op == 'N' ? n : m, out = op == 'N' ? m : n;
      const bool reads = !is_zero(a);
      if (reads) {
        access.read(one.a, storage.rows, storage.columns, storage.ld);
        access.read_vector(one.x, in, incx);
      }
      access.write_vector(one.y, out, incy);
      const Line<native_of<T>> from(native(one.x), reads ? in : 0, reads ? incx : 1);
      Line<native_of<T>> to(native(one.y), out, incy);
      fortran::gemv<native_of<T>>(op, size(m), size(n), number(a), native(one.a), size(lda), from.data(), 1,
                                  number(b), to.data(), 1);
      to.put_back();
    }
  });
}

}  // namespace

template <class T>
void gemvBatched(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const T* alpha,
                 const T* const Aarray[], int64_t lda, const T* const xarray[], int64_t incx, const T* beta,
                 T* const yarray[], int64_t incy, int64_t batchCount) {
  gemv_batch(handle, "gemvBatched", trans, m, n, alpha, lda, incx, beta, incy, batchCount,
             [=](Access& access, int64_t i) {
               return Places<T>{*access.read(Aarray + i, 1), *access.read(xarray + i, 1),
                                *access.read(yarray + i, 1)};
             });
}
template <class T>
void gemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const T* alpha,
                        const T* A, int64_t lda, long long int strideA, const T* x, int64_t incx,
                        long long int stridex, const T* beta, T* y, int64_t incy, long long int stridey,
                        int64_t batchCount) {
  gemv_batch(
      handle, "gemvStridedBatched", trans, m, n, alpha, lda, incx, beta, incy, batchCount,
      [=](Access&, int64_t i) { return Places<T>{A + i * strideA, x + i * stridex, y + i * stridey}; });
}

}  // namespace heddle::cublas

#include "libs/cublas/level2.gen.h"
