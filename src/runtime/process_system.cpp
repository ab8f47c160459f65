#include "runtime/process_system.h"

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

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
  auto options = options_from_environment([](const char* name) { return std::getenv(name); });
  if (!options) return options.error();
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
