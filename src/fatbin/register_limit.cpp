#include "fatbin/register_limit.h"

#include <algorithm>
#include <charconv>

namespace heddle::fatbin {

uint32_t register_limit(std::string_view options) {
  constexpr std::string_view name = "-maxrregcount";
  uint32_t limit = 0;
  for (std::size_t at = options.find(name); at != options.npos; at = options.find(name, at)) {
    at += name.size();
    // "=32", " 32"
    std::string_view rest = options.substr(at);
    rest.remove_prefix(std::min(rest.find_first_not_of("= "), rest.size()));
    uint32_t value = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), value).ec == std::errc()) limit = value;
  }
  return limit;
}

}  // namespace heddle::fatbin
