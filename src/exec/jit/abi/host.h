// The host that code is made for, in LLVM's names. Needs LLVM; those who run code ask for a Processor.
#pragma once

#include <string>
#include <string_view>

#include "exec/jit/abi/processor.h"
#include "support/result.h"

namespace heddle::exec::jit {

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

}  // namespace heddle::exec::jit
