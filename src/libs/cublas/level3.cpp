// Level 3: matrices, by columns. Where beta is 0 the result is not read.
#include <algorithm>
#include <vector>

#include "libs/cublas/blas.h"
#include "libs/cublas/functions.gen.h"
#include "libs/cublas/gemm.h"
#include "libs/cublas/handle.h"
#include "libs/cublas/operands.h"

namespace heddle::cublas {
namespace {

using fortran::size;
using libs::is_complex;
using libs::native;
using libs::native_of;
using libs::Places;

// Whether a call will multiply, as far as it is known now: an alpha of the device may be 0.
template <class T>
bool multiplies(const Call& call, const T* alpha) {
  return !call.device_scalars() && !is_zero(*alpha);
}

// What rank updates have in common: A (and B) of n x k or k x n, C of n x n.
template <class T>
struct Update {
  char uplo, op;
  int64_t n, k;
  const T* a;
  int64_t lda;
  const T* b;
  int64_t ldb;
  T* c;
  int64_t ldc;
  bool two = false;  // there is a B

  void check() const {
    require(n >= 0 && k >= 0, "n or k is negative");
    const int64_t rows = op == 'N' ? n : k;
    leading(lda, rows, "lda is less than the rows of A");
    if (two) leading(ldb, rows, "ldb is less than the rows of B");
    leading(ldc, n, "ldc is less than n");
  }
  // An H200 looks at C, and where there are two factors at them, too.
  void check_matrices(bool factors) const {
    if (c == nullptr) libs::refuse_null("C");
    if (two && factors && k > 0 && (a == nullptr || b == nullptr)) libs::refuse_null("A or B");
  }
  void hold(Access& access, bool factors) const {
    const int64_t rows = op == 'N' ? n : k, columns = op == 'N' ? k : n;
    if (factors) {
      access.read(a, rows, columns, lda);
      if (two) access.read(b, rows, columns, ldb);
    }
    access.write(c, n, n, ldc);
  }
};

template <class T, bool hermitian>
char update_op(cublasOperation_t op) {
  const char found = letter(op);
  if (!is_complex<T>) return found == 'C' ? 'T' : found;
  require(found == 'N' || found == (hermitian ? 'C' : 'T'),
          hermitian ? "the operation is neither N nor C" : "the operation is neither N nor T");
  return found;
}

// One triangle of alpha op(A) op(B)' + beta C: blocks of columns, of which the part beside the diagonal is a
// product and the rest is computed apart.
template <class T, bool hermitian>
void triangle_product(const Update<T>& u, native_of<T> alpha, native_of<T> beta) {
  using N = native_of<T>;
  constexpr int64_t block = 192;
  const char other = u.op == 'N' ? (hermitian ? 'C' : 'T') : 'N';
  const N* a = native(u.a);
  const N* b = native(u.b);
  N* c = native(u.c);
  std::vector<N> square;
  for (int64_t begin = 0; begin < u.n; begin += block) {
    const int64_t width = std::min(block, u.n - begin);
    const auto rows_of = [&](const N* matrix, int64_t ld, int64_t first) {
      return u.op == 'N' ? matrix + first : matrix + first * ld;
    };
    Shape s{u.op, other, width, width, u.k, u.lda, u.ldb, width};
    square.assign(static_cast<std::size_t>(width * width), N(0));
    gemm<N>(s, alpha, rows_of(a, u.lda, begin), rows_of(b, u.ldb, begin), N(0), square.data());
    for (int64_t j = 0; j < width; ++j) {
      const int64_t from = u.uplo == 'L' ? j : 0, to = u.uplo == 'L' ? width : j + 1;
      for (int64_t i = from; i < to; ++i) {
        N& value = c[begin + i + (begin + j) * u.ldc];
        value = beta == N(0) ? square[static_cast<std::size_t>(i + j * width)]
                             : square[static_cast<std::size_t>(i + j * width)] + beta * value;
        if constexpr (hermitian)
          if (i == j) value = value.real();
      }
    }
    const int64_t first = u.uplo == 'L' ? begin + width : 0,
                  rows = u.uplo == 'L' ? u.n - begin - width : begin;
    s = {u.op, other, rows, width, u.k, u.lda, u.ldb, u.ldc};
    gemm<N>(s, alpha, rows_of(a, u.lda, first), rows_of(b, u.ldb, begin), beta, c + first + begin * u.ldc);
  }
}

template <class T>
Shape shape_of(cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
               int64_t lda, int64_t ldb, int64_t ldc) {
  const Shape shape{op_of<T>(transa), op_of<T>(transb), m, n, k, lda, ldb, ldc};
  check(shape);
  return shape;
}

// Where there is something to compute, an H200 looks at what it is computed of.
void check_matrices(bool product, const void* a, const void* b, const void* c) {
  if (c == nullptr) libs::refuse_null("C");
  if (product && (a == nullptr || b == nullptr)) libs::refuse_null("A or B");
}

template <class T>
void hold_operands(Access& access, const Shape& s, bool product, const T* a, const T* b, T* c) {
  if (product) {
    access.read(a, s.a_rows(), s.a_columns(), s.lda);
    access.read(b, s.b_rows(), s.b_columns(), s.ldb);
  }
  access.write(c, s.m, s.n, s.ldc);
}

constexpr cudaDataType half_type = CUDA_R_16F;

// Half the size, and float inside.
AnyGemm of_halves(const Shape& s) { return {s, half_type, half_type, half_type, CUDA_R_32F}; }
AnyScalar any_half(const __half& value) { return any_scalar(&value, half_type); }
template <class T>
auto places_of_halves(const Places<T>& all) {
  using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  return Places<Byte>{reinterpret_cast<Byte* const*>(all.each), reinterpret_cast<Byte*>(all.first),
                      all.step * static_cast<int64_t>(sizeof(T))};
}

template <class T>
void multiply(Access& access, const Shape& s, const T& alpha, const T* a, const T* b, const T& beta, T* c) {
  hold_operands(access, s, !is_zero(alpha) && s.k > 0, a, b, c);
  gemm<native_of<T>>(s, number(alpha), native(a), native(b), number(beta), native(c));
}

// The same places, as numbers that C++ computes with.
template <class T>
Places<native_of<T>> native_places(const Places<T>& all) {
  return {reinterpret_cast<native_of<T>* const*>(all.each), native(all.first), all.step};
}
template <class T>
Places<const native_of<T>> native_places(const Places<const T>& all) {
  return {reinterpret_cast<const native_of<T>* const*>(all.each), native(all.first), all.step};
}

template <class T>
void multiply_batch(Access& access, const Shape& s, T alpha, T beta, int64_t count, const Places<const T>& a,
                    const Places<const T>& b, const Places<T>& c) {
  if (!is_zero(alpha) && s.k > 0) {
    access.read(a, count, s.a_rows(), s.a_columns(), s.lda);
    access.read(b, count, s.b_rows(), s.b_columns(), s.ldb);
  }
  access.write(c, count, s.m, s.n, s.ldc);
  if constexpr (std::is_same_v<T, __half>) {
    gemm_any_batch(of_halves(s), any_half(alpha), any_half(beta),
                   {places_of_halves(a), places_of_halves(b), places_of_halves(c)}, count);
  } else {
    gemm_batch<native_of<T>>(s, number(alpha), number(beta),
                             {native_places(a), native_places(b), native_places(c)}, count);
  }
}

}  // namespace

template <class T>
void gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
          int64_t k, const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C,
          int64_t ldc) {
  const Call call(handle);
  const Shape s = shape_of<T>(transa, transb, m, n, k, lda, ldb, ldc);
  if (s.empty()) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  check_matrices(s.k > 0 && multiplies(call, alpha), A, B, C);
  call.submit("gemm",
              [=](Access& access) { multiply(access, s, by.get(access), A, B, keep.get(access), C); });
}
template <class T>
void gemm3m(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
            int64_t k, const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C,
            int64_t ldc) {
  gemm(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

void cublasHgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                 int64_t n, int64_t k, const __half* alpha, const __half* A, int64_t lda, const __half* B,
                 int64_t ldb, const __half* beta, __half* C, int64_t ldc) {
  const Call call(handle);
  const Shape s = shape_of<float>(transa, transb, m, n, k, lda, ldb, ldc);
  if (s.empty()) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  if (C == nullptr) libs::refuse_null("C");
  call.submit("Hgemm", [=](Access& access) {
    hold_operands(access, s, true, A, B, C);
    gemm_any(of_halves(s), any_half(by.get(access)), A, B, any_half(keep.get(access)), C);
  });
}

// ---- batches

template <class T>
void gemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                 int64_t n, int64_t k, const T* alpha, const T* const Aarray[], int64_t lda,
                 const T* const Barray[], int64_t ldb, const T* beta, T* const Carray[], int64_t ldc,
                 int64_t batchCount) {
  const Call call(handle);
  const Shape s = shape_of<T>(transa, transb, m, n, k, lda, ldb, ldc);
  require(batchCount >= 0, "batchCount is negative");
  if (s.empty() || batchCount == 0) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  call.submit("gemmBatched", [=](Access& access) {
    const auto count = static_cast<uint64_t>(batchCount);
    const auto *as = access.read(Aarray, count), *bs = access.read(Barray, count);
    const auto* cs = access.read(Carray, count);
    multiply_batch<T>(access, s, by.get(access), keep.get(access), batchCount, {as}, {bs}, {cs});
  });
}

