#include "driver/nvcc/times.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace heddle::driver::nvcc {

namespace {

constexpr const char* headings =
    "source file name , phase name , phase input files , phase output file , arch , tool, metric , unit\n";

std::string line(const TimedStep& step, double milliseconds) {
  char number[32];
  std::snprintf(number, sizeof number, "%.4f", milliseconds);
  return step.source + " , " + step.phase + " , " + step.inputs + " , " + step.output + " , " + step.arch +
         " , nvcc , " + number + " , ms\n";
}

double in_milliseconds(Times::Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

void Times::add(TimedStep step, Clock::duration took) {
  const std::lock_guard lock(mutex_);
  rows_.push_back({std::move(step), in_milliseconds(took)});
}

Status<> Times::append_to(const std::string& file) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  double rest = in_milliseconds(Clock::now() - begin_);
  for (const Row& row : rows_) {
    text += line(row.step, row.milliseconds);
    rest -= row.milliseconds;
  }
  text += line({"", "nvcc (driver)", "", "", ""}, std::max(rest, 0.0));
  if (file == "-") {
    std::cout << headings << text << std::flush;
    return Unit{};
  }
  std::error_code unknown;
  const auto size = std::filesystem::file_size(file, unknown);
  std::ofstream table(file, std::ios::app);
  table << (unknown || size == 0 ? headings : "") << text;
  table.close();
  if (!table) return Error{"Could not write the table of times '" + file + "' (-time)"};
  return Unit{};
}

}  // namespace heddle::driver::nvcc
