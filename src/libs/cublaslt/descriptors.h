// What the opaque structures of cuBLASLt hold. Programs may copy them and keep them on their stack, so they
// are plain bytes, read and written as a whole.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <cstring>

#include "libs/common/call.h"

namespace heddle::cublaslt {

using libs::refuse;
using libs::require;
using libs::Why;

struct Layout {
  cudaDataType type = CUDA_R_32F;
  cublasLtOrder_t order = CUBLASLT_ORDER_COL;
  uint64_t rows = 0, columns = 0;
  int64_t ld = 0;
  int32_t batch = 1;
  cublasLtBatchMode_t batch_mode = CUBLASLT_BATCH_MODE_STRIDED;
  int64_t stride = 0, plane = 0;
};

struct Operation {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType scale = CUDA_R_32F;
  cublasLtPointerMode_t pointers = CUBLASLT_POINTER_MODE_HOST;
  cublasOperation_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N, transc = CUBLAS_OP_N;
  cublasFillMode_t fill = CUBLAS_FILL_MODE_FULL;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
  int64_t bias_stride = 0;
  void* aux = nullptr;
  int64_t aux_ld = 0, aux_stride = 0, alpha_stride = 0;
  int32_t multiprocessors = 0, aux_type = -1, bias_type = -1;
  int8_t fast_sums = 0;
  const void* a_scale = nullptr;
  const void* b_scale = nullptr;
  const void* c_scale = nullptr;
  const void* d_scale = nullptr;
  void* d_amax = nullptr;
  const void* aux_scale = nullptr;
  void* aux_amax = nullptr;
  void* d_out_scale = nullptr;
  int32_t a_mode = 0, b_mode = 0, c_mode = 0, d_mode = 0, aux_mode = 0, d_out_mode = 0;
  cublasLtEmulationDesc_t emulation = nullptr;
};

struct Transform {
  cudaDataType scale = CUDA_R_32F;
  cublasLtPointerMode_t pointers = CUBLASLT_POINTER_MODE_HOST;
  cublasOperation_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N;
};

struct Preference {
  uint32_t search = CUBLASLT_SEARCH_BEST_FIT;
  uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  uint64_t workspace = 0;
  uint32_t a_alignment = 256, b_alignment = 256, c_alignment = 256, d_alignment = 256;
  float waves = 0;
  uint64_t implementations = ~uint64_t{0};
};

// How a device would make double products of integers'. Here they are made of doubles, and this is kept.
struct Emulation {
  cublasEmulationStrategy_t strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
  cudaEmulationSpecialValuesSupport specials = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
  cudaEmulationMantissaControl mantissa = CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC;
  int32_t bits = 0, offset = 0;
  int32_t* bits_to = nullptr;
};

// How a device would cut the work; what comes out is the same, so only the first says anything here.
struct Algorithm {
  int32_t id = 0;
  uint32_t tile = 0;
  int32_t split = 1;
  uint32_t reduction = 0, swizzle = 0, option = 0, stages = 0;
  uint16_t inner_shape = 0, cluster_shape = 0;
};

// The plain structure inside an opaque one.
template <class Opaque>
struct Inside;
template <>
struct Inside<cublasLtMatrixLayoutOpaque_t> {
  using Type = Layout;
};
template <>
struct Inside<cublasLtMatmulDescOpaque_t> {
  using Type = Operation;
};
template <>
struct Inside<cublasLtMatrixTransformDescOpaque_t> {
  using Type = Transform;
};
template <>
struct Inside<cublasLtMatmulPreferenceOpaque_t> {
  using Type = Preference;
};
template <>
struct Inside<cublasLtEmulationDescOpaque_t> {
  using Type = Emulation;
};
template <>
struct Inside<cublasLtMatmulAlgo_t> {
  using Type = Algorithm;
};
template <class Opaque>
using InsideOf = typename Inside<std::remove_const_t<Opaque>>::Type;

template <class Opaque>
InsideOf<Opaque> get(Opaque* opaque, const char* name) {
  static_assert(sizeof(InsideOf<Opaque>) <= sizeof opaque->data);
  if (opaque == nullptr) libs::refuse_null(name);
  InsideOf<Opaque> inside;
  std::memcpy(static_cast<void*>(&inside), opaque->data, sizeof inside);
  return inside;
}
template <class Opaque>
void put(Opaque* opaque, const InsideOf<Opaque>& inside) {
  std::memset(opaque->data, 0, sizeof opaque->data);
  std::memcpy(opaque->data, &inside, sizeof inside);
}

}  // namespace heddle::cublaslt
