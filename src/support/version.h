#pragma once

#include <string_view>

namespace heddle {

// "0.1.0", or in a release build from a git checkout "0.1.0 (v0.1.0-12-gabcdef)".
std::string_view version();

}  // namespace heddle
