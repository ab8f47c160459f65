// Products and vectors whose elements' types are arguments.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "libs/cublas/functions.gen.h"
#include "libs/cublas/gemm.h"
#include "libs/cublas/handle.h"

namespace heddle::cublas {
namespace {

using libs::Places;

// ---- matrices

// Which types go together (cuBLAS, "cublasGemmEx"): a computation, the type of its alpha and beta, and A and
// B (of one type, but for fp8) with C.
struct Combination {
  cudaDataType scale, ab, c;
};
constexpr Combination in_float[] = {
    {CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF}, {CUDA_R_32F, CUDA_R_16F, CUDA_R_16F},
    {CUDA_R_32F, CUDA_R_8I, CUDA_R_32F},    {CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F},
    {CUDA_R_32F, CUDA_R_16F, CUDA_R_32F},   {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
    {CUDA_C_32F, CUDA_C_8I, CUDA_C_32F},    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}};
constexpr Combination in_half[] = {{CUDA_R_16F, CUDA_R_16F, CUDA_R_16F}};
constexpr Combination in_integer[] = {{CUDA_R_32I, CUDA_R_8I, CUDA_R_32I}};
constexpr Combination in_double[] = {{CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
                                     {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F}};
constexpr Combination in_fast_float[] = {{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
                                         {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}};

std::span<const Combination> combinations(cublasComputeType_t compute) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC: return in_half;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC: return in_integer;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC: return in_float;
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9: return in_fast_float;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT: return in_double;
  }
  refuse(Why::invalid_value, "no such type of computation");
}

// The type of alpha and beta.
cudaDataType scale_type(cublasComputeType_t compute, cudaDataType a, cudaDataType b, cudaDataType c) {
  for (const Combination& good : combinations(compute))
    if (good.ab == a && good.ab == b && good.c == c) return good.scale;
  refuse(Why::not_supported, "element types " + std::to_string(a) + ", " + std::to_string(b) + " and " +
                                 std::to_string(c) + " do not go with computation " +
                                 std::to_string(compute));
}
// What sums are kept in: half products in float.
cudaDataType sum_type(cudaDataType scale) { return scale == CUDA_R_16F ? CUDA_R_32F : scale; }

void check_algorithm(cublasGemmAlgo_t algo) {
  const bool known = (algo >= CUBLAS_GEMM_DEFAULT && algo <= CUBLAS_GEMM_ALGO23) ||
                     (algo >= CUBLAS_GEMM_DEFAULT_TENSOR_OP && algo <= CUBLAS_GEMM_ALGO15_TENSOR_OP) ||
                     algo == CUBLAS_GEMM_AUTOTUNE;
  require(known, "no such algorithm");
}

char operation(cublasOperation_t op, cudaDataType type) {
  const char found = letter(op);
  return found == 'C' && !is_complex_type(type) ? 'T' : found;
}

// alpha or beta of a type that is known at run time.
class MixedScalar {
 public:
  MixedScalar() : type_(CUDA_R_32F) {}  // 0, of work that does not ask
  MixedScalar(const void* pointer, cudaDataType type, bool on_device, const char* name) : type_(type) {
    if (pointer == nullptr) libs::refuse_null(name);
    if (on_device)
      pointer_ = pointer;
    else
      value_ = any_scalar(pointer, type);
  }
  AnyScalar get(Access& access) const {
    return pointer_ == nullptr ? value_ : any_scalar(access.read_bytes(pointer_, 1, bytes_of(type_)), type_);
  }

