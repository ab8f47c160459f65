#include "clock/forecast.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

#include "clock/predicted_launch.h"
#include "exec/readable_name.h"
#include "observe/several.h"
#include "runtime/module.h"

namespace heddle::clock {

namespace {

std::string decimal(double value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

template <class Number>
bool number(std::string_view field, Number& to) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), to);
  return error == std::errc() && end == field.data() + field.size();
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

runtime::Outcome<ForecastHow> read_how(std::string_view words) {
  ForecastHow how;
  while (!words.empty()) {
    const std::size_t blank = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, blank);
    words.remove_prefix(std::min(blank + 1, words.size()));
    const std::string_view value = word.substr(std::min(word.find('=') + 1, word.size()));
    const timing::Mechanism* part = timing::find_mechanism(value);
    if (word.starts_with("first=") && number(value, how.first))
      continue;
    else if (word == "instant")
      how.how = How::instant;
    else if (word == "parts")
      how.parts = true;
    else if (word.starts_with("without=") && part != nullptr)
      how.without.push_back(part);
    else if (!word.empty())
      return runtime::error(runtime::ErrorCode::invalid_value,
                            std::string(forecast_how_variable) + ": '" + std::string(word) + "'");
  }
  if (how.how == How::instant) how.parts = false;
  return how;
}

}  // namespace

std::string text(const ForecastLine& line) {
  std::string all = std::to_string(line.launch) + '\t' + line.kernel + '\t' + line.device + '\t' +
                    std::to_string(line.blocks) + '\t' + std::to_string(line.threads) + '\t' +
                    decimal(line.nanoseconds) + '\t' + line.bound + '\t' + decimal(line.busy) + '\t' +
                    decimal(line.simulated) + '\t' + line.obstacle + '\t' + line.without + '\t' +
                    std::to_string(line.operations) + '\t' + decimal(line.run_seconds) + '\t' +
                    decimal(line.model_seconds);
  for (char& c : all)
    if (c == '\n') c = ' ';
  return all + '\n';
}

bool parse(std::string_view line, ForecastLine& to) {
  std::array<std::string_view, 14> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t tab = line.find('\t');
    if ((tab == line.npos) != (i + 1 == fields.size())) return false;
    fields[i] = line.substr(0, tab);
    line.remove_prefix(tab == line.npos ? line.size() : tab + 1);
  }
  to.kernel = fields[1];
  to.device = fields[2];
  to.bound = fields[6];
  to.obstacle = fields[9];
  to.without = fields[10];
  return number(fields[0], to.launch) && number(fields[3], to.blocks) && number(fields[4], to.threads) &&
         number(fields[5], to.nanoseconds) && number(fields[7], to.busy) && number(fields[8], to.simulated) &&
         number(fields[11], to.operations) && number(fields[12], to.run_seconds) &&
         number(fields[13], to.model_seconds);
}

class Forecast::Watch final : public runtime::LaunchWatch {
 public:
  Watch(Forecast& forecast, const runtime::LaunchFacts& facts, ForecastLine line)
      : forecast_(forecast), line_(std::move(line)) {
    for (const ForecastMachine& machine : forecast.machines_) {
      launches_.push_back(
          std::make_unique<PredictedLaunch>(machine.whole, forecast.programs_, facts, forecast.how_.how));
      if (observe::Observer* observer = launches_.back()->observer()) observers_.push_back(observer);
    }
    if (observers_.size() > 1) several_.emplace(observers_);
  }
  observe::Observer* observer() override {
    if (several_) return &*several_;
    return observers_.empty() ? nullptr : observers_.front();
  }
  void ended(const runtime::LaunchEnd& end) override {
    if (end.report == nullptr) return;
    line_.run_seconds = static_cast<double>(end.time.ended - end.time.began) * 1e-9;
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      const ForecastMachine& machine = forecast_.machines_[i];
      PredictedLaunch& launch = *launches_[i];
      line_.device = machine.whole.device->id;
      line_.obstacle = launch.obstacle();
      if (!line_.obstacle.empty()) {
        forecast_.write(line_);
        continue;
      }
      write("", [&] { return launch.predict(); });
      for (const ForecastMachine::Other& other : machine.others)
        write(other.without, [&] { return launch.predict(other.machine); });
    }
  }

 private:
  template <class Predict>
  void write(const std::string& without, Predict predict) {
    const double begin = processor_seconds();
    const timing::Prediction p = predict();
    ForecastLine line = line_;
    line.model_seconds = processor_seconds() - begin;
    line.without = without;
    line.nanoseconds = p.nanoseconds;
    line.bound = name(p.bound);
    line.busy = p.busy;
    line.operations = p.simulated_operations;
    if (p.operations != 0)
      line.simulated = static_cast<double>(p.simulated_operations) / static_cast<double>(p.operations);
    forecast_.write(line);
  }

  Forecast& forecast_;
  ForecastLine line_;
  std::vector<std::unique_ptr<PredictedLaunch>> launches_;
  std::vector<observe::Observer*> observers_;
  std::optional<observe::Several> several_;
};

runtime::Outcome<std::shared_ptr<Forecast>> Forecast::create(std::string_view setting,
                                                             std::string_view words) {
  const auto how = read_how(words);
  if (!how) return how.error();
  const auto wrong = [](const std::string& what) {
    return runtime::error(runtime::ErrorCode::invalid_value, std::string(forecast_variable) + ": " + what);
  };
  const std::size_t colon = setting.rfind(':');
  if (colon == setting.npos) return wrong("'" + std::string(setting) + "' is no FILE:DEVICE,DEVICE,...");
  std::vector<ForecastMachine> machines;
  for (std::string_view rest = setting.substr(colon + 1); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto device = arch::find_device(rest.substr(0, comma));
    if (!device) return wrong(device.error().message);
    const auto machine = timing::make_machine(**device);
    if (!machine) return wrong("nothing is known of the times of " + arch::describe(**device));
    ForecastMachine made{*machine, {}};
    for (const timing::Mechanism* part : how->without) part->leave_out(made.whole);
    if (how->parts)
      for (const timing::Mechanism& part : timing::mechanisms()) {
        made.others.push_back({std::string(part.name), made.whole});
        part.leave_out(made.others.back().machine);
      }
    machines.push_back(std::move(made));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  const std::string path(setting.substr(0, colon));
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) return wrong("'" + path + "' cannot be written: " + std::strerror(errno));
  return std::make_shared<Forecast>(file, std::move(machines), *how);
}

std::unique_ptr<runtime::LaunchWatch> Forecast::launch(const runtime::LaunchFacts& facts) {
  ForecastLine line;
  line.kernel = exec::readable_name(facts.kernel.function().name);
  line.launch = facts.grid_id;
  line.blocks = facts.launch.shape.grid.count();
  line.threads = facts.launch.shape.block.count();
  if (how_.first != 0) {
    const std::lock_guard lock(mutex_);
    if (++launched_[{line.kernel, line.blocks, line.threads}] > how_.first) return nullptr;
  }
  return std::make_unique<Watch>(*this, facts, std::move(line));
}

void Forecast::write(const ForecastLine& line) {
  const std::string all = text(line);
  const std::lock_guard lock(mutex_);
  std::fwrite(all.data(), 1, all.size(), file_);
  std::fflush(file_);  // a program may end in any way
}

}  // namespace heddle::clock
