// The host that code is made for. No LLVM here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/result.h"

namespace heddle::exec::jit {

// The vectors that code is made for. Forced by HEDDLE_JIT_CPU = x86-64-v2 | avx2 | avx512.
enum class VectorLevel : uint8_t { v2, avx2, avx512 };

// What the code is made for: this host, or less when HEDDLE_JIT_CPU says so.
struct Host {
  VectorLevel level = VectorLevel::v2;
  std::string cpu;       // LLVM's name
  std::string features;  // LLVM's feature string
  unsigned vector_bits() const {
    return level == VectorLevel::avx512 ? 512 : level == VectorLevel::avx2 ? 256 : 128;
  }
  unsigned lanes() const { return vector_bits() / 32; }
};
// `forced`: HEDDLE_JIT_CPU, or nullptr or "" for this host.
Result<Host, std::string> find_host(const char* forced);
std::string_view name(VectorLevel);  // as HEDDLE_JIT_CPU spells it

}  // namespace heddle::exec::jit
