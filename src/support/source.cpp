#include "support/source.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace heddle {

namespace {

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

}  // namespace

// # 7 "k.cu" and #line 7 "k.cu"; what else begins with '#' is no mark.
void SourceText::read_mark(std::string_view line, uint32_t next) const {
  line = without_blanks(line);
  if (!line.starts_with('#')) return;
  line = without_blanks(line.substr(1));
  if (line.starts_with("line")) line = without_blanks(line.substr(4));
  uint32_t number = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), number);
  if (read.ec != std::errc()) return;
  line = without_blanks(line.substr(static_cast<std::size_t>(read.ptr - line.data())));
  std::string_view file = marks_.empty() ? std::string_view(name_) : marks_.back().file;
  if (line.starts_with('"')) file = line.substr(1, line.find('"', 1) - 1);
  marks_.push_back({next, number, file});
}

const std::vector<uint32_t>& SourceText::line_starts() const {
  std::call_once(line_starts_once_, [this] {
    line_starts_.push_back(0);
    const char* const begin = text_.data();
    const char* const end = begin + text_.size();
    for (const char* at = begin; at != end;) {
      const void* newline = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
      if (newline == nullptr) break;
      at = static_cast<const char*>(newline) + 1;
      const uint32_t last = line_starts_.back();
      line_starts_.push_back(static_cast<uint32_t>(at - begin));
      read_mark(text().substr(last, line_starts_.back() - 1 - last),
                static_cast<uint32_t>(line_starts_.size()));
    }
  });
  return line_starts_;
}

LineColumn SourceText::locate(uint32_t offset) const {
  const std::vector<uint32_t>& starts = line_starts();
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  const auto index = static_cast<uint32_t>(after - starts.begin()) - 1;
  return {index + 1, offset - starts[index] + 1};
}

PresumedPlace SourceText::presume(uint32_t offset) const {
  const LineColumn place = locate(offset);
  const auto after = std::upper_bound(marks_.begin(), marks_.end(), place.line,
                                      [](uint32_t line, const LineMark& mark) { return line < mark.from; });
  if (after == marks_.begin()) return {name_, place.line, place.column};
  const LineMark& mark = *(after - 1);
  return {mark.file, mark.line + (place.line - mark.from), place.column};
}

std::string_view SourceText::line(uint32_t number) const {
  const std::vector<uint32_t>& starts = line_starts();
  if (number == 0 || number > starts.size()) return {};
  const uint32_t begin = starts[number - 1];
  const std::size_t end = number < starts.size() ? starts[number] - 1 : text_.size();
  std::string_view line = text().substr(begin, end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace heddle
