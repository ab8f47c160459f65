#include "driver/option.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>

namespace heddle::driver {

namespace {

constexpr std::size_t width = 78;

bool is_named(const OptionRecord& record, std::string_view name) {
  return record.name == name || (!record.short_name.empty() && record.short_name == name) ||
         std::find(record.aliases.begin(), record.aliases.end(), name) != record.aliases.end();
}

std::string quote(std::string_view text) { return '\'' + std::string(text) + '\''; }

// "a,b,[c,d]" at its commas, but not at those in brackets or double quotes. Quotes go, unless they are part
// of what is said (a macro's value); a backslash goes from before what it protects.
std::vector<std::string> split_list(std::string_view text, bool keeps_quotes) {
  std::vector<std::string> items(1);
  int depth = 0;
  char open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (keeps_quotes && c == '\\' && i + 1 < text.size()) {
      items.back() += text[++i];
      continue;
    }
    if (open != 0) {
      if (c == open) {
        open = 0;
        if (keeps_quotes) items.back() += c;
        continue;
      }
    } else if ((c == '\'' && !keeps_quotes) || (c == '"' && (i == 0 || text[i - 1] != '\\'))) {
      open = c;
      if (keeps_quotes) items.back() += c;
      continue;
    } else if (c == '[' || c == '(') {
      ++depth;
    } else if (c == ']' || c == ')') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      items.emplace_back();
      continue;
    }
    items.back() += c;
  }
  std::erase(items, "");
  return items;
}

// A double quote that nothing closes.
bool is_open(std::string_view text) {
  bool open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      open = !open;
  }
  return open;
}

// Nothing when the number may be the option's value.
std::string out_of_range(const OptionRecord& record, int64_t number) {
  const auto [least, most] = *record.number;
  if (number >= least && number <= most) return "";
  std::string name = "--" + std::string(record.name);
  if (!record.short_name.empty() && record.short_name != record.name)
    name += " (-" + std::string(record.short_name) + ')';
  const std::string range = most != std::numeric_limits<int32_t>::max()
                                ? "between [" + std::to_string(least) + '-' + std::to_string(most) + ']'
                            : least == 0 ? "non-negative"
                                         : "greater than " + std::to_string(least - 1);
  return "Argument for " + name + " must be " + range;
}