template <class T>
void gemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                        int64_t n, int64_t k, const T* alpha, const T* A, int64_t lda, long long int strideA,
                        const T* B, int64_t ldb, long long int strideB, const T* beta, T* C, int64_t ldc,
                        long long int strideC, int64_t batchCount) {
  const Call call(handle);
  const Shape s = shape_of<T>(transa, transb, m, n, k, lda, ldb, ldc);
  require(batchCount >= 0, "batchCount is negative");
  if (s.empty() || batchCount == 0) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  call.submit("gemmStridedBatched", [=](Access& access) {
    multiply_batch<T>(access, s, by.get(access), keep.get(access), batchCount, {nullptr, A, strideA},
                      {nullptr, B, strideB}, {nullptr, C, strideC});
  });
}

void cublasCgemm3mBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                          int64_t m, int64_t n, int64_t k, const cuComplex* alpha,
                          const cuComplex* const Aarray[], int64_t lda, const cuComplex* const Barray[],
                          int64_t ldb, const cuComplex* beta, cuComplex* const Carray[], int64_t ldc,
                          int64_t batchCount) {
  gemmBatched(handle, transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb, beta, Carray, ldc,
              batchCount);
}
void cublasCgemm3mStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                 int64_t m, int64_t n, int64_t k, const cuComplex* alpha, const cuComplex* A,
                                 int64_t lda, long long int strideA, const cuComplex* B, int64_t ldb,
                                 long long int strideB, const cuComplex* beta, cuComplex* C, int64_t ldc,
                                 long long int strideC, int64_t batchCount) {
  gemmStridedBatched(handle, transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc,
                     strideC, batchCount);
}

