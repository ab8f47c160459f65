#include "clock/attach.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "clock/device_clock.h"
#include "clock/forecast.h"
#include "runtime/process_system.h"

namespace heddle::clock {

namespace {

using Made = runtime::Outcome<std::shared_ptr<runtime::Watcher>>;

Made make_clock(runtime::System& system) {
  const char* text = std::getenv("HEDDLE_CLOCK");
  if (text == nullptr || *text == '\0' || std::string_view(text) == "host") return Made(nullptr);
  if (std::string_view(text) != "device")
    return runtime::invalid("HEDDLE_CLOCK: '" + std::string(text) + "' is neither host nor device");
  auto clock = DeviceClock::create(system);
  if (!clock) return clock.error();
  return Made(std::move(*clock));
}

Made make_forecast(runtime::System&) {
  const char* text = std::getenv(forecast_variable);
  if (text == nullptr || *text == '\0') return Made(nullptr);
  const char* how = std::getenv(forecast_how_variable);
  auto forecast = Forecast::create(text, how == nullptr ? "" : how);
  if (!forecast) return forecast.error();
  return Made(std::move(*forecast));
}

}  // namespace

void attach() {
  runtime::offer_watcher(make_clock);
  runtime::offer_watcher(make_forecast);
}

}  // namespace heddle::clock
