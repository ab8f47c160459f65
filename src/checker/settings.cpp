#include "checker/settings.h"

#include <algorithm>
#include <charconv>

#include "checker/place_text.h"

namespace heddle::checker {

namespace {

// Semicolons and percent signs of names.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == ';' ? "%3b" : c == '%' ? "%25" : std::string(1, c);
  return out;
}
std::string unquoted(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "%3b")
      out += ';', i += 2;
    else if (text.substr(i, 3) == "%25")
      out += '%', i += 2;
    else
      out += text[i];
  }
  return out;
}

std::string short_name(const std::string& kernel) {
  const std::string text = function_text(kernel);
  return text.substr(0, text.find_first_of("(<"));
}

}  // namespace

std::string Settings::text() const {
  std::string out = "pipe=" + std::to_string(pipe);
  const auto flag = [&](const char* name, bool on) { out += std::string(";") + name + (on ? "=1" : "=0"); };
  flag("memcheck", memcheck), flag("racecheck", racecheck), flag("initcheck", initcheck);
  flag("synccheck", synccheck), flag("fpcheck", fpcheck), flag("intcheck", intcheck), flag("leaks", leaks),
      flag("api", api_errors);
  flag("hazards", hazards), flag("analysis", analysis);
  flag("fail", launches_fail), flag("stay", contexts_stay), flag("shared", shared_init),
      flag("global", global_init);
  flag("local", local_init);
  flag("early", use_before_alloc), flag("late", use_after_free);
  out += ";shadow=" + std::to_string(shadow_bytes) + ";floats=" + std::to_string(float_kinds) +
         ";skip=" + std::to_string(launch_skip) + ";count=" + std::to_string(launch_count) +
         ";texts=" + std::to_string(error_texts) + ";limit=" + std::to_string(time_limit) +
         ";schedules=" + std::to_string(schedules) + ";seed=" + std::to_string(seed) +
         (seeded ? ";seeded=1" : ";seeded=0") + ";kept=" + std::to_string(schedule_bytes) +
         ";seconds=" + std::to_string(schedule_seconds);
  const auto names = [&](const char* key, const std::vector<std::string>& all) {
    for (const std::string& name : all) out += std::string(";") + key + '=' + quoted(name);
  };
  names("name", kernel_names), names("part", kernel_parts);
  names("noname", exclude_names), names("nopart", exclude_parts);
  return out;
}

Result<Settings, std::string> Settings::from(std::string_view text) {
  Settings s;
  const std::string whole(text);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    uint64_t number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    const bool on = number != 0;
    if (key == "pipe")
      s.pipe = static_cast<int>(number);
    else if (key == "memcheck")
      s.memcheck = on;
    else if (key == "racecheck")
      s.racecheck = on;
    else if (key == "initcheck")
      s.initcheck = on;
    else if (key == "synccheck")
      s.synccheck = on;
    else if (key == "leaks")
      s.leaks = on;
    else if (key == "api")
      s.api_errors = on;
    else if (key == "hazards")
      s.hazards = on;
    else if (key == "analysis")
      s.analysis = on;
    else if (key == "fail")
      s.launches_fail = on;
    else if (key == "stay")
      s.contexts_stay = on;
    else if (key == "shared")
      s.shared_init = on;
    else if (key == "local")
      s.local_init = on;
    else if (key == "global")
      s.global_init = on;
    else if (key == "early")
      s.use_before_alloc = on;
    else if (key == "late")
      s.use_after_free = on;
    else if (key == "fpcheck")
      s.fpcheck = on;
    else if (key == "intcheck")
      s.intcheck = on;
    else if (key == "floats")
      s.float_kinds = static_cast<unsigned>(number);
    else if (key == "shadow")
      s.shadow_bytes = number;
    else if (key == "skip")
      s.launch_skip = number;
    else if (key == "count")
      s.launch_count = number;
    else if (key == "limit")
      s.time_limit = number;
    else if (key == "schedules")
      s.schedules = number;
    else if (key == "seed")
      s.seed = number;
    else if (key == "seeded")
      s.seeded = on;
    else if (key == "kept")
      s.schedule_bytes = number;
    else if (key == "seconds")
      s.schedule_seconds = number;
    else if (key == "texts")
      s.error_texts = number;
    else if (key == "name")
      s.kernel_names.push_back(unquoted(value));
    else if (key == "part")
      s.kernel_parts.push_back(unquoted(value));
    else if (key == "noname")
      s.exclude_names.push_back(unquoted(value));
    else if (key == "nopart")
      s.exclude_parts.push_back(unquoted(value));
    else
      return std::string(settings_variable) + ": '" + std::string(key) +
             "' is not known (set by heddle check)";
  }
  if (s.pipe < 0) return std::string(settings_variable) + ": no pipe is named (it is set by heddle check)";
  return s;
}

bool Settings::wants(const std::string& kernel) const {
  const auto named = [&](const std::vector<std::string>& names, const std::vector<std::string>& parts) {
    if (names.empty() && parts.empty()) return false;
    const std::string name = short_name(kernel);
    return std::ranges::any_of(names, [&](const std::string& n) { return n == kernel || n == name; }) ||
           std::ranges::any_of(parts,
                               [&](const std::string& p) { return kernel.find(p) != std::string::npos; });
  };
  if (named(exclude_names, exclude_parts)) return false;
  return (kernel_names.empty() && kernel_parts.empty()) || named(kernel_names, kernel_parts);
}

}  // namespace heddle::checker
