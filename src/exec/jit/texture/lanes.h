// What the loops over a warp's lanes hand to one another when textures and surfaces are looked at. A look has
// four stages: each axis by itself from coordinates to texels (AxisLoop), the axes together to places in
// memory (Corners), the places' bytes (Gather, or Blend where texels are filtered), the bytes to registers
// (Decode). Each stage has a loop for each kind of thing that it may meet, and a plan (plan.h) says which.
//
// What a look is, lane by lane, exec/interp/texture says; the loops leave the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::exec::jit::texture {

inline constexpr int warp_lanes = 32;

// Lanes [first, end), in whole vectors: those that come, and neighbours of them whose coordinates may be
// anything. Loops work on all of them; no lane's texel lies outside of the image.
struct Range {
  int first = 0, end = warp_lanes;
};
inline constexpr int range_step = 8;

// ---- one axis --------------------------------------------------------------------------------------------
// Integers are texels, floats texels or, normalised, parts of the image. `place`: f64, normalised; of a face.
enum class Coordinate : uint8_t { whole, real, normalized, place };
inline constexpr int coordinate_kinds = 4;
enum class Edge : uint8_t { wrap, mirror, clamp, border };
inline constexpr int edge_kinds = 4;

struct AxisSetting {
  double size = 1;     // texels
  int64_t stride = 0;  // bytes from one to the next, below 2^31
};
// In bytes from the image's first texel. Negative: the border, and so is any sum with it.
inline constexpr int64_t border_place = -(int64_t{1} << 60);
struct AxisPlaces {
  alignas(64) int64_t first[warp_lanes];
  alignas(64) int64_t second[warp_lanes];  // with filtering: its neighbour
  alignas(64) double weight[warp_lanes];   // of the second, in 256ths
};
// `in`: a register of each lane.
using AxisLoop = void (*)(const uint64_t* in, const AxisSetting&, Range, AxisPlaces&);

// ---- all axes --------------------------------------------------------------------------------------------
struct Corners {
  alignas(64) int64_t place[8][warp_lanes];
  alignas(64) double weight[8][warp_lanes];  // the products; not written without filtering
};
// `slice`: bytes of each lane's layer or face, or nullptr.
using CornerLoop = void (*)(const AxisPlaces*, unsigned axes, const int64_t* slice, Range, Corners&);

// ---- texels ----------------------------------------------------------------------------------------------
struct Raw {  // a texel's bytes, the first the lowest
  alignas(64) uint64_t word[2][warp_lanes];
};
using Gather = void (*)(const std::byte* base, const int64_t* place, Range, Raw&);

// What a channel's bits mean.
enum class Coding : uint8_t {
  u8,
  s8,
  u16,
  s16,
  bits32,
  f16,
  unorm8,
  snorm8,
  unorm16,
  snorm16,
};
inline constexpr int coding_count = 10;

// Which stored channel a component of the result is, or what stands for it.
inline constexpr int8_t none_zero = -1, none_one = -2;
struct Decoding {
  int8_t source[4] = {none_zero, none_zero, none_zero, none_zero};
  uint32_t one = 0;  // as the result has it
  bool bordered = false;
  uint32_t border[4] = {0, 0, 0, 0};
};
// The registers of the components; nullptr: not wanted.
struct Out {
  uint64_t* component[4];
};
using Decode = void (*)(const Raw&, const int64_t* place, const Decoding&, Range, const Out&);

struct Blending {
  unsigned corners = 4;
  double scale = 1;                 // of all weights together, a power of two
  double border[4] = {0, 0, 0, 0};  // of stored channels
};
struct Blended {  // of stored channels
  alignas(64) uint32_t channel[warp_lanes][4];
};
// Weighted sums in the order of the corners, in f64, rounded to f32. A corner of weight 0 counts nothing, and
// any NaN becomes the one NaN that the format has.
using Blend = void (*)(const std::byte* base, const Corners&, const Blending&, Range, Blended&);
using Spread = void (*)(const Blended&, const Decoding&, Range, const Out&);

// ---- all loops of a kind of host -------------------------------------------------------------------------
struct Codes {
  AxisLoop nearest[coordinate_kinds][edge_kinds];  // nullptr: no such axis
  AxisLoop linear[coordinate_kinds][edge_kinds];
  CornerLoop one_corner, all_corners;
  Gather gather[5];  // by log2 of a texel's bytes
  Decode decode[coding_count];
  Blend blend[coding_count][3][2];  // by coding, log2 of channels, whether it has a border; nullptr: integers
  Spread spread;
};
namespace plain {
const Codes& codes();
}
namespace avx2 {
const Codes& codes();
}
namespace avx512 {
const Codes& codes();
}

}  // namespace heddle::exec::jit::texture
