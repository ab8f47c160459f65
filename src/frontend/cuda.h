// CUDA C++ for clang: the arguments of a device's and of the host's compilation, and what is left to do to
// the PTX.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/clang.h"
#include "isa/isa.h"
#include "support/result.h"

namespace heddle::frontend {

// A virtual architecture as compilers name it behind compute_ or sm_: "52", "90a".
struct Target {
  std::string name;         // "13"
  uint32_t number = 0;      // 13
  std::string clang_name;   // what clang compiles for: the same, or the nearest that it knows
  std::string ptx_feature;  // "+ptx85"
  isa::Version ptx;         // of the PTX that the toolkit shows: 8.8
  // Compute capability 1.x: clang's code is for 2.0, and lower_to_1x() makes it fit or says why it cannot.
  bool is_1x() const { return number < 20; }
  bool has_doubles() const { return number >= 13; }
};
// Empty for what is no architecture of PTX (spec/isa/targets.toml).
std::optional<Target> find_target(std::string_view name);

// Devices of 1.x have no correctly rounded division and square root of floats (CUDA C Programming Guide G.2).
FloatPrecision precision_on(const Target& target, FloatPrecision wanted);

// Arguments of every compilation of CUDA C++, without those of its user: language, toolkit, the quirks of
// clang that are none of nvcc. `toolkit` is the folder with include/ and nvvm/.
std::vector<std::string> device_arguments(const Target& target, std::string_view toolkit);
std::vector<std::string> host_arguments(std::string_view toolkit);
// To stand behind the user's: the toolkit's headers go before those of the system, which may have another
// toolkit's.
std::vector<std::string> header_arguments(std::string_view toolkit);

// The PTX that the toolkit shows: for the target's own architecture. The error is a message without a place.
Result<std::string> finish_ptx(const Target& target, std::string ptx);

}  // namespace heddle::frontend
