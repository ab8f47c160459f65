// What `heddle predict` asks of a program's process: each launch's time on each of several devices, written
// as lines to a file while the program runs.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "clock/predicted_launch.h"
#include "clock/programs.h"
#include "runtime/system.h"
#include "runtime/watcher.h"
#include "timing/machine.h"
#include "timing/mechanism.h"

namespace heddle::clock {

// HEDDLE_PREDICT: the file, a colon, and the devices with commas between.
inline constexpr const char* forecast_variable = "HEDDLE_PREDICT";
// HEDDLE_PREDICT_HOW: words with blanks between. `first=N`: so many launches of each kernel with each shape;
// `instant`: estimates instead of simulations; `without=NAME`: with that part of the model left out; `parts`:
// also without each part, one at a time.
inline constexpr const char* forecast_how_variable = "HEDDLE_PREDICT_HOW";

// A line of the file. Fields have tabs between.
struct ForecastLine {
  std::string kernel, device;
  uint64_t launch = 0, blocks = 0, threads = 0;
  double nanoseconds = 0;
  std::string bound;  // empty: the device cannot run it
  double busy = 0;
  double simulated = 1;  // part of its operations; the rest is reckoned
  std::string obstacle;
  std::string without;       // parts of the model that were left out
  uint64_t operations = 0;   // of warps, that were simulated
  double run_seconds = 0;    // of the host, until the launch that was watched had ended
  double model_seconds = 0;  // of a processor of the host, for the prediction
};
std::string text(const ForecastLine&);
// False for what is no such line.
bool parse(std::string_view line, ForecastLine&);

// One of the devices, and the same with parts of the model left out.
struct ForecastMachine {
  timing::Machine whole;
  struct Other {
    std::string without;
    timing::Machine machine;
  };
  std::vector<Other> others;
};

struct ForecastHow {
  uint64_t first = 0;  // launches of each kernel with each shape; 0: all
  How how = How::simulated;
  bool parts = false;
  std::vector<const timing::Mechanism*> without;
};

class Forecast final : public runtime::Watcher {
 public:
  static runtime::Outcome<std::shared_ptr<Forecast>> create(std::string_view setting,
                                                            std::string_view how = {});
  Forecast(std::FILE* file, std::vector<ForecastMachine> machines, ForecastHow how)
      : file_(file), machines_(std::move(machines)), how_(std::move(how)) {}
  ~Forecast() override { std::fclose(file_); }
  std::unique_ptr<runtime::LaunchWatch> launch(const runtime::LaunchFacts&) override;

 private:
  class Watch;
  void write(const ForecastLine&);

  std::mutex mutex_;
  std::FILE* const file_;
  const std::vector<ForecastMachine> machines_;
  const ForecastHow how_;
  Programs programs_;
  std::map<std::tuple<std::string, uint64_t, uint64_t>, uint64_t> launched_;  // by kernel, blocks, threads
};

}  // namespace heddle::clock