 private:
  const cudaDataType type_;
  const void* pointer_ = nullptr;
  AnyScalar value_;
};

bool is_zero(const AnyScalar& value) { return value.real == 0 && value.imaginary == 0; }

struct Request {
  AnyGemm gemm;
  MixedScalar alpha, beta;
};

Request request(const Call& call, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
                int64_t k, const void* alpha, cudaDataType a_type, int64_t lda, cudaDataType b_type,
                int64_t ldb, const void* beta, cudaDataType c_type, int64_t ldc, cublasComputeType_t compute,
                int64_t count = 1) {
  require(is_data_type(c_type), "no such type of C");
  const cudaDataType scale = scale_type(compute, a_type, b_type, c_type);
  const AnyGemm g{{operation(transa, a_type), operation(transb, b_type), m, n, k, lda, ldb, ldc},
                  a_type,
                  b_type,
                  c_type,
                  sum_type(scale)};
  check(g.shape);
  // As on an H200: without anything to compute, alpha and beta may be NULL, and without products alpha.
  if (g.shape.empty() || count == 0) return {g, {}, {}};
  const bool device = call.device_scalars();
  return {g, k == 0 && alpha == nullptr ? MixedScalar() : MixedScalar(alpha, scale, device, "alpha"),
          MixedScalar(beta, scale, device, "beta")};
}

// Each of a batch.
void multiply_all(Access& access, const AnyGemm& g, AnyScalar alpha, AnyScalar beta, const AnyBatch& batch,
                  int64_t count) {
  const Shape& s = g.shape;
  if (!is_zero(alpha) && s.k > 0) {
    access.read_bytes(batch.a, count, Access::extent(s.a_rows(), s.a_columns(), s.lda), bytes_of(g.a_type));
    access.read_bytes(batch.b, count, Access::extent(s.b_rows(), s.b_columns(), s.ldb), bytes_of(g.b_type));
  }
  access.write_bytes(batch.c, count, Access::extent(s.m, s.n, s.ldc), bytes_of(g.c_type));
  gemm_any_batch(g, alpha, beta, batch, count);
}
void multiply_all(Access& access, const Request& r, const AnyBatch& batch, int64_t count) {
  multiply_all(access, r.gemm, r.alpha.get(access), r.beta.get(access), batch, count);
}

// The matrices of a batch, `step` elements apart or where an array says.
Places<const std::byte> places(const void* first, int64_t step, cudaDataType type) {
  return {nullptr, static_cast<const std::byte*>(first), step * static_cast<int64_t>(bytes_of(type))};
}
Places<std::byte> places(void* first, int64_t step, cudaDataType type) {
  return {nullptr, static_cast<std::byte*>(first), step * static_cast<int64_t>(bytes_of(type))};
}
Places<const std::byte> places(const void* const* each) {
  return {reinterpret_cast<const std::byte* const*>(each)};
}
Places<std::byte> places(void* const* each) { return {reinterpret_cast<std::byte* const*>(each)}; }

const void* moved(const void* pointer, int64_t elements, cudaDataType type) {
  return static_cast<const std::byte*>(pointer) + elements * static_cast<int64_t>(bytes_of(type));
}
void* moved(void* pointer, int64_t elements, cudaDataType type) {
  return static_cast<std::byte*>(pointer) + elements * static_cast<int64_t>(bytes_of(type));
}

}  // namespace

void cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                  int64_t n, int64_t k, const void* alpha, const void* A, cudaDataType Atype, int64_t lda,
                  const void* B, cudaDataType Btype, int64_t ldb, const void* beta, void* C,
                  cudaDataType Ctype, int64_t ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
  const Call call(handle);
  check_algorithm(algo);
  const Request r =
      request(call, transa, transb, m, n, k, alpha, Atype, lda, Btype, ldb, beta, Ctype, ldc, computeType);
  if (r.gemm.shape.empty()) return;
  call.submit("GemmEx", [=](Access& access) {
    multiply_all(access, r, {places(A, 0, Atype), places(B, 0, Btype), places(C, 0, Ctype)}, 1);
  });
}

void cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                         int64_t n, int64_t k, const void* alpha, const void* const Aarray[],
                         cudaDataType Atype, int64_t lda, const void* const Barray[], cudaDataType Btype,
                         int64_t ldb, const void* beta, void* const Carray[], cudaDataType Ctype, int64_t ldc,
                         int64_t batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
  const Call call(handle);
  check_algorithm(algo);
  const Request r = request(call, transa, transb, m, n, k, alpha, Atype, lda, Btype, ldb, beta, Ctype, ldc,
                            computeType, batchCount);
  require(batchCount >= 0, "batchCount is negative");
  if (r.gemm.shape.empty() || batchCount == 0) return;
  call.submit("GemmBatchedEx", [=](Access& access) {
    const auto count = static_cast<uint64_t>(batchCount);
    const auto *as = access.read(Aarray, count), *bs = access.read(Barray, count);
    const auto* cs = access.read(Carray, count);
    multiply_all(access, r, {places(as), places(bs), places(cs)}, batchCount);
  });
}

void cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                int64_t m, int64_t n, int64_t k, const void* alpha, const void* A,
                                cudaDataType Atype, int64_t lda, long long int strideA, const void* B,
                                cudaDataType Btype, int64_t ldb, long long int strideB, const void* beta,
                                void* C, cudaDataType Ctype, int64_t ldc, long long int strideC,
                                int64_t batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
  const Call call(handle);
  check_algorithm(algo);
  const Request r = request(call, transa, transb, m, n, k, alpha, Atype, lda, Btype, ldb, beta, Ctype, ldc,
                            computeType, batchCount);
  require(batchCount >= 0, "batchCount is negative");
  if (r.gemm.shape.empty() || batchCount == 0) return;
  call.submit("GemmStridedBatchedEx", [=](Access& access) {
    multiply_all(access, r, {places(A, strideA, Atype), places(B, strideB, Btype), places(C, strideC, Ctype)},
                 batchCount);
  });
}

template <class Index>
void cublasGemmGroupedBatchedEx(cublasHandle_t handle, const cublasOperation_t transa_array[],
                                const cublasOperation_t transb_array[], const Index m_array[],
                                const Index n_array[], const Index k_array[], const void* alpha_array,
                                const void* const Aarray[], cudaDataType_t Atype, const Index lda_array[],
                                const void* const Barray[], cudaDataType_t Btype, const Index ldb_array[],
                                const void* beta_array, void* const Carray[], cudaDataType_t Ctype,
                                const Index ldc_array[], int64_t group_count, const Index group_size[],
                                cublasComputeType_t computeType) {
  const Call call(handle);
  require(group_count >= 0, "group_count is negative");
  for (const void* array :
       {static_cast<const void*>(transa_array), static_cast<const void*>(transb_array),
        static_cast<const void*>(m_array), static_cast<const void*>(n_array),
        static_cast<const void*>(k_array), alpha_array, static_cast<const void*>(lda_array),
        static_cast<const void*>(ldb_array), beta_array, static_cast<const void*>(ldc_array),
        static_cast<const void*>(group_size)})
    require(array != nullptr || group_count == 0, "an array of the groups is NULL");
  struct Group {
    AnyGemm gemm;
    AnyScalar alpha, beta;
    int64_t count;
  };
  std::vector<Group> groups;
  int64_t all = 0;
  for (int64_t g = 0; g < group_count; ++g) {
    require(group_size[g] >= 0, "the size of a group is negative");
    const cudaDataType scale = scale_type(computeType, Atype, Btype, Ctype);
    const AnyGemm gemm{{operation(transa_array[g], Atype), operation(transb_array[g], Btype), m_array[g],
                        n_array[g], k_array[g], lda_array[g], ldb_array[g], ldc_array[g]},
                       Atype,
                       Btype,
                       Ctype,
                       sum_type(scale)};
    check(gemm.shape);
    groups.push_back({gemm, any_scalar(moved(alpha_array, g, scale), scale),
                      any_scalar(moved(beta_array, g, scale), scale), group_size[g]});
    all += group_size[g];
  }
  if (all == 0) return;
  call.submit("GemmGroupedBatchedEx", [=](Access& access) {
    const auto count = static_cast<uint64_t>(all);
    const auto *as = access.read(Aarray, count), *bs = access.read(Barray, count);
    const auto* cs = access.read(Carray, count);
    int64_t first = 0;
    for (const Group& group : groups) {
      if (!group.gemm.shape.empty())
        multiply_all(access, group.gemm, group.alpha, group.beta,
                     {places(as + first), places(bs + first), places(cs + first)}, group.count);
      first += group.count;
    }
  });
}

// Half or byte matrices and sums in float, of before there was GemmEx.
template <class T>
void gemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
            int64_t k, const T* alpha, const void* A, cudaDataType Atype, int64_t lda, const void* B,
            cudaDataType Btype, int64_t ldb, const T* beta, void* C, cudaDataType Ctype, int64_t ldc) {
  cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc,
               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
void cublasCgemm3mEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                     int64_t n, int64_t k, const cuComplex* alpha, const void* A, cudaDataType Atype,
                     int64_t lda, const void* B, cudaDataType Btype, int64_t ldb, const cuComplex* beta,
                     void* C, cudaDataType Ctype, int64_t ldc) {
  gemmEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc);
}

// ---- rank updates: C in complex floats, A in those or in bytes

