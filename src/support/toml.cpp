#include "support/toml.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

namespace heddle {

namespace {

constexpr unsigned deepest = 16;  // of lists and inline tables in each other

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  Result<TomlTable> read() {
    TomlTable root;
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    TomlTable* table = &root;
    std::vector<std::string> headers;  // each may stand once
    for (skip_lines(); !failed_ && !rest_.empty(); skip_lines()) {
      if (accept('[')) {
        if (peek() == '[') fail("lists of tables ([[...]]) are not read");
        const std::vector<std::string> path = read_path();
        expect(']');
        std::string whole;
        for (const std::string& part : path) whole += part + '\0';
        if (std::ranges::find(headers, whole) != headers.end()) fail("the table stands here twice");
        headers.push_back(std::move(whole));
        table = descend(root, path);
      } else {
        read_entry(*table);
      }
      end_of_line();
    }
    if (failed_) return Error{std::move(*failed_)};
    return root;
  }

 private:
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool accept(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "'");
  }
  void fail(std::string_view what) {
    if (failed_) return;
    failed_ = "line " + std::to_string(line_) + ": " + std::string(what);
    rest_ = {};
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') rest_.remove_prefix(1);
  }
  void skip_comment() {
    if (peek() == '#') rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
  }
  void skip_lines() {
    while (true) {
      skip_blanks();
      skip_comment();
      if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
      if (!accept('\n')) return;
      ++line_;
    }
  }
  void end_of_line() {
    skip_blanks();
    skip_comment();
    if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
    if (!rest_.empty() && peek() != '\n') fail("expected the end of the line");
  }

