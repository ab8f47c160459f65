#pragma once

#include <string>

namespace heddle::exec {

// A function's name as its author wrote it; other names stay what they are ("f" alone would be a type).
std::string readable_name(const std::string& name);

}  // namespace heddle::exec
