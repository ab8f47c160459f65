#include "frontend/opencl/options.h"

#include <charconv>

#include "frontend/opencl/options.gen.h"

namespace heddle::frontend::opencl {

namespace {

Result<std::vector<std::string>> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false, any = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      inside = !inside;
      any = true;
    } else if (c == '\\' && i + 1 < text.size() &&
               (text[i + 1] == '"' || text[i + 1] == '\\' || text[i + 1] == ' ')) {
      word += text[++i];
      any = true;
    } else if (!inside && (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f')) {
      if (any) words.push_back(std::move(word));
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (inside) return Error{"a quote in the build options is not closed"};
  if (any) words.push_back(std::move(word));
  return words;
}

const OptionRow* find_option(std::string_view word) {
  for (const OptionRow& row : option_rows) {
    if (word == row.name && row.value != Value::joined) return &row;
    if (row.value == Value::joined && word.starts_with(row.name)) return &row;
    if (row.value != Value::either || !word.starts_with(row.name)) continue;
    // "-Dname", "-I/folder", but "-cl-nv-opt-level=3": long names want the sign.
    if (row.name.size() == 2 || word[row.name.size()] == '=') return &row;
  }
  return nullptr;
}

bool is_one_of(std::string_view value, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    if (list.substr(0, end) == value) return true;
    if (end == std::string_view::npos) break;
    list.remove_prefix(end + 1);
  }
  return false;
}

std::string mean(Options& options, Meaning meaning, uint32_t number) {
  OpenClSettings& settings = options.settings;
  switch (meaning) {
    case Meaning::nothing: break;
    case Meaning::correctly_rounded: settings.correctly_rounded = true; break;
    case Meaning::no_optimization: settings.optimization = 0; break;
    case Meaning::argument_info: settings.argument_info = true; break;
    case Meaning::create_library: settings.create_library = true; break;
    case Meaning::verbose: settings.verbose = true; break;
    case Meaning::most_registers: settings.most_registers = number; break;
    case Meaning::optimization:
      if (number > 3) return "is " + std::to_string(number) + ", at most 3 is possible";
      settings.optimization = number;
  }
  return {};
}

}  // namespace

Result<Options> read_options(std::string_view text) {
  auto words = words_of(text);
  if (!words) return words.error();
  Options options;
  for (std::size_t i = 0; i < words->size(); ++i) {
    const std::string& word = (*words)[i];
    const OptionRow* row = find_option(word);
    if (row == nullptr) return Error{"unknown build option '" + word + "'"};
    std::string value;
    if (row->value != Value::none) {
      value = word.substr(row->name.size());
      if (row->value == Value::either && row->name.size() > 2 && value.starts_with('=')) value.erase(0, 1);
      if (value.empty() && row->value == Value::either) {
        if (i + 1 == words->size()) return Error{"build option '" + word + "' needs a value"};
        value = (*words)[++i];
      }
      if (!row->values.empty() && !is_one_of(value, row->values))
        return Error{"build option '" + word + "': '" + value + "' is none of " + std::string(row->values)};
    }
    uint32_t number = 0;
    if (row->number) {
      const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (failed != std::errc() || end != value.data() + value.size())
        return Error{"build option '" + word + "': '" + value + "' is no number"};
    }
    if (const std::string problem = mean(options, row->means, number); !problem.empty())
      return Error{"build option '" + std::string(row->name) + "' " + problem};
    for (const std::string_view given : row->clang) {
      if (given.empty()) continue;
      std::string argument(given);
      if (const std::size_t place = argument.find("{}"); place != std::string::npos)
        argument.replace(place, 2, value);
      if (argument.starts_with("-cl-std="))
        options.standard = value;
      else
        options.clang.push_back(std::move(argument));
    }
  }
  return options;
}

}  // namespace heddle::frontend::opencl
