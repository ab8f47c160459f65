// The low bits of a value, where they are known and all threads have the same.
#pragma once

#include <cstdint>
#include <optional>

#include "exec/jit/analysis/pattern.h"

namespace heddle::exec::jit {

// The lowest `count`, up to 63.
std::optional<uint64_t> low_bits(const llvm::Value& value, unsigned count, const Patterns& patterns);

}  // namespace heddle::exec::jit
