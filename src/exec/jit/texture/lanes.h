// What the loops over a warp's lanes hand to one another when textures and surfaces are looked at. A look has
// four stages: each axis by itself from coordinates to texels (AxisLoop), the axes together to places in
// memory (Corners), the places' bytes (Gather), the bytes to registers (Decode), or to sums where texels are
// filtered (Add, Finish). Each stage has a loop for each kind of thing that it may meet, and a plan (plan.h)
// says which.
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
  alignas(64) double weight[warp_lanes];   // of the second, in 256ths; 0 where an edge is both
  bool between;                            // whether a lane has a weight at all
};
// `in`: a register of each lane.
using AxisLoop = void (*)(const uint64_t* in, const AxisSetting&, Range, AxisPlaces&);

// ---- all axes --------------------------------------------------------------------------------------------
struct Corners {
  alignas(64) int64_t place[8][warp_lanes];
  alignas(64) double weight[8][warp_lanes];  // whole 256ths; not written without filtering
};
// `slice`: bytes to each lane's layer or face, for a loop that wants them.
using CornerLoop = void (*)(const AxisPlaces*, const int64_t* slice, Range, Corners&);

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
  // Of 32 bits that are added up: what they are matters then.
  u32,
  s32,
};
inline constexpr int coding_count = 12;

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

// Weighted sums of corners, in f64. See exec/interp/texture/filter.h.
enum class Rounding : uint8_t {
  nearest,     // the sum, scaled and divided, to f32
  single,      // to f32, halves away from zero
  half,        // to f16 likewise
  normalized,  // to an integer of 15 or 16 bits, and that to a fraction
  whole        // to an integer
};
struct Blending {
  int corners = 4;
  int channels = 1;                 // stored ones
  double border[4] = {0, 0, 0, 0};  // of stored channels, in the units of their integers
  Rounding rounding = Rounding::nearest;
  // nearest: what a sum is multiplied with at its end, and divided by: makes the weights 1 together, and
  // integers normalised.
  //
  // A sum of integers is exact. Its quotient by 2^b - 1 is no number in the middle between two floats, nor
  // within 2^-41 of one, so that a product with the reciprocal rounds to the same float: `divisor` is 1 then.
  //
  // normalized: by what a sum becomes the integer of 15 or 16 bits.
  double scale = 1, divisor = 1;
  double most = 0;      // normalized: of those integers
  double fraction = 0;  // and what each of them is worth
  double half = 0.5;    // whole: what is added before the integer below is taken
  uint32_t nan = 0;     // what any NaN becomes
};
struct Sums {
  alignas(64) double channel[4][warp_lanes];
};
// Up to four corners that differ on the first two axes.
struct Corner {
  const Raw* raw;
  const int64_t* place;
  const double* weight;
};
using Add = void (*)(const Corner* corners, int count, const Blending&, bool first, Range, Sums&);
using Finish = void (*)(const Sums&, const Blending&, const Decoding&, Range, const Out&);

// ---- cube maps -------------------------------------------------------------------------------------------
struct Faces {
  alignas(64) uint64_t s[warp_lanes], t[warp_lanes];  // Coordinate::place
  alignas(64) int64_t face[warp_lanes];
};
// Directions x, y, z, as f32, and what each is multiplied by (exec/cube_scale.h).
using FaceLoop = void (*)(const uint64_t* const direction[3], const float* scale, Range, Faces&);

// ---- surfaces --------------------------------------------------------------------------------------------
enum class Outside : uint8_t { trap, clamp, zero };
struct SurfaceSetting {
  int64_t unit = 1;    // bytes that the first coordinate counts
  int64_t access = 4;  // bytes, a power of two
  int64_t row = 0;     // bytes of a row's texels
  int64_t last[2] = {0, 0};
  int64_t row_pitch = 0, slice_pitch = 0;  // below 2^31
};
// Nothing is there; or the reference executor has to say what is wrong.
inline constexpr int64_t no_place = -1, bad_place = -2;
// `at`: x, y, and z or the layer, of each lane, as s32; a layer may be u32.
using SurfaceLoop = void (*)(const uint64_t* const at[3], bool unsigned_slice, const SurfaceSetting&, Range,
                             int64_t* place);
// Element `i` of `bits` bits of what was gathered; 0 where nothing is.
using Unpack = void (*)(const Raw&, const int64_t* place, int bits, int i, Range, uint64_t* out);
// Puts a component into a texel's bytes, from `bit` on.
using Encode = void (*)(const uint64_t* component, int bit, Range, Raw& raw);
// For the lanes of the mask, ascending, where there is a place.
using Scatter = void (*)(std::byte* base, const int64_t* place, uint32_t lanes, const Raw&);

// ---- all loops of a kind of host -------------------------------------------------------------------------
struct Codes {
  AxisLoop nearest[coordinate_kinds][edge_kinds];  // nullptr: no such axis
  AxisLoop linear[coordinate_kinds][edge_kinds];
  CornerLoop one_corner[3][2], all_corners[3][2];  // by axes - 1, whether there are slices
  Gather gather[5];                                // by log2 of a texel's bytes
  Decode decode[coding_count];
  Add add[coding_count][2];  // by coding, whether it has a border
  Finish finish;
  bool (*all_equal)(const uint64_t* values);  // of all lanes
  FaceLoop faces;
  SurfaceLoop surface[3];  // by Outside
  Unpack unpack;
  Encode pack[4];               // bits as they are: by log2 of an element's bytes
  Encode encode[coding_count];  // numbers
  Scatter scatter[5];           // by log2 of the bytes
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
