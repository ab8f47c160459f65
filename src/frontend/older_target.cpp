#include "frontend/older_target.h"

#include <charconv>
#include <string>

namespace heddle::frontend {

std::optional<Target> find_target_or_older(std::string_view name) {
  if (auto target = find_target(name)) return target;
  unsigned number = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  const std::string_view suffix(end, static_cast<std::size_t>(name.data() + name.size() - end));
  constexpr unsigned newest = 90, last = 129;
  if (failed != std::errc() || number <= newest || number > last) return std::nullopt;
  if (!suffix.empty() && suffix != "a" && suffix != "f") return std::nullopt;
  return find_target(std::to_string(newest));
}

}  // namespace heddle::frontend
