// The formatting of device printf (CUDA C++ Programming Guide 10.33): conversions as in C, arguments as a
// device's vprintf lays them out in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::exec {

// "up to 32 arguments in addition to the format string; any beyond are ignored and their specifiers are
// printed as they are".
inline constexpr int printf_argument_limit = 32;

struct PrintfSource {
  // The next argument: `bytes` (4 or 8) at the next place aligned to that size. Nothing after a fault.
  std::function<std::optional<uint64_t>(unsigned bytes)> argument;
  // The string at a device address. Nothing after a fault.
  std::function<std::optional<std::string>(uint64_t address)> text;
  unsigned pointer_bytes = 8;
  unsigned long_bytes = 8;  // of %ld
  int most_arguments = printf_argument_limit;
};

struct PrintfResult {
  std::string text;
  int arguments = 0;  // what the device's printf returns
};

// Nothing when an argument could not be read.
std::optional<PrintfResult> format_printf(std::string_view format, const PrintfSource& source);

}  // namespace heddle::exec
