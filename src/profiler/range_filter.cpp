#include "profiler/range_filter.h"

#include <algorithm>

namespace heddle::profiler {

// Whether the names from `name` on are those of the stack from `at` on.
bool RangeFilter::fits(const std::vector<std::string_view>& stack, std::size_t at, const Part& part,
                       std::size_t name) {
  if (name == part.names.size()) return !part.innermost || at == stack.size();
  if (part.names[name] == "*") {
    for (std::size_t next = at; next <= stack.size(); ++next)
      if (fits(stack, next, part, name + 1)) return true;
    return false;
  }
  return at < stack.size() && stack[at] == part.names[name] && fits(stack, at + 1, part, name + 1);
}

bool RangeFilter::Part::fits(const std::vector<ranges::Mark>& open) const {
  std::vector<std::string_view> stack;
  const auto kind = nested ? ranges::Kind::thread : ranges::Kind::free;
  for (const ranges::Mark& mark : open)
    if (mark.kind == kind && mark.description.domain == domain) stack.emplace_back(mark.description.message);
  if (!nested) return std::ranges::find(stack, names.front()) != stack.end();
  for (std::size_t at = 0; at < stack.size(); ++at) {
    if (RangeFilter::fits(stack, at, *this, 0)) return true;
    if (outermost) break;
  }
  return false;
}

// Included by one of the lines that include, if there are any, and excluded by none.
bool RangeFilter::wants(const std::vector<ranges::Mark>& open) const {
  bool any_includes = false, included = false;
  for (const Line& line : lines_) {
    const bool fits = std::ranges::all_of(line.parts, [&](const Part& part) { return part.fits(open); });
    if (!line.include && fits) return false;
    any_includes |= line.include;
    included |= line.include && fits;
  }
  return included || !any_includes;
}

namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.emplace_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Result<RangeFilter> parse_range_filter(std::string_view lines) {
  RangeFilter filter;
  for (const std::string& text : split(lines, '\n')) {
    if (text.empty()) continue;
    RangeFilter::Line line;
    line.include = text.starts_with("include ");
    if (!line.include && !text.starts_with("exclude "))
      return Error{"'" + text + "' neither includes nor excludes"};
    for (std::string expression : split(std::string_view(text).substr(8), ',')) {
      RangeFilter::Part part;
      const auto objection = [&](const char* what) { return Error{"'" + text.substr(8) + "': " + what}; };
      if (const std::size_t domain = expression.find('@'); domain != expression.npos) {
        part.domain = expression.substr(0, domain);
        expression.erase(0, domain + 1);
      }
      if (expression.starts_with('[')) part.outermost = true, expression.erase(0, 1);
      if (expression.ends_with(']')) part.innermost = true, expression.pop_back();
      part.nested = part.outermost || part.innermost || expression.find('/') != expression.npos;
      if (expression.ends_with('/')) expression.pop_back();
      part.names = split(expression, '/');
      for (const std::string& name : part.names)
        if (name.empty()) return objection("a range has no name");
      if (part.names.front() == "*" || part.names.back() == "*")
        return objection("'*' stands between two ranges");
      line.parts.push_back(std::move(part));
    }
    filter.lines_.push_back(std::move(line));
  }
  return filter;
}

}  // namespace heddle::profiler
