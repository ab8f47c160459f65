// A sampler from the settings that a .samplerref variable begins with (PTX ISA 5.3).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "exec/texture.h"

namespace heddle::runtime {

exec::Sampler sampler_of(const std::vector<std::pair<std::string, std::string>>& fields);

}  // namespace heddle::runtime