void wrap(std::string& out, std::string_view text, std::size_t indent) {
  std::size_t column = 0;
  while (!text.empty()) {
    std::size_t end = text.find(' ');
    if (end == std::string_view::npos) end = text.size();
    if (column == 0 || column + 1 + end > width) {
      if (column != 0) out += '\n';
      out += std::string(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  out += '\n';
}

}  // namespace

Result<int64_t> read_number(const std::string& text) {
  errno = 0;
  char* end = nullptr;
  const long long number = std::strtoll(text.c_str(), &end, 0);
  if (end != text.c_str() + text.size()) return Error{quote(text) + ": expected a number"};
  constexpr std::numeric_limits<int32_t> range;
  if (errno == ERANGE || number < range.min() || number > range.max())
    return Error{"32-bit integer value (" + text + ") out of range"};
  return number;
}

std::string OptionTable::help(std::string_view usage) const {
  std::string out(usage);
  for (const OptionGroup& group : groups) {
    out += '\n' + std::string(group.title) + '\n' + std::string(group.title.size(), '=') + "\n";
    for (const OptionRecord& record : records) {
      if (record.group != group.name) continue;
      std::string names = "--" + std::string(record.name);
      if (record.kind != OptionKind::flag) names += " <" + std::string(record.value) + '>';
      if (record.kind == OptionKind::list) names += ",...";
      const std::string_view brief = record.short_name.empty() ? record.name : record.short_name;
      if (names.size() < 52) names.resize(52, ' ');
      out += '\n' + names + "(-" + std::string(brief) + ")\n";
      std::string text(record.help);
      if (!record.values.empty()) {
        text += " Allowed values:";
        for (const std::string_view value : record.values) text += ' ' + quote(value);
        text += '.';
      }
      if (!record.default_value.empty()) text += " Default value: " + quote(record.default_value) + '.';
      if (!record.without_effect.empty()) text += " No effect: " + std::string(record.without_effect) + '.';
      if (!record.refused.empty()) text += " Not possible: " + std::string(record.refused) + '.';
      wrap(out, text, 8);
    }
  }
  return out;
}

class CommandLineReader {
 public:
  CommandLineReader(const OptionTable& table, std::span<const std::string> words)
      : table_(table), words_(words) {
    line_.table_ = &table;
  }

  Result<CommandLine> read() {
    for (next_ = 0; next_ < words_.size();) {
      const std::string& word = words_[next_++];
      if (word.size() < 2 || word[0] != '-') {
        if (!word.empty()) line_.inputs_.push_back(word);
      } else if (!option(word)) {
        return Error{error_};
      }
    }
    return std::move(line_);
  }

 private:
  bool option(const std::string& word) {
    const std::string_view name = std::string_view(word).substr(word[1] == '-' ? 2 : 1);
    const std::size_t equals = name.find('=');
    for (std::size_t i = 0; i < table_.records.size(); ++i) {
      const OptionRecord& record = table_.records[i];
      if (is_named(record, name)) return value(i, word, std::nullopt);
      if (equals != std::string_view::npos && is_named(record, name.substr(0, equals)))
        return value(i, word.substr(0, word.size() - name.size() + equals),
                     std::string(name.substr(equals + 1)));
    }
    for (std::size_t i = 0; i < table_.records.size(); ++i) {
      const OptionRecord& record = table_.records[i];
      if (record.joined && word[1] != '-' && name.starts_with(record.short_name))
        return value(i, '-' + std::string(record.short_name),
                     std::string(name.substr(record.short_name.size())));
    }
    line_.unknown_.push_back(word);
    return true;
  }

  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  bool value(std::size_t index, const std::string& spelled, std::optional<std::string> given) {
    const OptionRecord& record = table_.records[index];
    if (!record.refused.empty())
      return fail("Option " + quote(spelled) + " is not supported: " + std::string(record.refused));
    if (record.kind == OptionKind::flag) {
      if (given) return fail("no argument expected after " + quote(spelled));
      line_.given_.emplace_back(index, "");
      return imply(record);
    }
    if (!given) {
      if (next_ == words_.size()) return fail("argument expected after " + quote(spelled));
      given = words_[next_++];
    }
    if (record.keeps_quotes && is_open(*given)) return fail("Stray '\"' character");
    if (record.number) {
      const Result<int64_t> number = read_number(*given);
      if (!number) return fail(number.error().message);
      if (std::string problem = out_of_range(record, *number); !problem.empty())
        return fail(std::move(problem));
      given = std::to_string(*number);
    }
    std::vector<std::string> items;
    if (record.kind == OptionKind::list)
      items = split_list(*given, record.keeps_quotes);
    else
      items = {std::move(*given)};
    for (std::string& item : items) {
      const auto& allowed = record.values;
      if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), item) == allowed.end())
        return fail("Value " + quote(item) + " is not defined for option " + quote(record.name));
      line_.given_.emplace_back(index, std::move(item));
    }
    return true;
  }

  bool imply(const OptionRecord& record) {
    for (const std::string_view other : record.implies)
      if (!option(std::string(other))) return false;
    return true;
  }

  const OptionTable& table_;
  std::span<const std::string> words_;
  CommandLine line_;
  std::size_t next_ = 0;
  std::string error_;
};

Result<CommandLine> CommandLine::parse(const OptionTable& table, std::span<const std::string> words) {
  return CommandLineReader(table, words).read();
}

bool CommandLine::has_index(std::size_t option) const {
  return std::any_of(given_.begin(), given_.end(), [&](const auto& one) { return one.first == option; });
}

std::optional<std::string> CommandLine::value_index(std::size_t option) const {
  for (auto one = given_.rbegin(); one != given_.rend(); ++one)
    if (one->first == option) return one->second;
  return std::nullopt;
}

std::vector<std::string> CommandLine::values_index(std::size_t option) const {
  std::vector<std::string> values;
  for (const auto& [index, value] : given_)
    if (index == option) values.push_back(value);
  return values;
}

}  // namespace heddle::driver
