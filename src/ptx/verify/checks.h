// The named checks of spec/isa (FormInfo::check): rules that join words and operands in ways that tables do
// not.
#pragma once

#include <string_view>

namespace heddle::ptx {

// Whether a record may name this check. Those of all forms are known; a test holds the tables to it.
bool is_check(std::string_view name);

}  // namespace heddle::ptx