namespace {

template <bool hermitian, class Scalar>
void complex_update(cublasHandle_t handle, const char* name, cublasFillMode_t uplo, cublasOperation_t trans,
                    int64_t n, int64_t k, const Scalar* alpha, const void* A, cudaDataType Atype, int64_t lda,
                    const Scalar* beta, void* C, cudaDataType Ctype, int64_t ldc) {
  using N = std::complex<float>;
  const Call call(handle);
  const char half = letter(uplo), op = letter(trans);
  require(op == 'N' || op == (hermitian ? 'C' : 'T'),
          hermitian ? "the operation is neither N nor C" : "the operation is neither N nor T");
  require(n >= 0 && k >= 0, "n or k is negative");
  const int64_t rows = op == 'N' ? n : k, columns = op == 'N' ? k : n;
  leading(lda, rows, "lda is less than the rows of A");
  leading(ldc, n, "ldc is less than n");
  if (n == 0) return;
  require(is_data_type(Atype) && is_data_type(Ctype), "no such type of elements");
  if ((Atype != CUDA_C_8I && Atype != CUDA_C_32F) || Ctype != CUDA_C_32F)
    refuse(Why::not_supported, "A is of complex bytes or floats, C of complex floats");
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  call.submit(name, [=](Access& access) {
    const Scalar a = by.get(access), b = keep.get(access);
    access.read_bytes(A, Access::extent(rows, columns, lda), bytes_of(Atype));
    auto* const to = static_cast<N*>(access.write_bytes(C, Access::extent(n, n, ldc), sizeof(N)));
    const auto* from = static_cast<const N*>(A);
    int64_t stride = lda;
    std::vector<N> wide;
    if (Atype != CUDA_C_32F) {
      wide.resize(static_cast<std::size_t>(rows * columns));
      for (int64_t j = 0; j < columns; ++j)
        to_float(Atype, moved(A, j * lda, Atype), reinterpret_cast<float*>(wide.data() + j * rows), 2 * rows);
      from = wide.data();
      stride = std::max<int64_t>(rows, 1);
    }
    if constexpr (hermitian)
      fortran::herk<N>(half, op, fortran::size(n), fortran::size(k), a, from, fortran::size(stride), b, to,
                       fortran::size(ldc));
    else
      fortran::syrk<N>(half, op, fortran::size(n), fortran::size(k), *libs::native(&a), from,
                       fortran::size(stride), *libs::native(&b), to, fortran::size(ldc));
  });
}

}  // namespace

void cublasCsyrkEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n,
                   int64_t k, const cuComplex* alpha, const void* A, cudaDataType Atype, int64_t lda,
                   const cuComplex* beta, void* C, cudaDataType Ctype, int64_t ldc) {
  complex_update<false>(handle, "CsyrkEx", uplo, trans, n, k, alpha, A, Atype, lda, beta, C, Ctype, ldc);
}
void cublasCsyrk3mEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n,
                     int64_t k, const cuComplex* alpha, const void* A, cudaDataType Atype, int64_t lda,
                     const cuComplex* beta, void* C, cudaDataType Ctype, int64_t ldc) {
  complex_update<false>(handle, "Csyrk3mEx", uplo, trans, n, k, alpha, A, Atype, lda, beta, C, Ctype, ldc);
}
void cublasCherkEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n,
                   int64_t k, const float* alpha, const void* A, cudaDataType Atype, int64_t lda,
                   const float* beta, void* C, cudaDataType Ctype, int64_t ldc) {
  complex_update<true>(handle, "CherkEx", uplo, trans, n, k, alpha, A, Atype, lda, beta, C, Ctype, ldc);
}
void cublasCherk3mEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n,
                     int64_t k, const float* alpha, const void* A, cudaDataType Atype, int64_t lda,
                     const float* beta, void* C, cudaDataType Ctype, int64_t ldc) {
  complex_update<true>(handle, "Cherk3mEx", uplo, trans, n, k, alpha, A, Atype, lda, beta, C, Ctype, ldc);
}

// ---- matrix and vector, of halves: a product with one column for each of the batch

