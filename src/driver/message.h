// Messages in the form of the toolkit's programs: "nvcc fatal   : Unknown option '-foo'".
#pragma once

#include <string>
#include <string_view>

#include "machine/driver_version.h"

namespace heddle::driver {

enum class Weight : unsigned char { info, warning, error, fatal };
std::string message(std::string_view program, Weight weight, std::string_view text);

// What --version says: build systems look for the first line and for "release 12.9, V12.9.86" in it.
std::string version_text(std::string_view program, std::string_view what);

// The CUDA release that the toolkit is like.
inline constexpr int cuda_major = machine::runtime_version / 1000,
                     cuda_minor = machine::runtime_version % 1000 / 10, cuda_build = 86;

}  // namespace heddle::driver
