// Names of C++ as a program's source has them.
#pragma once

#include <string>

namespace heddle {

// What is no mangled name comes back as it is.
std::string demangled(const std::string& name);

}  // namespace heddle
