#include "ptx/unknown.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "ptx/mnemonic.h"
#include "ptx/parse.h"

namespace heddle::ptx {

namespace {

// A text may have as many as it has instructions.
constexpr std::size_t most_errors = 1u << 20;

bool in_mnemonic(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == ':' || c == '$' || c == '%';
}

// An instruction from its first letter to before its ';'.
struct Place {
  std::size_t begin, end;
  std::string message;
};

// Where the ';' of a statement stands; none: a body or the text ends before.
std::size_t semicolon_behind(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (text.substr(at, 2) == "/*") {
      at = text.find("*/", at);
      if (at == text.npos) return at;
      at += 2;
      continue;
    }
    if (text[at] == ';') return at;
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && depth-- == 0) break;
    ++at;
  }
  return text.npos;
}

bool is_known(std::string_view mnemonic) {
  std::vector<Mnemonic> found;
  Diagnostics ignored;
  return MnemonicTable(found, ignored).find(mnemonic, true, {}).has_value();
}

// One line that a string of PTX can hold.
std::string one_line(const SourceText& source, const Diagnostic& error) {
  const LineColumn at = source.locate(error.span.begin);
  std::string line =
      source.name() + ':' + std::to_string(at.line) + ':' + std::to_string(at.column) + ": " + error.message;
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '"' || c == '\\'; }, '\'');
  std::replace_if(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return line;
}

std::optional<Place> place_of(const SourceText& source, const Diagnostic& error) {
  const std::string_view text = source.text();
  std::size_t begin = std::min<std::size_t>(error.span.begin, text.size()), end = begin;
  while (begin > 0 && in_mnemonic(text[begin - 1])) --begin;
  while (end < text.size() && in_mnemonic(text[end])) ++end;
  if (begin == end || is_known(text.substr(begin, end - begin))) return {};
  const std::size_t semicolon = semicolon_behind(text, end);
  if (semicolon == text.npos) return {};
  return Place{begin, semicolon, one_line(source, error)};
}

}  // namespace

std::optional<std::string> set_unknown_aside(const SourceText& source) {
  Diagnostics diagnostics(most_errors);
  // Places of errors are all that is asked for, so the text is not kept.
  parse(std::make_shared<const SourceText>(source.name(), std::string(source.text())), diagnostics);
  std::vector<Place> places;
  for (const Diagnostic& error : diagnostics.all()) {
    if (error.severity != Severity::error) continue;
    auto place = place_of(source, error);
    if (!place) return {};
    places.push_back(std::move(*place));
  }
  if (places.empty()) return {};
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
  const std::string_view text = source.text();
  std::string result;
  std::size_t copied = 0;
  for (const Place& place : places) {
    if (place.begin < copied) return {};  // two in one statement: it is not what it seemed
    result += text.substr(copied, place.begin - copied);
    result += "trap; .pragma \"" + std::string(unknown_mark) + place.message + '"';
    const std::string_view statement = text.substr(place.begin, place.end - place.begin);
    result.append(static_cast<std::size_t>(std::count(statement.begin(), statement.end(), '\n')), '\n');
    copied = place.end;
  }
  result += text.substr(copied);
  return result;
}

}  // namespace heddle::ptx
