// The product of two matrices, for every function that has one inside: of one element type, or of any mixture
// that cuBLAS has.
#pragma once

#include <library_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "libs/common/access.h"
#include "libs/cublas/blas.h"

namespace heddle::cublas {

// C = alpha op(A) op(B) + beta C, by columns.
struct Shape {
  char opa = 'N', opb = 'N';
  int64_t m = 0, n = 0, k = 0, lda = 1, ldb = 1, ldc = 1;
  bool empty() const { return m == 0 || n == 0; }
  int64_t a_rows() const { return opa == 'N' ? m : k; }
  int64_t a_columns() const { return opa == 'N' ? k : m; }
  int64_t b_rows() const { return opb == 'N' ? k : n; }
  int64_t b_columns() const { return opb == 'N' ? n : k; }
};

// Sizes and leading dimensions as documented; throws.
void check(const Shape& shape);

// N is float, double or a std::complex of them. Where beta is 0, C is not read.
template <class N>
void gemm(const Shape& s, N alpha, const N* a, const N* b, N beta, N* c);

// Many of them, on all threads.
template <class N>
struct Batch {
  libs::Places<const N> a, b;
  libs::Places<N> c;
};
template <class N>
void gemm_batch(const Shape& s, N alpha, N beta, const Batch<N>& batch, int64_t count);
// Calls some(from, to) for pieces of 0 ... count, on all threads where products of this shape are worth it.
void for_batch(const Shape& s, int64_t count, const std::function<void(int64_t, int64_t)>& some);

// ---- of any types
struct AnyScalar {
  double real = 0, imaginary = 0;
};
// A number of the type that scales: float for a computation in float, and so on.
AnyScalar any_scalar(const void* pointer, cudaDataType type);

struct AnyGemm {
  Shape shape;
  cudaDataType a_type, b_type, c_type;
  cudaDataType
      compute;  // what products are summed in: CUDA_R_32F, CUDA_R_64F, CUDA_R_32I, or their complex kinds
};
inline bool is_data_type(cudaDataType type) { return type >= CUDA_R_32F && type <= CUDA_R_4F_E2M1; }
std::size_t bytes_of(cudaDataType type);  // 0: no type of matrices here
bool is_complex_type(cudaDataType type);

void gemm_any(const AnyGemm& g, AnyScalar alpha, const void* a, const void* b, AnyScalar beta, void* c);

// Many of them, on all threads. Steps are bytes.
struct AnyBatch {
  libs::Places<const std::byte> a, b;
  libs::Places<std::byte> c;
};
void gemm_any_batch(const AnyGemm& g, AnyScalar alpha, AnyScalar beta, const AnyBatch& batch, int64_t count);

// Rows of elements between any type and float, double or complex double.
void to_float(cudaDataType type, const void* from, float* to, int64_t count);
void from_float(cudaDataType type, const float* from, void* to, int64_t count);

}  // namespace heddle::cublas
