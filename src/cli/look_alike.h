// The command lines of programs that stand in for NVIDIA's profilers: links to bin/heddle (main.cpp).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "cli/command.h"
#include "support/result.h"

namespace heddle::cli {

struct ToolOption {
  enum class Use : uint8_t {
    used,
    without_effect,  // taken, and nothing here depends on it
    refused,
  };
  std::string_view name, letter;  // "--kernel-name", "-k"; no letter: empty
  std::string_view value;         // what its value is called; empty: a switch
  std::string_view help;          // of one that is refused: why
  Use use = Use::used;
};

struct ToolLine {
  std::map<std::string_view, std::vector<std::string>> options;  // by name
  std::vector<std::string> program;                              // and its arguments
  bool has(std::string_view option) const { return options.contains(option); }
  std::string value(std::string_view option, std::string_view otherwise = "") const {
    const auto found = options.find(option);
    return found == options.end() ? std::string(otherwise) : found->second.back();
  }
};
// Options come before the program.
Result<ToolLine> read_line(std::span<const ToolOption> table, std::span<const std::string_view> words);
std::string help_text(std::span<const ToolOption> table);

// The first that a program would see, for what is asked without one.
const arch::Device& device_of_environment();

int run_nvprof(std::span<const std::string_view> words, Console& console);
int run_ncu(std::string_view called, std::span<const std::string_view> words, Console& console);

}  // namespace heddle::cli
