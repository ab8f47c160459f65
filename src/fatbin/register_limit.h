// -maxrregcount of PTX that is compiled later, which stands in its entry's options.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::fatbin {

uint32_t register_limit(std::string_view options);  // the last one that is given; 0: none

}  // namespace heddle::fatbin
