// Tensor maps: what bulk tensor copies read. A map is a value of the program's, in its own memory.
#include "exec/tensor_map.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string>

#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"

namespace heddle::cu {
namespace {

using exec::TensorMap;

constexpr uint64_t size_limit = uint64_t{1} << 32;

Answer<exec::TensorElement> element_of(CUtensorMapDataType type) {
  using exec::TensorElement;
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8: return TensorElement::u8;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16: return TensorElement::u16;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32: return TensorElement::u32;
    case CU_TENSOR_MAP_DATA_TYPE_INT32: return TensorElement::s32;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64: return TensorElement::u64;
    case CU_TENSOR_MAP_DATA_TYPE_INT64: return TensorElement::s64;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16: return TensorElement::f16;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32: return TensorElement::f32;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return TensorElement::f64;
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return TensorElement::bf16;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ: return TensorElement::f32_ftz;
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32: return TensorElement::tf32;
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ: return TensorElement::tf32_ftz;
    case CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B: return TensorElement::b4x16;
    case CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B: return TensorElement::b4x16_p64;
    case CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B: return TensorElement::b6x16_p32;
    default: return invalid_value("no element of tensors has the number " + std::to_string(type));
  }
}

Status set_swizzle(CUtensorMapSwizzle swizzle, TensorMap& map) {
  using exec::TensorAtom;
  using exec::TensorSwizzle;
  const auto set = [&](TensorSwizzle s, TensorAtom atom = TensorAtom::bytes16) -> Status {
    map.swizzle = s;
    map.atom = atom;
    return Unit{};
  };
  switch (swizzle) {
    case CU_TENSOR_MAP_SWIZZLE_NONE: return set(TensorSwizzle::none);
    case CU_TENSOR_MAP_SWIZZLE_32B: return set(TensorSwizzle::bytes32);
    case CU_TENSOR_MAP_SWIZZLE_64B: return set(TensorSwizzle::bytes64);
    case CU_TENSOR_MAP_SWIZZLE_128B: return set(TensorSwizzle::bytes128);
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B: return set(TensorSwizzle::bytes128, TensorAtom::bytes32);
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B:
      return set(TensorSwizzle::bytes128, TensorAtom::bytes32_flip8);
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B: return set(TensorSwizzle::bytes128, TensorAtom::bytes64);
    default: return invalid_value("no swizzle has the number " + std::to_string(swizzle));
  }
}

// What all kinds of maps have.
struct Tensor {
  CUtensorMapDataType type;
  cuuint32_t rank;
  void* address;
  const cuuint64_t* sizes;
  const cuuint64_t* strides;
  const cuuint32_t* steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
};

Answer<TensorMap> map_of(const Tensor& t, exec::TensorMode mode) {
  TensorMap map;
  map.mode = mode;
  if (t.rank == 0 || t.rank > exec::max_tensor_rank)
    return invalid_value("the rank of a tensor is " + std::to_string(t.rank) + ": 1 to 5");
  if (t.sizes == nullptr || t.steps == nullptr || t.strides == nullptr)
    return invalid_value("sizes, strides or element strides are null");
  auto element = element_of(t.type);
  if (!element) return element.error();
  map.element = *element;
  map.rank = static_cast<uint8_t>(t.rank);
  map.address = reinterpret_cast<uintptr_t>(t.address);
  for (uint32_t i = 0; i < t.rank; ++i) {
    if (t.sizes[i] == 0 || t.sizes[i] > size_limit)
      return invalid_value("globalDim[" + std::to_string(i) + "] is " + std::to_string(t.sizes[i]) +
                           ": 1 to 2^32");
    map.sizes[i] = static_cast<uint32_t>(t.sizes[i] - 1);
    map.steps[i] = static_cast<uint8_t>(std::min<cuuint32_t>(t.steps[i], 255));
    if (i != 0) map.strides[i - 1] = t.strides[i - 1];
  }
  if (t.interleave < CU_TENSOR_MAP_INTERLEAVE_NONE || t.interleave > CU_TENSOR_MAP_INTERLEAVE_32B)
    return invalid_value("no interleaved layout has the number " + std::to_string(t.interleave));
  map.interleave = static_cast<exec::TensorInterleave>(t.interleave);
  if (Status swizzle = set_swizzle(t.swizzle, map); !swizzle) return swizzle.error();
  if (t.promotion < CU_TENSOR_MAP_L2_PROMOTION_NONE || t.promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
    return invalid_value("no promotion to L2 has the number " + std::to_string(t.promotion));
  map.promotion = static_cast<uint8_t>(t.promotion);
  if (t.fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE &&
      t.fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
    return invalid_value("no fill has the number " + std::to_string(t.fill));
  map.fill = static_cast<exec::TensorFill>(t.fill);
  return map;
}

Status give(CUtensorMap* to, const TensorMap& map) {
  if (reinterpret_cast<uintptr_t>(to) % alignof(TensorMap) != 0)
    return invalid_value("a tensor map lies at a multiple of 64 bytes");
  if (const std::string why = why_invalid(map); !why.empty()) return invalid_value(why);
  std::memcpy(static_cast<void*>(to), &map, sizeof map);
  return Unit{};
}

Status set_pixels(TensorMap& map, cuuint32_t channels, cuuint32_t pixels) {
  if (channels == 0 || channels > 256)
    return invalid_value("channelsPerPixel is " + std::to_string(channels) + ": 1 to 256");
  if (pixels == 0 || pixels > 1024)
    return invalid_value("pixelsPerColumn is " + std::to_string(pixels) + ": 1 to 1024");
  map.box[0] = static_cast<uint16_t>(channels);
  map.box[1] = static_cast<uint16_t>(pixels);
  return Unit{};
}

int16_t narrow(int corner) { return static_cast<int16_t>(std::clamp(corner, INT16_MIN, INT16_MAX)); }

}  // namespace

Status cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                              cuuint32_t tensorRank, void* globalAddress, const cuuint64_t* globalDim,
                              const cuuint64_t* globalStrides, const cuuint32_t* boxDim,
                              const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
                              CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                              CUtensorMapFloatOOBfill oobFill) {
  auto map = map_of({tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, elementStrides,
                     interleave, swizzle, l2Promotion, oobFill},
                    exec::TensorMode::tiled);
  if (!map) return map.error();
  if (boxDim == nullptr) return invalid_value("boxDim is null");
  for (uint32_t i = 0; i < tensorRank; ++i)
    map->box[i] = static_cast<uint16_t>(std::min<cuuint32_t>(boxDim[i], 65535));
  return give(tensorMap, *map);
}

Status cuTensorMapEncodeIm2col(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                               cuuint32_t tensorRank, void* globalAddress, const cuuint64_t* globalDim,
                               const cuuint64_t* globalStrides, const int* pixelBoxLowerCorner,
                               const int* pixelBoxUpperCorner, cuuint32_t channelsPerPixel,
                               cuuint32_t pixelsPerColumn, const cuuint32_t* elementStrides,
                               CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                               CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill) {
  auto map = map_of({tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, elementStrides,
                     interleave, swizzle, l2Promotion, oobFill},
                    exec::TensorMode::im2col);
  if (!map) return map.error();
  if (tensorRank < 3)
    return invalid_value("the rank of a tensor of pixels is " + std::to_string(tensorRank) + ": 3 to 5");
  if (pixelBoxLowerCorner == nullptr || pixelBoxUpperCorner == nullptr)
    return invalid_value("a corner is null");
  if (Status pixels = set_pixels(*map, channelsPerPixel, pixelsPerColumn); !pixels) return pixels;
  for (uint32_t i = 0; i + 2 < tensorRank; ++i) {
    map->lower[i] = narrow(pixelBoxLowerCorner[i]);
    map->upper[i] = narrow(pixelBoxUpperCorner[i]);
  }
  return give(tensorMap, *map);
}

Status cuTensorMapEncodeIm2colWide(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                                   cuuint32_t tensorRank, void* globalAddress, const cuuint64_t* globalDim,
                                   const cuuint64_t* globalStrides, int pixelBoxLowerCornerWidth,
                                   int pixelBoxUpperCornerWidth, cuuint32_t channelsPerPixel,
                                   cuuint32_t pixelsPerColumn, const cuuint32_t* elementStrides,
                                   CUtensorMapInterleave interleave, CUtensorMapIm2ColWideMode mode,
                                   CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                   CUtensorMapFloatOOBfill oobFill) {
  auto map = map_of({tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, elementStrides,
                     interleave, swizzle, l2Promotion, oobFill},
                    exec::TensorMode::im2col_wide);
  if (!map) return map.error();
  if (tensorRank < 3)
    return invalid_value("the rank of a tensor of pixels is " + std::to_string(tensorRank) + ": 3 to 5");
  if (mode != CU_TENSOR_MAP_IM2COL_WIDE_MODE_W && mode != CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128)
    return invalid_value("no mode of pixels has the number " + std::to_string(mode));
  const bool fixed = mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128;  // always 128 pixels
  if (Status pixels = set_pixels(*map, channelsPerPixel, fixed ? 128 : pixelsPerColumn); !pixels)
    return pixels;
  map->lower[0] = narrow(pixelBoxLowerCornerWidth);
  map->upper[0] = narrow(pixelBoxUpperCornerWidth);
  return give(tensorMap, *map);
}

Status cuTensorMapReplaceAddress(CUtensorMap* tensorMap, void* globalAddress) {
  TensorMap map;
  std::memcpy(static_cast<void*>(&map), tensorMap, sizeof map);
  if (const std::string why = why_invalid(map); !why.empty()) return invalid_value("a tensor map: " + why);
  map.address = reinterpret_cast<uintptr_t>(globalAddress);
  return give(tensorMap, map);
}

}  // namespace heddle::cu
