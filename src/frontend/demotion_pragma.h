// A mark in PTX: here doubles became floats (demotion.h).
#pragma once

#include <string_view>

namespace heddle::frontend {

inline constexpr std::string_view demotion_pragma = "doubles are floats";

}  // namespace heddle::frontend
