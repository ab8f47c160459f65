// The option tables of nvcc and its companions (spec/driver), and reading command lines with them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.h"

namespace heddle::driver {

enum class OptionKind : uint8_t { flag, value, list, words };

struct NumberRange {
  int64_t least = 0, most = 0;
};

struct OptionRecord {
  std::string_view name, short_name;
  std::span<const std::string_view> aliases;
  OptionKind kind = OptionKind::flag;
  bool joined = false;
  bool keeps_quotes = false;  // of a list: its quotes are the value's own
  std::string_view value;
  std::span<const std::string_view> values;
  std::optional<NumberRange> number;
  std::string_view default_value;
  std::span<const std::string_view> implies;
  std::string_view help, without_effect, refused;
  std::string_view group;
};

struct OptionGroup {
  std::string_view name, title;
};

struct OptionTable {
  std::string_view program;
  std::span<const OptionRecord> records;
  std::span<const OptionGroup> groups;
  std::string help(std::string_view usage) const;
};

// A command line that fits its table. `Opt` is the table's enumeration.
class CommandLine {
 public:
  // What an argument that is no known option means.
  enum class Unknown : uint8_t { error, keep };

  // The error has no program's name in front: "Unknown option '-foo'".
  static Result<CommandLine> parse(const OptionTable& table, std::span<const std::string> words);

  template <class Opt>
  bool has(Opt option) const {
    return has_index(static_cast<std::size_t>(option));
  }
  // The last one; of lists the last item.
  template <class Opt>
  std::optional<std::string> value(Opt option) const {
    return value_index(static_cast<std::size_t>(option));
  }
  template <class Opt>
  std::vector<std::string> values(Opt option) const {
    return values_index(static_cast<std::size_t>(option));
  }
  // Of an option whose value is a number.
  template <class Opt>
  std::optional<int64_t> number(Opt option) const {
    const std::optional<std::string> given = value(option);
    return given ? std::optional(std::stoll(*given)) : std::nullopt;
  }
  // Of an option whose values are true and false.
  template <class Opt>
  bool is_true(Opt option, bool otherwise) const {
    const std::optional<std::string> given = value(option);
    return given ? *given == "true" : otherwise;
  }
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  friend class CommandLineReader;
  bool has_index(std::size_t option) const;
  std::optional<std::string> value_index(std::size_t option) const;
  std::vector<std::string> values_index(std::size_t option) const;
  const OptionTable* table_ = nullptr;
  std::vector<std::pair<std::size_t, std::string>> given_;
  std::vector<std::string> inputs_, unknown_;
};

// As C writes whole numbers, and of 32 bits: nvcc reads all of its numbers so, and nothing at all as 0.
Result<int64_t> read_number(const std::string& text);

// Options in files, as @FILE and behind --options-file: words between blanks, quotes keep blanks, a backslash
// keeps the next character, # begins a comment at a line's start.
std::vector<std::string> split_words(std::string_view text);
// @FILE and --options-file replaced by what is in the files, which may name others.
Result<std::vector<std::string>> expand_files(const OptionTable& table, std::vector<std::string> words);

}  // namespace heddle::driver
