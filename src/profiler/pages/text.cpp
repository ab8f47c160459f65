#include "profiler/pages/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace heddle::profiler {

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "n/a";
  std::array<char, 64> text{};
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  std::snprintf(text.data(), text.size(), "%.*f", whole ? 0 : digits, value);
  return text.data();
}

std::string grouped(double value, int digits) {
  std::string text = number_text(value, digits);
  if (std::isnan(value)) return text;
  const std::size_t end = std::min(text.find('.'), text.size()), begin = text[0] == '-' ? 1 : 0;
  for (std::size_t place = end; place > begin + 3;) text.insert(place -= 3, 1, ',');
  return text;
}

std::string time_text(double nanoseconds) {
  if (std::isnan(nanoseconds)) return "n/a";
  struct Unit {
    double length;
    const char* name;
  };
  constexpr std::array units{Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "us"}, Unit{1, "ns"}};
  const auto* unit = std::ranges::find_if(units, [&](const Unit& u) { return nanoseconds >= u.length; });
  if (unit == units.end()) --unit;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", unit->length == 1 ? 0 : 2, nanoseconds / unit->length,
                unit->name);
  return text.data();
}

std::string csv_field(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      out += code.data();
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

void TextTable::print(std::ostream& out, std::string_view indent) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(column.title.size());
  for (const std::vector<std::string>& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  const auto line = [&](auto&& cell) {
    std::string text(indent);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& one = cell(i);
      const std::string blanks(widths[i] - std::min(widths[i], one.size()), ' ');
      text += columns_[i].right ? blanks + one : one + blanks;
      if (i + 1 < columns_.size()) text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  };
  line([&](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const std::vector<std::string>& row : rows_)
    line([&](std::size_t i) -> const std::string& { return row[i]; });
}

}  // namespace heddle::profiler
