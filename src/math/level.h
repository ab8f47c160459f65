// What each level has to give: its own namespace's codes, by Id.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::math {

// Many lanes, a multiple of a vector's.
using OnArrays = void (*)(const void* const* in, void* const* out, std::size_t count);
// One lane, each value in its own word.
using OnBits = void (*)(const uint64_t* in, uint64_t* out);

// By Id; nullptr where the level has no such vectors.
struct Codes {
  struct OfWidth {
    const void* const* code = nullptr;
    const void* const* flushing = nullptr;  // for callers in the mode without subnormals
    const OnArrays* on_arrays = nullptr;
  };
  OfWidth widths[4];  // one lane, 128, 256, 512 bits
  const OnBits* on_bits = nullptr;
};

namespace avx512 {
Codes codes();  // 512
}
namespace fma {
Codes codes();  // scalars, 128, 256; with AVX2 and fused multiplication
}
namespace plain {
Codes codes();  // scalars, 128; for hosts without
}

}  // namespace heddle::math