  static bool bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  }

  std::string read_key() {
    skip_blanks();
    if (peek() == '"' || peek() == '\'') return read_string();
    std::string key;
    while (bare(peek())) {
      key += rest_.front();
      rest_.remove_prefix(1);
    }
    if (key.empty()) fail("expected a key");
    skip_blanks();
    return key;
  }

  std::vector<std::string> read_path() {
    std::vector<std::string> path{read_key()};
    for (skip_blanks(); accept('.'); skip_blanks()) path.push_back(read_key());
    return path;
  }

  TomlTable* descend(TomlTable& from, std::span<const std::string> path) {
    TomlTable* table = &from;
    for (const std::string& part : path) {
      const auto found = std::ranges::find(*table, part, &TomlEntry::key);
      if (found == table->end()) {
        table->push_back({part, {TomlTable{}}});
        table = std::get_if<TomlTable>(&table->back().value.is);
      } else if (auto* inner = std::get_if<TomlTable>(&found->value.is)) {
        table = inner;
      } else {
        fail("'" + part + "' is no table");
        return table;
      }
    }
    return table;
  }

  void read_entry(TomlTable& table) {
    const std::vector<std::string> path = read_path();
    expect('=');
    if (failed_) return;
    TomlTable* inner = descend(table, std::span(path).first(path.size() - 1));
    TomlValue value = read_value(0);
    if (failed_) return;
    if (find(*inner, path.back()) != nullptr) return fail("'" + path.back() + "' stands here twice");
    inner->push_back({path.back(), std::move(value)});
  }

  TomlValue read_value(unsigned depth) {
    skip_blanks();
    if (depth > deepest) fail("values are nested too deeply");
    const char c = peek();
    if (c == '"' || c == '\'') return {read_string()};
    if (accept('[')) return {read_list(depth)};
    if (accept('{')) return {read_inline_table(depth)};
    std::string word;
    while (bare(peek()) || peek() == '+' || peek() == '.' || peek() == ':') {
      word += rest_.front();
      rest_.remove_prefix(1);
    }
    if (word == "true" || word == "false") return {word == "true"};
    if (const auto number = integer(word)) return {*number};
    fail(word.empty() ? "expected a value" : "'" + word + "' is no integer, string, true or false");
    return {false};
  }

  static std::optional<TomlInteger> integer(std::string_view word) {
    TomlInteger number;
    if (word.starts_with('+') || word.starts_with('-')) {
      number.negative = word.front() == '-';
      word.remove_prefix(1);
    }
    unsigned base = 10;
    if (word.size() > 2 && word[0] == '0') {
      base = word[1] == 'x' ? 16 : word[1] == 'o' ? 8 : word[1] == 'b' ? 2 : 10;
      if (base != 10) word.remove_prefix(2);
    }
    bool digit_before = false;
    if (word.empty()) return std::nullopt;
    for (const char c : word) {
      if (c == '_' && digit_before) {
        digit_before = false;
        continue;
      }
      const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                             : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                             : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A') + 10
                                                    : base;
      if (digit >= base) return std::nullopt;
      if (number.magnitude > (std::numeric_limits<uint64_t>::max() - digit) / base) return std::nullopt;
      number.magnitude = number.magnitude * base + digit;
      digit_before = true;
    }
    if (!digit_before) return std::nullopt;
    return number;
  }

  TomlList read_list(unsigned depth) {
    TomlList list;
    for (skip_lines(); !failed_ && !accept(']'); skip_lines()) {
      if (!list.empty()) {
        expect(',');
        skip_lines();
        if (accept(']')) break;
      }
      list.push_back(read_value(depth + 1));
    }
    return list;
  }

  TomlTable read_inline_table(unsigned depth) {
    TomlTable table;
    for (skip_blanks(); !failed_ && !accept('}'); skip_blanks()) {
      if (!table.empty()) expect(',');
      const std::string key = read_key();
      expect('=');
      if (failed_) break;
      if (find(table, key) != nullptr) fail("'" + key + "' stands here twice");
      table.push_back({key, read_value(depth + 1)});
    }
    return table;
  }

  std::string read_string() {
    const char quote = rest_.front();
    const std::string three(3, quote);
    if (rest_.starts_with(three)) {
      rest_.remove_prefix(3);
      if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
      if (accept('\n')) ++line_;
      return read_characters(quote, three);
    }
    rest_.remove_prefix(1);
    return read_characters(quote, std::string_view(three).substr(0, 1));
  }

  std::string read_characters(char quote, std::string_view end) {
    std::string out;
    while (!failed_ && !rest_.starts_with(end)) {
      if (rest_.empty() || (peek() == '\n' && end.size() == 1)) {
        fail("the string does not end");
        break;
      }
      if (peek() == '\n') ++line_;
      if (quote == '"' && accept('\\')) {
        read_escape(out, end.size() == 3);
        continue;
      }
      out += rest_.front();
      rest_.remove_prefix(1);
    }
    if (!failed_) rest_.remove_prefix(end.size());
    return out;
  }

  void read_escape(std::string& out, bool several_lines) {
    constexpr std::string_view letters = "btnfr\"\\", meanings = "\b\t\n\f\r\"\\";
    const char c = peek();
    if (const std::size_t at = letters.find(c); at != letters.npos && c != '\0') {
      out += meanings[at];
      rest_.remove_prefix(1);
    } else if (several_lines && (c == '\n' || c == '\r' || c == ' ' || c == '\t')) {
      while (peek() == '\n' || peek() == '\r' || peek() == ' ' || peek() == '\t') {
        if (peek() == '\n') ++line_;
        rest_.remove_prefix(1);
      }
    } else {
      fail("the escape in the string is none of \\b \\t \\n \\f \\r \\\" \\\\");
    }
  }

  std::string_view rest_;
  unsigned line_ = 1;
  std::optional<std::string> failed_;
};

}  // namespace

const TomlTable* TomlValue::table() const { return std::get_if<TomlTable>(&is); }
const std::string* TomlValue::text() const { return std::get_if<std::string>(&is); }

const TomlValue* find(const TomlTable& table, std::string_view key) {
  const auto found = std::ranges::find(table, key, &TomlEntry::key);
  return found == table.end() ? nullptr : &found->value;
}

std::string shown(const TomlValue& value) {
  if (const auto* number = std::get_if<TomlInteger>(&value.is))
    return (number->negative ? "-" : "") + std::to_string(number->magnitude);
  if (const auto* flag = std::get_if<bool>(&value.is)) return *flag ? "true" : "false";
  if (const std::string* text = value.text()) return "'" + *text + "'";
  std::string out;
  if (const auto* list = std::get_if<TomlList>(&value.is)) {
    for (const TomlValue& one : *list) out += (out.empty() ? "" : ", ") + shown(one);
    return '[' + out + ']';
  }
  for (const auto& [key, inner] : *value.table())
    out += (out.empty() ? "'" : ", '") + key + "': " + shown(inner);
  return '{' + out + '}';
}

Result<TomlTable> read_toml(std::string_view text) { return Reader(text).read(); }

}  // namespace heddle
