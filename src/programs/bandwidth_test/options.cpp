#include "programs/bandwidth_test/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

namespace heddle::bandwidth_test {

namespace {

constexpr uint32_t quick_bytes = 32'000'000;

struct Steps {
  uint32_t to, by;
};
constexpr std::array<Steps, 7> shmoo{{{20'000, 1'000},
                                      {50'000, 2'000},
                                      {100'000, 10'000},
                                      {1'000'000, 100'000},
                                      {16'000'000, 1'000'000},
                                      {32'000'000, 2'000'000},
                                      {68'000'000, 4'000'000}}};

Result<uint32_t> bytes_of(std::string_view name, std::string_view text) {
  uint32_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value == 0)
    return Error{"--" + std::string(name) + "=" + std::string(text) +
                 ": a number of bytes from 1 to 4294967295 is expected"};
  return value;
}

std::string_view name_of(Direction direction) {
  switch (direction) {
    case Direction::host_to_device: return "Host to Device";
    case Direction::device_to_host: return "Device to Host";
    case Direction::device_to_device: return "Device to Device";
  }
  return {};
}

// The error: the mode lacks one of its numbers.
Status<> check_range(const Options& options) {
  if (options.mode != Mode::range) return Unit{};
  if (options.start == 0 || options.end == 0 || options.increment == 0)
    return Error{"--mode=range needs --start, --end and --increment, each in bytes"};
  if (options.start > options.end)
    return Error{"--start=" + std::to_string(options.start) +
                 " is beyond --end=" + std::to_string(options.end)};
  return Unit{};
}

}  // namespace

Result<Options> read(std::span<char* const> words) {
  Options options;
  const auto wants = [&](Direction direction) {
    if (std::ranges::find(options.directions, direction) == options.directions.end())
      options.directions.push_back(direction);
  };
  for (std::string_view word : words) {
    const std::string_view whole = word;
    while (word.starts_with('-')) word.remove_prefix(1);
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(word.size(), equals + 1));
    const auto number = [&](uint32_t& to) -> Status<> {
      auto bytes = bytes_of(name, value);
      if (!bytes) return bytes.error();
      to = *bytes;
      return Unit{};
    };
    Status<> good = Unit{};
    if (name == "help" || name == "h") {
      options.help = true;
    } else if (name == "csv") {
      options.csv = true;
    } else if (name == "wc") {
      options.write_combined = true;
    } else if (name == "cputiming") {
      options.cpu_timing = true;
    } else if (name == "htod") {
      wants(Direction::host_to_device);
    } else if (name == "dtoh") {
      wants(Direction::device_to_host);
    } else if (name == "dtod") {
      wants(Direction::device_to_device);
    } else if (name == "device") {
      options.device = value;
    } else if (name == "start") {
      good = number(options.start);
    } else if (name == "end") {
      good = number(options.end);
    } else if (name == "increment") {
      good = number(options.increment);
    } else if (name == "memory" && (value == "pinned" || value == "pageable")) {
      options.pageable = value == "pageable";
    } else if (name == "memory") {
      good = Error{"Invalid memory mode - valid modes are pageable or pinned"};
    } else if (name == "mode" && (value == "quick" || value == "range" || value == "shmoo")) {
      options.mode = value == "quick" ? Mode::quick : value == "range" ? Mode::range : Mode::shmoo;
    } else if (name == "mode") {
      good = Error{"Invalid mode - valid modes are quick, range, or shmoo"};
    } else {
      good = Error{"'" + std::string(whole) + "' is not known"};
    }
    if (!good) return good.error();
  }
  if (Status<> good = check_range(options); !good) return good.error();
  if (options.directions.empty())
    options.directions = {Direction::host_to_device, Direction::device_to_host, Direction::device_to_device};
  std::ranges::sort(options.directions);
  return options;
}

std::vector<uint32_t> sizes(const Options& options) {
  if (options.mode == Mode::quick) return {quick_bytes};
  std::vector<uint32_t> all;
  if (options.mode == Mode::range) {
    for (uint64_t bytes = options.start; bytes <= options.end; bytes += options.increment)
      all.push_back(static_cast<uint32_t>(bytes));
    return all;
  }
  uint32_t bytes = 0;
  for (const Steps& steps : shmoo)
    while (bytes < steps.to) all.push_back(bytes += steps.by);
  return all;
}

std::string table(const Options& options, Direction direction, std::span<const uint32_t> sizes,
                  std::span<const double> gigabytes_per_second, unsigned devices) {
  std::string out =
      " " + std::string(name_of(direction)) + " Bandwidth, " + std::to_string(devices) + " Device(s)\n";
  out += options.pageable ? " PAGEABLE Memory Transfers\n" : " PINNED Memory Transfers\n";
  if (options.write_combined) out += " Write-Combined Memory Writes are Enabled";
  out += "   Transfer Size (Bytes)\tBandwidth(GB/s)\n";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::array<char, 96> line{};
    std::snprintf(line.data(), line.size(), "   %u\t\t\t%s%.1f\n", sizes[i], sizes[i] < 10000 ? "\t" : "",
                  gigabytes_per_second[i]);
    out += line.data();
  }
  return out + '\n';
}

std::string lines(const Options& options, Direction direction, std::span<const uint32_t> sizes,
                  std::span<const double> gigabytes_per_second, unsigned devices) {
  std::string what = direction == Direction::device_to_device ? "D2D"
                     : direction == Direction::host_to_device ? "H2D"
                                                              : "D2H";
  if (direction != Direction::device_to_device) {
    what += options.pageable ? "-Paged" : "-Pinned";
    if (!options.pageable && options.write_combined) what += "-WriteCombined";
  }
  std::string out;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::array<char, 192> line{};
    std::snprintf(
        line.data(), line.size(),
        "bandwidthTest-%s, Bandwidth = %.1f GB/s, Time = %.5f s, Size = %u bytes, NumDevsUsed = %u\n",
        what.c_str(), gigabytes_per_second[i], sizes[i] / (gigabytes_per_second[i] * 1e9), sizes[i], devices);
    out += line.data();
  }
  return out;
}

}  // namespace heddle::bandwidth_test
