// A tensor map (PTX ISA 5.5.8): 128 bytes, opaque to programs, that say how a tensor lies in global memory
// and which box of it one instruction copies. The driver API makes them, tensormap.replace changes their
// fields, bulk tensor copies read them. The format is our own; all zero is no tensor map until
// tensormap.replace makes it one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

namespace heddle::exec {

// Numbers of the PTX ISA's table of the fields of tensormap.replace (9.7.9.26.1).
enum class TensorElement : uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f32_ftz,
  f64,
  bf16,
  tf32,
  tf32_ftz,
  b4x16,
  b4x16_p64,
  b6x16_p32,
  count
};
enum class TensorInterleave : uint8_t { none, bytes16, bytes32, count };
enum class TensorSwizzle : uint8_t { none, bytes32, bytes64, bytes128, bytes96, count };
enum class TensorAtom : uint8_t { bytes16, bytes32, bytes32_flip8, bytes64, count };  // of a swizzle
enum class TensorFill : uint8_t { zero, nan, count };
enum class TensorMode : uint8_t { none, tiled, im2col, im2col_wide };

inline constexpr int max_tensor_rank = 5;

struct alignas(64) TensorMap {
  uint64_t address = 0;
  std::array<uint64_t, max_tensor_rank - 1> strides{};  // bytes, from dimension 1 on
  std::array<uint32_t, max_tensor_rank> sizes{};        // less one: 2^32 elements fit
  std::array<uint16_t, max_tensor_rank> box{};          // tiled: elements; else channels and pixels
  std::array<uint8_t, max_tensor_rank> steps{};         // between elements that are copied
  uint8_t unused = 0;
  std::array<int16_t, max_tensor_rank - 2> lower{}, upper{};  // corners of im2col's box of pixels
  TensorMode mode = TensorMode::none;
  uint8_t rank = 0;
  TensorElement element = TensorElement::u8;
  TensorInterleave interleave = TensorInterleave::none;
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorAtom atom = TensorAtom::bytes16;
  TensorFill fill = TensorFill::zero;
  uint8_t promotion = 0;  // to L2: a hint
  std::array<uint8_t, 32> rest{};

  bool operator==(const TensorMap&) const = default;
  uint64_t size(int dimension) const { return uint64_t{sizes[static_cast<std::size_t>(dimension)]} + 1; }
};
static_assert(sizeof(TensorMap) == 128 && std::has_unique_object_representations_v<TensorMap>);  // no padding

// Of one element in shared memory and in global memory; elements of 4 and 6 bits are counted by sixteen.
struct TensorElementSize {
  uint32_t shared, global;  // bytes of a unit
  uint32_t elements;        // in a unit
};
TensorElementSize size_of(TensorElement);
inline bool is_floating(TensorElement e) { return e >= TensorElement::f16 && e <= TensorElement::tf32_ftz; }

// Empty, or what no device would take: which field, its value, and what is allowed. (The rules are those of
// the driver API's cuTensorMapEncode functions.)
std::string why_invalid(const TensorMap&);

// How many bytes lie in one row of a swizzle's pattern; 0: no swizzle.
inline uint32_t swizzle_bytes(TensorSwizzle swizzle) {
  switch (swizzle) {
    case TensorSwizzle::bytes32: return 32;
    case TensorSwizzle::bytes64: return 64;
    case TensorSwizzle::bytes96: return 96;
    case TensorSwizzle::bytes128: return 128;
    default: return 0;
  }
}

// Where a byte of a tile goes: addresses in shared memory decide. The pattern of 128 bytes repeats after as
// many rows as it has atoms, as where tcgen05 reads such matrices (9.7.16.5.1; CUTLASS's Swizzle<2, 5, 2> for
// atoms of 32 bytes); no device was asked for other atoms than 16 bytes.
inline uint32_t swizzled(uint32_t address, TensorSwizzle swizzle, TensorAtom atom) {
  switch (swizzle) {
    case TensorSwizzle::bytes32: return address ^ (address >> 7 & 1) << 4;
    case TensorSwizzle::bytes64: return address ^ (address >> 7 & 3) << 4;
    case TensorSwizzle::bytes128:
      switch (atom) {
        case TensorAtom::bytes16: return address ^ (address >> 7 & 7) << 4;
        case TensorAtom::bytes32: return address ^ (address >> 7 & 3) << 5;
        case TensorAtom::bytes32_flip8: return address ^ (address >> 7 & 3) << 5 ^ (address >> 7 & 1) << 3;
        default: return address ^ (address >> 7 & 1) << 6;
      }
    default: return address;
  }
}

}  // namespace heddle::exec