template <class T, class Index>
void gemmGroupedBatched(cublasHandle_t handle, const cublasOperation_t transa_array[],
                        const cublasOperation_t transb_array[], const Index m_array[], const Index n_array[],
                        const Index k_array[], const T alpha_array[], const T* const Aarray[],
                        const Index lda_array[], const T* const Barray[], const Index ldb_array[],
                        const T beta_array[], T* const Carray[], const Index ldc_array[], int64_t group_count,
                        const Index group_size[]) {
  const Call call(handle);
  require(group_count >= 0, "group_count is negative");
  for (const void* array : {static_cast<const void*>(transa_array), static_cast<const void*>(transb_array),
                            static_cast<const void*>(m_array), static_cast<const void*>(n_array),
                            static_cast<const void*>(k_array), static_cast<const void*>(alpha_array),
                            static_cast<const void*>(lda_array), static_cast<const void*>(ldb_array),
                            static_cast<const void*>(beta_array), static_cast<const void*>(ldc_array),
                            static_cast<const void*>(group_size)})
    require(array != nullptr || group_count == 0, "an array of the groups is NULL");
  struct Group {
    Shape shape;
    T alpha, beta;
    int64_t count;
  };
  std::vector<Group> groups;
  int64_t all = 0;
  for (int64_t g = 0; g < group_count; ++g) {
    require(group_size[g] >= 0, "the size of a group is negative");
    groups.push_back({shape_of<T>(transa_array[g], transb_array[g], m_array[g], n_array[g], k_array[g],
                                  lda_array[g], ldb_array[g], ldc_array[g]),
                      alpha_array[g], beta_array[g], group_size[g]});
    all += group_size[g];
  }
  if (all == 0) return;
  call.submit("gemmGroupedBatched", [=](Access& access) {
    const auto count = static_cast<uint64_t>(all);
    const auto *as = access.read(Aarray, count), *bs = access.read(Barray, count);
    const auto* cs = access.read(Carray, count);
    int64_t first = 0;
    for (const Group& group : groups) {
      if (!group.shape.empty())
        multiply_batch<T>(access, group.shape, group.alpha, group.beta, group.count, {as + first},
                          {bs + first}, {cs + first});
      first += group.count;
    }
  });
}

