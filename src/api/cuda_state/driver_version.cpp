#include "api/cuda_state/driver_version.h"

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace heddle::cuda {

Answer<int> parse_driver_version(const char* text) {
  // Older drivers had other functions than those that programs and libraries of today ask for.
  constexpr int oldest = 11000;
  const std::string_view whole = text;
  int major = 0, minor = 0;
  const char* end = whole.data() + whole.size();
  const auto first = std::from_chars(whole.data(), end, major);
  bool good = first.ec == std::errc() && first.ptr != end && *first.ptr == '.';
  if (good) {
    const auto second = std::from_chars(first.ptr + 1, end, minor);
    good = second.ec == std::errc() && second.ptr == end && minor >= 0 && minor < 10 && major >= 0 &&
           major < 100;
  }
  const int version = major * 1000 + minor * 10;
  if (good && version >= oldest && version <= newest_driver_version) return version;
  return failure(Code::not_initialized, "HEDDLE_DRIVER_VERSION: '" + std::string(whole) +
                                            "' is no version from 11.0 to " +
                                            std::to_string(newest_driver_version / 1000) + "." +
                                            std::to_string(newest_driver_version % 1000 / 10));
}

Answer<int> driver_version() {
  static const auto& version = *new Answer<int>([]() -> Answer<int> {
    const char* text = std::getenv("HEDDLE_DRIVER_VERSION");
    if (text == nullptr || *text == '\0') return newest_driver_version;
    return parse_driver_version(text);
  }());
  return version;
}

}  // namespace heddle::cuda