namespace {

struct Operands {  // of y = alpha op(A) x + beta y
  const void* A;
  const void* x;
  void* y;
};

template <class Place>
void gemv_batch(cublasHandle_t handle, const char* name, cublasOperation_t trans, int64_t m, int64_t n,
                const float* alpha, cudaDataType type, int64_t lda, int64_t incx, const float* beta,
                cudaDataType y_type, int64_t incy, int64_t batchCount, Place place) {
  const Call call(handle);
  const char op = operation(trans, type);
  require(m >= 0 && n >= 0 && batchCount >= 0, "m, n or batchCount is negative");
  require(incx != 0 && incy != 0, "an increment is 0");
  leading(lda, m, "lda is less than m");
  if (m == 0 || n == 0 || batchCount == 0) return;
  const auto by = call.scalar(alpha, "alpha"), keep = call.scalar(beta, "beta");
  const int64_t in = op == 'N' ? n : m, out = op == 'N' ? m : n;
  call.submit(name, [=](Access& access) {
    const float a = by.get(access), b = keep.get(access);
    std::vector<float> matrix(static_cast<std::size_t>(m * n)), x(static_cast<std::size_t>(in)),
        y(static_cast<std::size_t>(out));
    for (int64_t i = 0; i < batchCount; ++i) {
      const auto [A, X, Y] = place(access, i);
      access.read_bytes(A, Access::extent(m, n, lda), bytes_of(type));
      access.read_bytes(X, Access::extent(1, in, std::abs(incx)), bytes_of(type));
      access.write_bytes(Y, Access::extent(1, out, std::abs(incy)), bytes_of(y_type));
      for (int64_t j = 0; j < n; ++j) to_float(type, moved(A, j * lda, type), matrix.data() + j * m, m);
      for (int64_t j = 0; j < in; ++j)
        to_float(type, moved(X, (incx > 0 ? j : j - in + 1) * incx, type), x.data() + j, 1);
      const auto y_at = [&, to = Y](int64_t j) {
        return moved(to, (incy > 0 ? j : j - out + 1) * incy, y_type);
      };
      if (b != 0)
        for (int64_t j = 0; j < out; ++j) to_float(y_type, y_at(j), y.data() + j, 1);
      gemm<float>({op, 'N', out, 1, in, m, in, out}, a, matrix.data(), x.data(), b, y.data());
      for (int64_t j = 0; j < out; ++j) from_float(y_type, y.data() + j, y_at(j), 1);
    }
  });
}

}  // namespace

#define HEDDLE_GEMV_BATCHED(name, In, in_type, Out, out_type)                                                \
  void cublas##name##gemvBatched(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,       \
                                 const float* alpha, const In* const Aarray[], int64_t lda,                  \
                                 const In* const xarray[], int64_t incx, const float* beta,                  \
                                 Out* const yarray[], int64_t incy, int64_t batchCount) {                    \
    gemv_batch(handle, #name "gemvBatched", trans, m, n, alpha, in_type, lda, incx, beta, out_type, incy,    \
               batchCount, [=](Access& access, int64_t i) {                                                  \
                 return Operands{*access.read(Aarray + i, 1), *access.read(xarray + i, 1),                   \
                                 *access.read(yarray + i, 1)};                                               \
               });                                                                                           \
  }                                                                                                          \
  void cublas##name##gemvStridedBatched(                                                                     \
      cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const float* alpha, const In* A, \
      int64_t lda, long long int strideA, const In* x, int64_t incx, long long int stridex,                  \
      const float* beta, Out* y, int64_t incy, long long int stridey, int64_t batchCount) {                  \
    gemv_batch(handle, #name "gemvStridedBatched", trans, m, n, alpha, in_type, lda, incx, beta, out_type,   \
               incy, batchCount, [=](Access&, int64_t i) {                                                   \
                 return Operands{A + i * strideA, x + i * stridex, y + i * stridey};                         \
               });                                                                                           \
  }
HEDDLE_GEMV_BATCHED(HSH, __half, CUDA_R_16F, __half, CUDA_R_16F)
HEDDLE_GEMV_BATCHED(HSS, __half, CUDA_R_16F, float, CUDA_R_32F)
HEDDLE_GEMV_BATCHED(TST, __nv_bfloat16, CUDA_R_16BF, __nv_bfloat16, CUDA_R_16BF)
HEDDLE_GEMV_BATCHED(TSS, __nv_bfloat16, CUDA_R_16BF, float, CUDA_R_32F)

}  // namespace heddle::cublas

#include "libs/cublas/mixed.gen.h"