// ---- rank updates

template <class T>
void syrk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
          const T* alpha, const T* A, int64_t lda, const T* beta, T* C, int64_t ldc) {
  const Call call(handle);
  const Update<T> u{letter(uplo), update_op<T, false>(trans), n, k, A, lda, nullptr, 0, C, ldc};
  u.check();
  if (n == 0) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  u.check_matrices(multiplies(call, alpha));
  call.submit("syrk", [=](Access& access) {
    const T a = by.get(access), b = keep.get(access);
    u.hold(access, !is_zero(a) && k > 0);
    fortran::syrk<native_of<T>>(u.uplo, u.op, size(n), size(k), number(a), native(A), size(lda), number(b),
                                native(C), size(ldc));
  });
}
template <class T>
void herk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
          const real_of<T>* alpha, const T* A, int64_t lda, const real_of<T>* beta, T* C, int64_t ldc) {
  const Call call(handle);
  const Update<T> u{letter(uplo), update_op<T, true>(trans), n, k, A, lda, nullptr, 0, C, ldc};
  u.check();
  if (n == 0) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  u.check_matrices(multiplies(call, alpha));
  call.submit("herk", [=](Access& access) {
    const real_of<T> a = by.get(access), b = keep.get(access);
    u.hold(access, a != 0 && k > 0);
    fortran::herk<native_of<T>>(u.uplo, u.op, size(n), size(k), a, native(A), size(lda), b, native(C),
                                size(ldc));
  });
}
template <class T>
void syr2k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
           const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C,
           int64_t ldc) {
  const Call call(handle);
  const Update<T> u{letter(uplo), update_op<T, false>(trans), n, k, A, lda, B, ldb, C, ldc, true};
  u.check();
  if (n == 0) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  u.check_matrices(multiplies(call, alpha));
  call.submit("syr2k", [=](Access& access) {
    const T a = by.get(access), b = keep.get(access);
    u.hold(access, !is_zero(a) && k > 0);
    fortran::syr2k<native_of<T>>(u.uplo, u.op, size(n), size(k), number(a), native(A), size(lda), native(B),
                                 size(ldb), number(b), native(C), size(ldc));
  });
}
template <class T>
void her2k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
           const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const real_of<T>* beta, T* C,
           int64_t ldc) {
  const Call call(handle);
  const Update<T> u{letter(uplo), update_op<T, true>(trans), n, k, A, lda, B, ldb, C, ldc, true};
  u.check();
  if (n == 0) return;
  const auto by = call.scalar(alpha, "alpha");
  const auto keep = call.scalar(beta, "beta");
  u.check_matrices(multiplies(call, alpha));
  call.submit("her2k", [=](Access& access) {
    const T a = by.get(access);
    const real_of<T> b = keep.get(access);
    u.hold(access, !is_zero(a) && k > 0);
    fortran::her2k<native_of<T>>(u.uplo, u.op, size(n), size(k), number(a), native(A), size(lda), native(B),
                                 size(ldb), b, native(C), size(ldc));
  });
}
template <class T>
void syrkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
           const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C,
           int64_t ldc) {
  const Call call(handle);
  const Update<T> u{letter(uplo), update_op<T, false>(trans), n, k, A, lda, B, ldb, C, ldc, true};
  u.check();
  if (n == 0) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  u.check_matrices(multiplies(call, alpha));
  call.submit("syrkx", [=](Access& access) {
    const T a = by.get(access), b = keep.get(access);
    u.hold(access, true);
    triangle_product<T, false>(u, number(a), number(b));
  });
}
template <class T>
void herkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
           const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const real_of<T>* beta, T* C,
           int64_t ldc) {
  const Call call(handle);
  const Update<T> u{letter(uplo), update_op<T, true>(trans), n, k, A, lda, B, ldb, C, ldc, true};
  u.check();
  if (n == 0) return;
  const auto by = call.scalar(alpha, "alpha");
  const auto keep = call.scalar(beta, "beta");
  u.check_matrices(multiplies(call, alpha));
  call.submit("herkx", [=](Access& access) {
    const T a = by.get(access);
    const real_of<T> b = keep.get(access);
    u.hold(access, true);
    triangle_product<T, true>(u, number(a), native_of<T>(b));
  });
}

