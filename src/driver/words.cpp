#include <algorithm>

#include "driver/file.h"
#include "driver/option.h"

namespace heddle::driver {

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;  // of a word; an empty pair of quotes is one
  char open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (open == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      inside = false;
      continue;
    }
    if (open == 0 && !inside && c == '#' && (i == 0 || text[i - 1] == '\n')) {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
      continue;
    }
    if (!inside) {
      words.emplace_back();
      inside = true;
    }
    if (c == open) {
      open = 0;
    } else if (open == 0 && (c == '"' || c == '\'')) {
      open = c;
    } else if (c == '\\' && open != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

namespace {

constexpr int deepest = 16;  // files that name files

// The names of --options-file in the table.
bool names_files(const OptionTable& table, std::string_view name) {
  return std::any_of(table.records.begin(), table.records.end(), [&](const OptionRecord& record) {
    return record.name == "options-file" && (record.name == name || record.short_name == name);
  });
}

struct Expansion {
  const OptionTable& table;
  std::vector<std::string> out;
  std::string error;

  bool add_file(const std::string& path, int depth) {
    if (depth > deepest) {
      error = "options files are nested more than " + std::to_string(deepest) + " deep: '" + path + "'";
      return false;
    }
    Result<std::string> text = read_file(path);
    if (!text) {
      error = text.error().message;
      return false;
    }
    return add(split_words(*text), depth + 1);
  }

  bool add(const std::vector<std::string>& words, int depth) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.size() > 1 && word[0] == '@') {
        if (!add_file(word.substr(1), depth)) return false;
        continue;
      }
      if (word.size() > 1 && word[0] == '-') {
        const std::string_view name = std::string_view(word).substr(word[1] == '-' ? 2 : 1);
        const std::size_t equals = name.find('=');
        if (names_files(table, name.substr(0, equals))) {
          if (equals == std::string_view::npos && i + 1 == words.size()) {
            error = "argument expected after '" + word + "'";
            return false;
          }
          const std::string path(equals == std::string_view::npos ? std::string_view(words[++i])
                                                                  : name.substr(equals + 1));
          if (!add_file(path, depth)) return false;
          continue;
        }
      }
      out.push_back(word);
    }
    return true;
  }
};

}  // namespace

Result<std::vector<std::string>> expand_files(const OptionTable& table, std::vector<std::string> words) {
  Expansion expansion{table, {}, {}};
  if (!expansion.add(words, 0)) return Error{expansion.error};
  return std::move(expansion.out);
}

}  // namespace heddle::driver
