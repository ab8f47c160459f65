#include "runtime/process_system.h"

#include <cstdio>
#include <utility>
#include <vector>

#include "support/setting.h"

namespace heddle::runtime {

namespace {

void write_to(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

std::vector<MakeWatcher>& offered() {
  static auto& all = *new std::vector<MakeWatcher>;
  return all;
}

Outcome<System*> make() {
  if (const Status<>& settings = settings_state(); !settings)
    return error(ErrorCode::invalid_value, settings.error().message);
  auto options = options_from_environment(setting);
  if (!options) return options.error();
  options->seen_by_others = true;
  options->print = [](std::string_view text) { write_to(stdout, text); };
  options->print_error = [](std::string_view text) { write_to(stderr, text); };
  auto system = System::create(std::move(*options));
  if (!system) return system.error();
  for (const MakeWatcher& make : offered()) {
    auto watcher = make(**system);
    if (!watcher) return watcher.error();
    if (*watcher != nullptr) (*system)->watchers().add(std::move(*watcher));
  }
  return std::move(*system).release();
}

}  // namespace

void offer_watcher(MakeWatcher make) { offered().push_back(std::move(make)); }

Outcome<System*> process_system() {
  static const auto& system = *new Outcome<System*>(make());
  return system;
}

}  // namespace heddle::runtime
