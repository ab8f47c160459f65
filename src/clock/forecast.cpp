#include "clock/forecast.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
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

}  // namespace

std::string text(const ForecastLine& line) {
  std::string all = std::to_string(line.launch) + '\t' + line.kernel + '\t' + line.device + '\t' +
                    std::to_string(line.blocks) + '\t' + std::to_string(line.threads) + '\t' +
                    decimal(line.nanoseconds) + '\t' + line.bound + '\t' + decimal(line.busy) + '\t' +
                    decimal(line.simulated) + '\t' + line.obstacle;
  for (char& c : all)
    if (c == '\n') c = ' ';
  return all + '\n';
}

bool parse(std::string_view line, ForecastLine& to) {
  std::array<std::string_view, 10> fields;
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
  return number(fields[0], to.launch) && number(fields[3], to.blocks) && number(fields[4], to.threads) &&
         number(fields[5], to.nanoseconds) && number(fields[7], to.busy) && number(fields[8], to.simulated);
}

class Forecast::Watch final : public runtime::LaunchWatch {
 public:
  Watch(Forecast& forecast, const runtime::LaunchFacts& facts) : forecast_(forecast) {
    line_.kernel = exec::readable_name(facts.kernel.function().name);
    line_.launch = facts.grid_id;
    line_.blocks = facts.launch.shape.grid.count();
    line_.threads = facts.launch.shape.block.count();
    for (const timing::Machine& machine : forecast.machines_) {
      launches_.push_back(std::make_unique<PredictedLaunch>(machine, forecast.programs_, facts));
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
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      ForecastLine line = line_;
      line.device = forecast_.machines_[i].device->id;
      line.obstacle = launches_[i]->obstacle();
      if (line.obstacle.empty()) {
        const timing::Prediction p = launches_[i]->predict();
        line.nanoseconds = p.nanoseconds;
        line.bound = name(p.bound);
        line.busy = p.busy;
        line.simulated = p.operations == 0 ? 1
                                           : static_cast<double>(p.simulated_operations) /
                                                 static_cast<double>(p.operations);
      }
      forecast_.write(line);
    }
  }

 private:
  Forecast& forecast_;
  ForecastLine line_;
  std::vector<std::unique_ptr<PredictedLaunch>> launches_;
  std::vector<observe::Observer*> observers_;
  std::optional<observe::Several> several_;
};

runtime::Outcome<std::shared_ptr<Forecast>> Forecast::create(std::string_view setting) {
  const auto wrong = [](const std::string& what) {
    return runtime::error(runtime::ErrorCode::invalid_value, std::string(forecast_variable) + ": " + what);
  };
  const std::size_t colon = setting.rfind(':');
  if (colon == setting.npos) return wrong("'" + std::string(setting) + "' is no FILE:DEVICE,DEVICE,...");
  std::vector<timing::Machine> machines;
  for (std::string_view rest = setting.substr(colon + 1); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto device = arch::find_device(rest.substr(0, comma));
    if (!device) return wrong(device.error().message);
    const auto machine = timing::make_machine(**device);
    if (!machine) return wrong("nothing is known of the times of " + arch::describe(**device));
    machines.push_back(*machine);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  const std::string path(setting.substr(0, colon));
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) return wrong("'" + path + "' cannot be written: " + std::strerror(errno));
  return std::make_shared<Forecast>(file, std::move(machines));
}

std::unique_ptr<runtime::LaunchWatch> Forecast::launch(const runtime::LaunchFacts& facts) {
  return std::make_unique<Watch>(*this, facts);
}

void Forecast::write(const ForecastLine& line) {
  const std::string all = text(line);
  const std::lock_guard lock(mutex_);
  std::fwrite(all.data(), 1, all.size(), file_);
  std::fflush(file_);  // a program may end in any way
}

}  // namespace heddle::clock
