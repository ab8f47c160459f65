#include "runtime/sampler_fields.h"

#include <array>
#include <string_view>

namespace heddle::runtime {

namespace {

struct ModeName {
  std::string_view name;
  exec::AddressMode mode;
};
constexpr std::array modes{
    ModeName{"wrap", exec::AddressMode::wrap},
    ModeName{"mirror", exec::AddressMode::mirror},
    ModeName{"clamp_ogl", exec::AddressMode::clamp_to_edge},
    ModeName{"clamp_to_edge", exec::AddressMode::clamp_to_edge},
    ModeName{"clamp_to_border", exec::AddressMode::clamp_to_border},
};

}  // namespace

exec::Sampler sampler_of(const std::vector<std::pair<std::string, std::string>>& fields) {
  constexpr std::string_view address = "addr_mode_";
  exec::Sampler sampler;
  sampler.normalized_coordinates = true;  // unless force_unnormalized_coords says otherwise
  for (const auto& [name, value] : fields) {
    if (name.starts_with(address) && name.size() == address.size() + 1) {
      const auto axis = static_cast<std::size_t>(name.back() - '0');
      for (const ModeName& mode : modes)
        if (axis < 3 && mode.name == value) sampler.address[axis] = mode.mode;
    } else if (name == "filter_mode") {
      sampler.filter = value == "linear" ? exec::FilterMode::linear : exec::FilterMode::nearest;
    } else if (name == "force_unnormalized_coords") {
      sampler.normalized_coordinates = value == "0" || value == "false";
    }
  }
  return sampler;
}

}  // namespace heddle::runtime
