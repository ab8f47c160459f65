#include "beginnings/leading_headers.h"

#include <algorithm>

namespace heddle::beginnings {

namespace {

constexpr std::string_view blanks = " \t\r\v\f";

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// Blanks and comments of one line; false at a comment that is not seen to its end.
bool skip_within_line(std::string_view& text) {
  while (true) {
    skip_blanks(text);
    if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (take(text, "/*")) {
      const std::size_t end = text.find("*/");
      if (end == std::string_view::npos) return false;
      text.remove_prefix(end + 2);
    } else {
      return true;
    }
  }
}

// Lines that go on in the next one, and trigraphs, are left to clang: nothing behind them is looked at.
std::string_view plain_part(std::string_view source) {
  return source.substr(0, std::min({source.find("\\\n"), source.find("\\\r\n"), source.find("?\?/")}));
}

// The name in the rest of a line that begins with #; "": it is no such line.
std::string_view included(std::string_view& text) {
  if (!skip_within_line(text) || !take(text, "include") || !skip_within_line(text) || !take(text, "<"))
    return {};
  const std::size_t end = text.find_first_of(">\n");
  if (end == std::string_view::npos || text[end] != '>') return {};
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end + 1);
  return skip_within_line(text) && (text.empty() || text.front() == '\n') ? name : std::string_view();
}

}  // namespace

std::vector<std::string> leading_headers(std::string_view source) {
  std::vector<std::string> names;
  std::string_view text = plain_part(source);
  take(text, "\xef\xbb\xbf");
  while (skip_within_line(text)) {
    if (take(text, "\n")) continue;
    if (!take(text, "#")) break;
    const std::string_view name = included(text);
    if (name.empty()) break;
    names.emplace_back(name);
  }
  return names;
}

}  // namespace heddle::beginnings
