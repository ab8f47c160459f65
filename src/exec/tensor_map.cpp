#include "exec/tensor_map.h"

#include <algorithm>

namespace heddle::exec {

namespace {

constexpr uint64_t stride_limit = uint64_t{1} << 40;  // bytes, exclusive
constexpr uint32_t box_limit = 256, step_limit = 8;

std::string of(const char* what, int i, uint64_t value, const std::string& allowed) {
  return std::string(what) + "[" + std::to_string(i) + "] is " + std::to_string(value) + ": " + allowed;
}

bool packed_wide(TensorElement e) {  // 16 bytes of shared memory for sixteen elements
  return e == TensorElement::b4x16_p64 || e == TensorElement::b6x16_p32;
}

std::string bad_box(const TensorMap& map) {
  const TensorElementSize size = size_of(map.element);
  const uint64_t inner = uint64_t{map.box[0]} / size.elements * size.shared;
  for (int i = 0; i < (map.mode == TensorMode::tiled ? map.rank : 0); ++i) {
    const uint32_t box = map.box[static_cast<std::size_t>(i)];
    if (box == 0 || box > box_limit) return of("boxDim", i, box, "1 to " + std::to_string(box_limit));
  }
  if (map.interleave == TensorInterleave::none && inner % 16 != 0)
    return "a row of the box has " + std::to_string(inner) + " bytes: a multiple of 16";
  const uint32_t pattern = swizzle_bytes(map.swizzle);
  if (map.interleave == TensorInterleave::none && pattern != 0 && inner > pattern)
    return "a row of the box has " + std::to_string(inner) + " bytes: the swizzle allows " +
           std::to_string(pattern);
  return {};
}

std::string bad_corners(const TensorMap& map) {
  // All corners together have 32 bits: 16, 8 or 5 of them each.
  const int spatial = map.mode == TensorMode::im2col_wide ? 1 : map.rank - 2;
  const int limit = spatial == 1 ? 32768 : spatial == 2 ? 128 : 16;
  for (int i = 0; i < spatial; ++i)
    for (const auto* corner : {&map.lower, &map.upper}) {
      const int value = (*corner)[static_cast<std::size_t>(i)];
      if (value < -limit || value >= limit)
        return "a corner of the box of pixels is " + std::to_string(value) + ": " + std::to_string(-limit) +
               " to " + std::to_string(limit - 1);
    }
  return {};
}

}  // namespace

TensorElementSize size_of(TensorElement element) {
  switch (element) {
    case TensorElement::u8: return {1, 1, 1};
    case TensorElement::u16:
    case TensorElement::f16:
    case TensorElement::bf16: return {2, 2, 1};
    case TensorElement::u64:
    case TensorElement::s64:
    case TensorElement::f64: return {8, 8, 1};
    case TensorElement::b4x16: return {8, 8, 16};
    case TensorElement::b4x16_p64: return {16, 8, 16};
    case TensorElement::b6x16_p32: return {16, 12, 16};
    default: return {4, 4, 1};
  }
}

std::string why_invalid(const TensorMap& map) {
  if (map.mode == TensorMode::none) return "it is no tensor map";
  const int least = map.mode != TensorMode::tiled || map.interleave != TensorInterleave::none ? 3 : 1;
  if (map.rank < least || map.rank > max_tensor_rank)
    return "the rank is " + std::to_string(map.rank) + ": " + std::to_string(least) + " to " +
           std::to_string(max_tensor_rank);
  const bool wide = map.interleave == TensorInterleave::bytes32 || packed_wide(map.element);
  const uint64_t unit = wide ? 32 : 16;
  if (map.address % unit != 0)
    return "the tensor's address is no multiple of " + std::to_string(unit) + " bytes";
  for (int i = 1; i < map.rank; ++i) {
    const uint64_t stride = map.strides[static_cast<std::size_t>(i - 1)];
    if (stride % unit != 0 || stride >= stride_limit)
      return of("globalStrides", i - 1, stride, "a multiple of " + std::to_string(unit) + " below 2^40");
  }
  for (int i = 0; i < map.rank; ++i) {
    const uint32_t step = map.steps[static_cast<std::size_t>(i)];
    if (step == 0 || step > step_limit)
      return of("elementStrides", i, step, "1 to " + std::to_string(step_limit));
  }
  if (map.fill == TensorFill::nan && !is_floating(map.element))
    return "what lies outside can be NaN only where elements are floating-point numbers";
  if (packed_wide(map.element) && map.size(0) % 128 != 0)
    return of("globalDim", 0, map.size(0), "a multiple of 128 for packed elements");
  if (std::string why = bad_box(map); !why.empty()) return why;
  return map.mode == TensorMode::tiled ? std::string() : bad_corners(map);
}

}  // namespace heddle::exec
