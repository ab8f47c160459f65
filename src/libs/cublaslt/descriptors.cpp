// Descriptors: made, destroyed, and their attributes, each of one size.
#include "libs/cublaslt/descriptors.h"

#include <cstddef>
#include <span>

#include "libs/common/handles.h"
#include "libs/cublaslt/functions.gen.h"

namespace heddle::cublaslt {
namespace {

struct Attribute {
  int number;
  std::size_t offset, size;
};
#define HEDDLE_ATTRIBUTE(number, Type, member) \
  Attribute { number, offsetof(Type, member), sizeof(Type::member) }

constexpr Attribute layout_attributes[] = {
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_TYPE, Layout, type),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ORDER, Layout, order),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ROWS, Layout, rows),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_COLS, Layout, columns),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_LD, Layout, ld),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, Layout, batch),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, Layout, stride),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, Layout, plane),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, Layout, batch_mode),
};
constexpr Attribute operation_attributes[] = {
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, Operation, compute),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_SCALE_TYPE, Operation, scale),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_POINTER_MODE, Operation, pointers),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSA, Operation, transa),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSB, Operation, transb),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSC, Operation, transc),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_FILL_MODE, Operation, fill),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE, Operation, epilogue),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_POINTER, Operation, bias),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, Operation, bias_stride),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, Operation, aux),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, Operation, aux_ld),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, Operation, aux_stride),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, Operation, alpha_stride),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, Operation, multiprocessors),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, Operation, a_scale),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, Operation, b_scale),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, Operation, c_scale),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, Operation, d_scale),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, Operation, d_amax),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, Operation, aux_type),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, Operation, aux_scale),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, Operation, aux_amax),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_FAST_ACCUM, Operation, fast_sums),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, Operation, bias_type),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, Operation, a_mode),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, Operation, b_mode),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_C_SCALE_MODE, Operation, c_mode),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_SCALE_MODE, Operation, d_mode),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE, Operation, aux_mode),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, Operation, d_out_scale),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, Operation, d_out_mode),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, Operation, emulation),
};
constexpr Attribute transform_attributes[] = {
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, Transform, scale),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, Transform, pointers),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, Transform, transa),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, Transform, transb),
};
constexpr Attribute preference_attributes[] = {
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_PREF_SEARCH_MODE, Preference, search),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, Preference, workspace),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, Preference, reductions),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, Preference, a_alignment),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, Preference, b_alignment),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, Preference, c_alignment),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, Preference, d_alignment),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, Preference, waves),
    HEDDLE_ATTRIBUTE(CUBLASLT_MATMUL_PREF_IMPL_MASK, Preference, implementations),
};
constexpr Attribute emulation_attributes[] = {
    HEDDLE_ATTRIBUTE(CUBLASLT_EMULATION_DESC_STRATEGY, Emulation, strategy),
    HEDDLE_ATTRIBUTE(CUBLASLT_EMULATION_DESC_SPECIAL_VALUES_SUPPORT, Emulation, specials),
    HEDDLE_ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_CONTROL, Emulation, mantissa),
    HEDDLE_ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MAX_MANTISSA_BIT_COUNT, Emulation, bits),
    HEDDLE_ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_OFFSET, Emulation, offset),
    HEDDLE_ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_COUNT_POINTER, Emulation, bits_to),
};
constexpr Attribute algorithm_attributes[] = {
    HEDDLE_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_ID, Algorithm, id),
    HEDDLE_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_TILE_ID, Algorithm, tile),
    HEDDLE_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, Algorithm, split),
    HEDDLE_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, Algorithm, reduction),
    HEDDLE_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, Algorithm, swizzle),
    HEDDLE_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, Algorithm, option),
    HEDDLE_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_STAGES_ID, Algorithm, stages),
    HEDDLE_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, Algorithm, inner_shape),
    HEDDLE_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, Algorithm, cluster_shape),
};

const Attribute& find(std::span<const Attribute> known, int number) {
  for (const Attribute& one : known)
    if (one.number == number) return one;
  refuse(Why::invalid_value, "no attribute " + std::to_string(number));
}