// ---- symmetric and triangular factors

namespace {

template <class T, class Body>
void symmetric_product(cublasHandle_t handle, const char* name, cublasSideMode_t side, int64_t m, int64_t n,
                       const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C,
                       int64_t ldc, Body body) {
  const Call call(handle);
  const int64_t order = letter(side) == 'L' ? m : n;
  require(m >= 0 && n >= 0, "m or n is negative");
  leading(lda, order, "lda is less than the order of A");
  leading(ldb, m, "ldb is less than m");
  leading(ldc, m, "ldc is less than m");
  if (m == 0 || n == 0) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  call.submit(name, [=](Access& access) {
    const T a = by.get(access), b = keep.get(access);
    if (!is_zero(a)) {
      access.read(A, order, order, lda);
      access.read(B, m, n, ldb);
    }
    access.write(C, m, n, ldc);
    body(number(a), number(b));
  });
}

struct Triangle {
  char side, uplo, op, diag;
  int64_t m, n;
  int64_t order() const { return side == 'L' ? m : n; }
};
template <class T>
Triangle triangle_of(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                     cublasDiagType_t diag, int64_t m, int64_t n, int64_t lda, int64_t ldb) {
  const Triangle t{letter(side), letter(uplo), op_of<T>(trans), letter(diag), m, n};
  require(m >= 0 && n >= 0, "m or n is negative");
  leading(lda, t.order(), "lda is less than the order of A");
  leading(ldb, m, "ldb is less than m");
  return t;
}

}  // namespace

template <class T>
void symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m, int64_t n,
          const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C,
          int64_t ldc) {
  const char s = letter(side), u = letter(uplo);
  symmetric_product(handle, "symm", side, m, n, alpha, A, lda, B, ldb, beta, C, ldc,
                    [=](native_of<T> a, native_of<T> b) {
                      fortran::symm<native_of<T>>(s, u, size(m), size(n), a, native(A), size(lda), native(B),
                                                  size(ldb), b, native(C), size(ldc));
                    });
}
template <class T>
void hemm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m, int64_t n,
          const T* alpha, const T* A, int64_t lda, const T* B, int64_t ldb, const T* beta, T* C,
          int64_t ldc) {
  const char s = letter(side), u = letter(uplo);
  symmetric_product(handle, "hemm", side, m, n, alpha, A, lda, B, ldb, beta, C, ldc,
                    [=](native_of<T> a, native_of<T> b) {
                      fortran::hemm<native_of<T>>(s, u, size(m), size(n), a, native(A), size(lda), native(B),
                                                  size(ldb), b, native(C), size(ldc));
                    });
}

