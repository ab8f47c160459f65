// What a user sets: a variable of the environment, or else a key of the configuration file. HEDDLE_DEVICE is
// there `device` (docs/reference/environment.md).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "support/result.h"

namespace heddle {

// nullptr: not set. What is returned stays for ever.
const char* setting(const char* variable);

// Why the configuration file cannot be read; good when there is none.
const Status<>& settings_state();

// Of a configuration file's text, by variable as the environment would have them. The error names the key.
using SettingValues = std::map<std::string, std::string, std::less<>>;
Result<SettingValues> read_settings(std::string_view text);

// The file that a process with such an environment reads; empty: none.
std::string settings_file(const std::function<const char*(const char*)>& environment);

}  // namespace heddle
