// Constant expressions (PTX ISA 4.5.4), folded while they are read.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/reader.h"

namespace heddle::ptx {

struct Constant {
  enum class Kind : uint8_t { s64, u64, f64 } kind = Kind::s64;
  uint64_t bits = 0;
  bool is_integer() const { return kind != Kind::f64; }
};

inline constexpr uint64_t warp_size = 32;  // WARP_SZ, of every target

// Empty after a complaint. Names other than WARP_SZ are no part of a constant expression.
std::optional<Constant> read_constant(Reader&);
// An integer of at most `limit`; `what` is named in the complaint: "an alignment".
std::optional<uint64_t> read_integer(Reader&, std::string_view what, uint64_t limit);
// Whether the token can begin a constant expression.
bool begins_constant(const Reader&);

}  // namespace heddle::ptx
