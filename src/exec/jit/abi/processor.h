// The processor that kept code is found for. No LLVM here: its names of the same processor are in host.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/result.h"

namespace heddle::exec::jit {

// The vectors that code is made for. Forced by HEDDLE_JIT_CPU = x86-64-v2 | avx2 | avx512.
enum class VectorLevel : uint8_t { v2, avx2, avx512 };
std::string_view name(VectorLevel);  // as HEDDLE_JIT_CPU spells it
// Of 32 bits, of one vector.
constexpr unsigned most_lanes(VectorLevel level) {
  return level == VectorLevel::avx512 ? 16 : level == VectorLevel::avx2 ? 8 : 4;
}

struct Processor {
  VectorLevel level = VectorLevel::v2;
  bool forced = false;  // code is for the level and no more, on whatever processor
  // What differs where code for this processor may differ; the level's name when forced.
  std::string identity{};
};
// `forced`: HEDDLE_JIT_CPU, or nullptr or "" for this processor.
Result<Processor, std::string> find_processor(const char* forced);

}  // namespace heddle::exec::jit
