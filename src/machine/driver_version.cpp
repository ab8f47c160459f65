#include "machine/driver_version.h"

#include <charconv>
#include <string>
#include <string_view>

#include "support/setting.h"

namespace heddle::machine {

Result<int> parse_driver_version(const char* text) {
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
  return Error{"HEDDLE_DRIVER_VERSION: '" + std::string(whole) + "' is no version from " +
               version_text(oldest) + " to " + version_text(newest_driver_version)};
}

Result<int> driver_version() {
  static const auto& version = *new Result<int>([]() -> Result<int> {
    const char* text = setting("HEDDLE_DRIVER_VERSION");
    if (text == nullptr || *text == '\0') return newest_driver_version;
    return parse_driver_version(text);
  }());
  return version;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

}  // namespace heddle::machine
