#include "support/source.h"

#include <algorithm>
#include <cstring>

namespace heddle {

const std::vector<uint32_t>& SourceText::line_starts() const {
  std::call_once(line_starts_once_, [this] {
    line_starts_.push_back(0);
    const char* const begin = text_.data();
    const char* const end = begin + text_.size();
    for (const char* at = begin; at != end;) {
      const void* newline = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
      if (newline == nullptr) break;
      at = static_cast<const char*>(newline) + 1;
      line_starts_.push_back(static_cast<uint32_t>(at - begin));
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
