// The part of TOML that records of devices and the configuration file use: tables, inline tables, strings,
// integers, true and false, lists of those. What is not in it (floats, dates, tables in lists) is an error
// that says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/result.h"

namespace heddle {

struct TomlValue;
struct TomlEntry;
using TomlTable = std::vector<TomlEntry>;  // in the order of the text
using TomlList = std::vector<TomlValue>;

struct TomlInteger {
  bool negative = false;
  uint64_t magnitude = 0;
};

struct TomlValue {
  std::variant<TomlInteger, bool, std::string, TomlList, TomlTable> is;

  const TomlTable* table() const;
  const std::string* text() const;
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

const TomlValue* find(const TomlTable&, std::string_view key);
// As an error shows it: 15, 'text', [1, 2], true, {'a': 1}.
std::string shown(const TomlValue&);

// The error: "line 3: expected a value".
Result<TomlTable> read_toml(std::string_view text);

}  // namespace heddle
