#include "runtime/register_limit.h"

#include <charconv>

namespace heddle::runtime {

namespace {

constexpr std::string_view mark = "\n// -maxrregcount ";

}  // namespace

void limit_registers(std::string& ptx, uint32_t most) {
  if (most == 0) return;
  ptx.resize(ptx.find_last_not_of(std::string_view("\0\n ", 3)) + 1);  // a text may end in zeros
  ptx += mark;
  ptx += std::to_string(most);
  ptx += '\n';
}

uint32_t register_limit(std::string_view ptx) {
  const std::size_t end = ptx.find_last_not_of(std::string_view("\0\n ", 3));
  const std::size_t line = ptx.rfind('\n', end);
  if (end == ptx.npos || line == ptx.npos || !ptx.substr(line).starts_with(mark)) return 0;
  const std::string_view number = ptx.substr(line + mark.size(), end + 1 - line - mark.size());
  uint32_t limit = 0;
  const auto [rest, failed] = std::from_chars(number.data(), number.data() + number.size(), limit);
  return failed == std::errc() && rest == number.data() + number.size() ? limit : 0;
}

}  // namespace heddle::runtime