template <class Opaque>
void set_attribute(Opaque* opaque, const char* name, std::span<const Attribute> known, int number,
                   const void* buf, std::size_t size) {
  if (opaque == nullptr) libs::refuse_null(name);
  if (buf == nullptr) libs::refuse_null("buf");
  const Attribute& found = find(known, number);
  if (size != found.size)
    refuse(Why::invalid_value, "attribute " + std::to_string(number) + " has " + std::to_string(found.size) +
                                   " bytes, not " + std::to_string(size));
  std::memcpy(reinterpret_cast<std::byte*>(opaque->data) + found.offset, buf, size);
}
template <class Opaque>
void get_attribute(const Opaque* opaque, const char* name, std::span<const Attribute> known, int number,
                   void* buf, std::size_t size, std::size_t* written) {
  if (opaque == nullptr) libs::refuse_null(name);
  const Attribute& found = find(known, number);
  if (size == 0) {  // how large it is
    if (written == nullptr) libs::refuse_null("sizeWritten");
    *written = found.size;
    return;
  }
  if (buf == nullptr) libs::refuse_null("buf");
  if (size != found.size)
    refuse(Why::invalid_value, "attribute " + std::to_string(number) + " has " + std::to_string(found.size) +
                                   " bytes, not " + std::to_string(size));
  std::memcpy(buf, reinterpret_cast<const std::byte*>(opaque->data) + found.offset, size);
  if (written != nullptr) *written = size;
}

template <class Opaque>
void create(Opaque** to, const InsideOf<Opaque>& inside) {
  auto made = std::make_shared<Opaque>();
  put(made.get(), inside);
  *to = libs::Handles<Opaque>::all().template add<Opaque*>(std::move(made));
}
template <class Opaque>
void destroy(Opaque* opaque, const char* name) {
  if (opaque == nullptr) return;
  if (!libs::Handles<Opaque>::all().remove(opaque))
    refuse(Why::invalid_value, std::string(name) + " was not made by Create");
}
template <class Opaque>
void init(Opaque* opaque, std::size_t size, const InsideOf<Opaque>& inside, const char* name) {
  if (opaque == nullptr) libs::refuse_null(name);
  if (size < sizeof(Opaque))
    refuse(Why::invalid_value, std::string(name) + " has " + std::to_string(size) + " bytes, it needs " +
                                   std::to_string(sizeof(Opaque)));
  put(opaque, inside);
}

Layout layout(cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld) {
  Layout made;
  made.type = type;
  made.rows = rows;
  made.columns = cols;
  made.ld = ld;
  return made;
}
Operation operation(cublasComputeType_t compute, cudaDataType_t scale) {
  Operation made;
  made.compute = compute;
  made.scale = scale;
  return made;
}
Transform transform(cudaDataType scale) {
  Transform made;
  made.scale = scale;
  return made;
}

}  // namespace

void cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t matLayout, size_t size, cudaDataType type,
                                       uint64_t rows, uint64_t cols, int64_t ld) {
  init(matLayout, size, layout(type, rows, cols, ld), "matLayout");
}
void cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* matLayout, cudaDataType type, uint64_t rows,
                                uint64_t cols, int64_t ld) {
  create(matLayout, layout(type, rows, cols, ld));
}
void cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t matLayout) { destroy(matLayout, "matLayout"); }
void cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t matLayout, cublasLtMatrixLayoutAttribute_t attr,
                                      const void* buf, size_t sizeInBytes) {
  set_attribute(matLayout, "matLayout", layout_attributes, attr, buf, sizeInBytes);
}
void cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t matLayout, cublasLtMatrixLayoutAttribute_t attr,
                                      void* buf, size_t sizeInBytes, size_t* sizeWritten) {
  get_attribute(matLayout, "matLayout", layout_attributes, attr, buf, sizeInBytes, sizeWritten);
}

void cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t matmulDesc, size_t size,
                                     cublasComputeType_t computeType, cudaDataType_t scaleType) {
  init(matmulDesc, size, operation(computeType, scaleType), "matmulDesc");
}
void cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* matmulDesc, cublasComputeType_t computeType,
                              cudaDataType_t scaleType) {
  create(matmulDesc, operation(computeType, scaleType));
}
void cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t matmulDesc) { destroy(matmulDesc, "matmulDesc"); }
void cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t matmulDesc, cublasLtMatmulDescAttributes_t attr,
                                    const void* buf, size_t sizeInBytes) {
  set_attribute(matmulDesc, "matmulDesc", operation_attributes, attr, buf, sizeInBytes);
}
void cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t matmulDesc, cublasLtMatmulDescAttributes_t attr,
                                    void* buf, size_t sizeInBytes, size_t* sizeWritten) {
  get_attribute(matmulDesc, "matmulDesc", operation_attributes, attr, buf, sizeInBytes, sizeWritten);
}

void cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t transformDesc, size_t size,
                                              cudaDataType scaleType) {
  init(transformDesc, size, transform(scaleType), "transformDesc");
}
void cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t* transformDesc, cudaDataType scaleType) {
  create(transformDesc, transform(scaleType));
}
void cublasLtMatrixTransformDescDestroy(cublasLtMatrixTransformDesc_t transformDesc) {
  destroy(transformDesc, "transformDesc");
}
void cublasLtMatrixTransformDescSetAttribute(cublasLtMatrixTransformDesc_t transformDesc,
                                             cublasLtMatrixTransformDescAttributes_t attr, const void* buf,
                                             size_t sizeInBytes) {
  set_attribute(transformDesc, "transformDesc", transform_attributes, attr, buf, sizeInBytes);
}
void cublasLtMatrixTransformDescGetAttribute(cublasLtMatrixTransformDesc_t transformDesc,
                                             cublasLtMatrixTransformDescAttributes_t attr, void* buf,
                                             size_t sizeInBytes, size_t* sizeWritten) {
  get_attribute(transformDesc, "transformDesc", transform_attributes, attr, buf, sizeInBytes, sizeWritten);
}

void cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t pref, size_t size) {
  init(pref, size, Preference{}, "pref");
}
void cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* pref) { create(pref, Preference{}); }
void cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t pref) { destroy(pref, "pref"); }
void cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t pref,
                                          cublasLtMatmulPreferenceAttributes_t attr, const void* buf,
                                          size_t sizeInBytes) {
  set_attribute(pref, "pref", preference_attributes, attr, buf, sizeInBytes);
}
void cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t pref,
                                          cublasLtMatmulPreferenceAttributes_t attr, void* buf,
                                          size_t sizeInBytes, size_t* sizeWritten) {
  get_attribute(pref, "pref", preference_attributes, attr, buf, sizeInBytes, sizeWritten);
}

void cublasLtEmulationDescInit_internal(cublasLtEmulationDesc_t emulationDesc, size_t size) {
  init(emulationDesc, size, Emulation{}, "emulationDesc");
}
void cublasLtEmulationDescCreate(cublasLtEmulationDesc_t* emulationDesc) {
  create(emulationDesc, Emulation{});
}
void cublasLtEmulationDescDestroy(cublasLtEmulationDesc_t emulationDesc) {
  destroy(emulationDesc, "emulationDesc");
}
void cublasLtEmulationDescSetAttribute(cublasLtEmulationDesc_t emulationDesc,
                                       cublasLtEmulationDescAttributes_t attr, const void* buf,
                                       size_t sizeInBytes) {
  set_attribute(emulationDesc, "emulationDesc", emulation_attributes, attr, buf, sizeInBytes);
}
void cublasLtEmulationDescGetAttribute(cublasLtEmulationDesc_t emulationDesc,
                                       cublasLtEmulationDescAttributes_t attr, void* buf, size_t sizeInBytes,
                                       size_t* sizeWritten) {
  get_attribute(emulationDesc, "emulationDesc", emulation_attributes, attr, buf, sizeInBytes, sizeWritten);
}

void cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t* algo,
                                          cublasLtMatmulAlgoConfigAttributes_t attr, const void* buf,
                                          size_t sizeInBytes) {
  require(attr != CUBLASLT_ALGO_CONFIG_ID, "an algorithm's number is not to be changed");
  set_attribute(algo, "algo", algorithm_attributes, attr, buf, sizeInBytes);
}
void cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algo,
                                          cublasLtMatmulAlgoConfigAttributes_t attr, void* buf,
                                          size_t sizeInBytes, size_t* sizeWritten) {
  get_attribute(algo, "algo", algorithm_attributes, attr, buf, sizeInBytes, sizeWritten);
}

}  // namespace heddle::cublaslt
