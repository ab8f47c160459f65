// The headers of the system that a source includes before anything else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::beginnings {

// The names of the run of #include <name> at the start of the text, with nothing but comments between.
std::vector<std::string> leading_headers(std::string_view source);

}  // namespace heddle::beginnings
