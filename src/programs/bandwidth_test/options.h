// What bandwidthTest is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::bandwidth_test {

enum class Mode { quick, range, shmoo };
enum class Direction { host_to_device, device_to_host, device_to_device };

struct Options {
  bool help = false, csv = false, pageable = false, write_combined = false, cpu_timing = false;
  Mode mode = Mode::quick;
  std::vector<Direction> directions;  // as they are measured
  std::string device = "0";           // or "all"
  uint32_t start = 0, end = 0, increment = 0;
};

// The error is one line, without the program's name.
Result<Options> read(std::span<char* const> words);

// The sizes in bytes that a mode measures: one; from start to end; from 1 KB to 68 MB in growing steps.
std::vector<uint32_t> sizes(const Options& options);

// The tables of results: for readers, and a line for each size.
std::string table(const Options& options, Direction direction, std::span<const uint32_t> sizes,
                  std::span<const double> gigabytes_per_second, unsigned devices);
std::string lines(const Options& options, Direction direction, std::span<const uint32_t> sizes,
                  std::span<const double> gigabytes_per_second, unsigned devices);

}  // namespace heddle::bandwidth_test
