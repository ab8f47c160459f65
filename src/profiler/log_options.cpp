#include "profiler/log_options.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace heddle::profiler {

namespace {

// Of the same meaning; the first one that is set counts.
constexpr std::array prefixes{"COMPUTE_PROFILE", "CUDA_PROFILE", "OPENCL_PROFILE"};

std::string variable(const Environment& environment, std::string_view end) {
  for (const char* prefix : prefixes)
    if (const char* value = environment((prefix + std::string(end)).c_str())) return value;
  return "";
}

bool is_on(const std::string& value) { return !value.empty() && value != "0"; }

// The words of a line, without a comment.
std::vector<std::string_view> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t begin = 0; (begin = line.find_first_not_of(blanks, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

const ComputeOption* find_option(std::string_view name) {
  for (const ComputeOption& option : compute_options())
    if (name == option.name || (!option.also.empty() && name == option.also)) return &option;
  return nullptr;
}

void take_setting(const ComputeOption& option, std::string_view value, LogOptions& options) {
  if (option.name == "enableonstart") options.from_start = value != "0";
  if (option.name == "profilelogformat") options.csv = value == "CSV";
}

void take_line(const std::vector<std::string_view>& words, LogOptions& options) {
  const ComputeOption* option = find_option(words[0]);
  if (option == nullptr) {
    if (std::ranges::find(options.counters, words[0]) == options.counters.end())
      options.counters.emplace_back(words[0]);
    return;
  }
  if (!option->values.empty()) {
    const std::string value(words.size() > 1 ? words[1] : "");
    if (value.empty() || option->values.find(' ' + value + ' ') == std::string_view::npos) {
      options.warnings.push_back("Ignoring the profiler config option " + std::string(option->name) +
                                 ": its value is '" + value + "', not one of" +
                                 std::string(option->values.substr(0, option->values.size() - 1)));
      return;
    }
    take_setting(*option, value, options);
    return;
  }
  if (option->place != ColumnPlace::setting) options.options.push_back(option);
}

}  // namespace

bool wants_log(const Environment& environment) { return is_on(variable(environment, "")); }

void read_log_configuration(std::string_view text, LogOptions& options) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto words = words_of(text.substr(0, end)); !words.empty()) take_line(words, options);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::ranges::sort(options.options);  // of one table
  const auto twice = std::ranges::unique(options.options);
  options.options.erase(twice.begin(), twice.end());
}

Result<LogOptions> log_options(const Environment& environment) {
  LogOptions options;
  options.csv = is_on(variable(environment, "_CSV"));
  options.path = variable(environment, "_LOG");
  const std::string configuration = variable(environment, "_CONFIG");
  if (configuration.empty()) return options;
  std::ifstream in(configuration);
  if (!in) return Error{"the configuration '" + configuration + "' cannot be read: " + std::strerror(errno)};
  read_log_configuration(std::string(std::istreambuf_iterator<char>(in), {}), options);
  return options;
}

const Metric* log_counter(std::string_view name, arch::Capability capability) {
  for (const Tool tool : {Tool::compute_profile, Tool::events})
    for (const Metric& metric : all_metrics())
      if (metric.tool == tool && metric.name == name && capability >= metric.since &&
          capability <= metric.until)
        return &metric;
  return nullptr;
}

}  // namespace heddle::profiler
