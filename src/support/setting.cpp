#include "support/setting.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "support/spelling.h"
#include "support/toml.h"

namespace heddle {

namespace {

// Of docs/reference/environment.md, those that are Heddle's own and not only for tests of it.
constexpr std::array<std::string_view, 15> known{
    "device",   "devices", "driver_version", "kernel_timeout", "memory",
    "bounds",   "quiet",   "executor",       "threads",        "trace",
    "jit_tier", "jit_cpu", "cache_dir",      "cache_size",     "state_dir"};

struct Settings {
  SettingValues values;
  Status<> state = Unit{};
};

// "gtx480", 3, true, ["h200", "h200"] as a variable of the environment would have it.
std::string as_variable(const TomlValue& value) {
  if (value.text() != nullptr) return *value.text();
  if (const auto* flag = std::get_if<bool>(&value.is)) return *flag ? "1" : "0";
  if (const auto* list = std::get_if<TomlList>(&value.is)) {
    std::string out;
    for (const TomlValue& one : *list) out += (out.empty() ? "" : ",") + as_variable(one);
    return out;
  }
  return shown(value);
}

Settings read(const std::string& file) {
  if (file.empty()) return {};
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in) return {{}, Error{file + ": cannot be read"}};
  auto values = read_settings(text.str());
  if (!values) return {{}, Error{file + ": " + values.error().message}};
  return {std::move(*values), Unit{}};
}

const Settings& settings() {
  static const auto& all =
      *new Settings(read(settings_file([](const char* name) -> const char* { return std::getenv(name); })));
  return all;
}

}  // namespace

std::string settings_file(const std::function<const char*(const char*)>& environment) {
  const auto value = [&](const char* name) -> std::string {
    const char* text = environment(name);
    return text == nullptr ? "" : text;
  };
  if (environment("HEDDLE_CONFIG") != nullptr) return value("HEDDLE_CONFIG");
  const std::string name = "heddle/config.toml";
  std::array<std::string, 2> files;
  if (!value("XDG_CONFIG_HOME").empty())
    files[0] = value("XDG_CONFIG_HOME") + '/' + name;
  else if (!value("HOME").empty())
    files[0] = value("HOME") + "/.config/" + name;
  files[1] = "/etc/" + name;
  for (const std::string& file : files) {
    if (!file.empty() && access(file.c_str(), R_OK) == 0) return file;
  }
  return {};
}

Result<SettingValues> read_settings(std::string_view text) {
  auto table = read_toml(text);
  if (!table) return Error{table.error()};
  SettingValues values;
  for (const TomlEntry& entry : *table) {
    NearestWord nearest(entry.key);
    for (const std::string_view name : known) nearest.consider(name);
    if (std::ranges::find(known, entry.key) == known.end()) {
      std::string message = entry.key + ": unknown key";
      if (!nearest.best().empty()) message += "; did you mean '" + std::string(nearest.best()) + "'?";
      return Error{std::move(message)};
    }
    if (entry.value.table() != nullptr) return Error{entry.key + ": expected a value, got a table"};
    std::string variable = "HEDDLE_";
    for (const char c : entry.key) variable += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    values[variable] = as_variable(entry.value);
  }
  return values;
}

const char* setting(const char* variable) {
  if (const char* text = std::getenv(variable)) return text;
  const auto& values = settings().values;
  const auto found = values.find(std::string_view(variable));
  return found == values.end() ? nullptr : found->second.c_str();
}

const Status<>& settings_state() { return settings().state; }

}  // namespace heddle
