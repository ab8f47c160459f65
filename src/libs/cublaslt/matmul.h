// A product of matrices as cublasLtMatmul describes it, looked at and in the order that memory has it.
#pragma once

#include "libs/common/access.h"
#include "libs/cublas/gemm.h"
#include "libs/cublaslt/descriptors.h"
#include "libs/cublaslt/gathered.h"

namespace heddle::cublaslt {

using cublas::AnyScalar;

struct Problem {
  Operation operation;
  Stored stored_a, stored_b, stored_c, stored_d;
  Layout a, b, c, d;  // as the product takes them: as they are stored, or gathered
  // By columns. `swapped`: D lies by rows, so its transpose is what is computed, from B and A.
  cublas::Shape shape;
  bool swapped = false;
  cudaDataType sums = CUDA_R_32F;
  int64_t batch = 1;
  bool has(unsigned epilogue) const { return (static_cast<unsigned>(operation.epilogue) & epilogue) != 0; }
};

// Bits of cublasLtEpilogue_t.
inline constexpr unsigned with_relu = 2, with_bias = 4, derivative_relu = 8, bias_gradient = 16,
                          with_gelu = 32, derivative_gelu = 64, with_aux = 128, bias_gradient_a = 256,
                          bias_gradient_b = 512;

// Throws what is wrong with it, or "not supported".
Problem problem(const cublasLtMatmulDesc_t operation, const cublasLtMatrixLayout_t a,
                const cublasLtMatrixLayout_t b, const cublasLtMatrixLayout_t c,
                const cublasLtMatrixLayout_t d);

struct Pointers {
  const void* a;
  const void* b;
  const void* c;
  void* d;
};
// alpha and beta: of the host, or of device memory, or one for each row.
struct Scales {
  AnyScalar alpha, beta;
  const void* device_alpha = nullptr;
  const void* device_beta = nullptr;
  bool alpha_vector = false, beta_vector = false;
};
void multiply(Access& access, const Problem& problem, const Scales& scales, const Pointers& pointers);

inline const void* moved(const void* pointer, int64_t elements, cudaDataType type) {
  return static_cast<const std::byte*>(pointer) + elements * static_cast<int64_t>(cublas::bytes_of(type));
}
inline void* moved(void* pointer, int64_t elements, cudaDataType type) {
  return static_cast<std::byte*>(pointer) + elements * static_cast<int64_t>(cublas::bytes_of(type));
}

}  // namespace heddle::cublaslt