template <class T>
void trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
          cublasDiagType_t diag, int64_t m, int64_t n, const T* alpha, const T* A, int64_t lda, T* B,
          int64_t ldb) {
  const Call call(handle);
  const Triangle t = triangle_of<T>(side, uplo, trans, diag, m, n, lda, ldb);
  if (m == 0 || n == 0) return;
  const auto by = call.scalar(alpha, "alpha");
  call.submit("trsm", [=](Access& access) {
    const T a = by.get(access);
    if (!is_zero(a)) access.read(A, t.order(), t.order(), lda);
    access.write(B, m, n, ldb);
    fortran::trsm<native_of<T>>(t.side, t.uplo, t.op, t.diag, size(m), size(n), number(a), native(A),
                                size(lda), native(B), size(ldb));
  });
}

// Unlike BLAS's, the result has a place of its own, which may be B's.
template <class T>
void trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
          cublasDiagType_t diag, int64_t m, int64_t n, const T* alpha, const T* A, int64_t lda, const T* B,
          int64_t ldb, T* C, int64_t ldc) {
  const Call call(handle);
  const Triangle t = triangle_of<T>(side, uplo, trans, diag, m, n, lda, ldb);
  leading(ldc, m, "ldc is less than m");
  if (m == 0 || n == 0) return;
  const auto by = call.scalar(alpha, "alpha");
  check_matrices(multiplies(call, alpha), A, B, C);
  call.submit("trmm", [=](Access& access) {
    const T a = by.get(access);
    access.write(C, m, n, ldc);
    if (is_zero(a)) {
      for (int64_t j = 0; j < n; ++j) std::fill_n(native(C) + j * ldc, m, native_of<T>(0));
      return;
    }
    access.read(A, t.order(), t.order(), lda);
    access.read(B, m, n, ldb);
    if (C != B || ldb != ldc)
      for (int64_t j = 0; j < n; ++j) std::copy_n(native(B) + j * ldb, m, native(C) + j * ldc);
    fortran::trmm<native_of<T>>(t.side, t.uplo, t.op, t.diag, size(m), size(n), number(a), native(A),
                                size(lda), native(C), size(ldc));
  });
}

template <class T>
void trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                 cublasDiagType_t diag, int64_t m, int64_t n, const T* alpha, const T* const A[], int64_t lda,
                 T* const B[], int64_t ldb, int64_t batchCount) {
  const Call call(handle);
  const Triangle t = triangle_of<T>(side, uplo, trans, diag, m, n, lda, ldb);
  require(batchCount >= 0, "batchCount is negative");
  if (m == 0 || n == 0 || batchCount == 0) return;
  const auto by = call.scalar(alpha, "alpha");
  call.submit("trsmBatched", [=](Access& access) {
    const T a = by.get(access);
    const auto* as = access.read(A, static_cast<uint64_t>(batchCount));
    const auto* bs = access.read(B, static_cast<uint64_t>(batchCount));
    for (int64_t i = 0; i < batchCount; ++i) {
      if (!is_zero(a)) access.read(as[i], t.order(), t.order(), lda);
      access.write(bs[i], m, n, ldb);
      fortran::trsm<native_of<T>>(t.side, t.uplo, t.op, t.diag, size(m), size(n), number(a), native(as[i]),
                                  size(lda), native(bs[i]), size(ldb));
    }
  });
}

}  // namespace heddle::cublas

#include "libs/cublas/level3.gen.h"
