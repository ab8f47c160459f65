// What `heddle predict` asks of a program's process: each launch's time on each of several devices, written
// as lines to a file while the program runs.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "clock/programs.h"
#include "runtime/system.h"
#include "runtime/watcher.h"
#include "timing/machine.h"

namespace heddle::clock {

// HEDDLE_PREDICT: the file, a colon, and the devices with commas between.
inline constexpr const char* forecast_variable = "HEDDLE_PREDICT";

// A line of the file. Fields have tabs between.
struct ForecastLine {
  std::string kernel, device;
  uint64_t launch = 0, blocks = 0, threads = 0;
  double nanoseconds = 0;
  std::string bound;  // empty: the device cannot run it
  double busy = 0;
  double simulated = 1;  // part of its operations; the rest is reckoned
  std::string obstacle;
};
std::string text(const ForecastLine&);
// False for what is no such line.
bool parse(std::string_view line, ForecastLine&);

class Forecast final : public runtime::Watcher {
 public:
  static runtime::Outcome<std::shared_ptr<Forecast>> create(std::string_view setting);
  Forecast(std::FILE* file, std::vector<timing::Machine> machines)
      : file_(file), machines_(std::move(machines)) {}
  ~Forecast() override { std::fclose(file_); }
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;

 private:
  class Watch;
  void write(const ForecastLine&);

  std::mutex mutex_;
  std::FILE* const file_;
  const std::vector<timing::Machine> machines_;
  Programs programs_;
};

}  // namespace heddle::clock
