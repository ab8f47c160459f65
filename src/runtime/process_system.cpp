#include "runtime/process_system.h"

#include <cstdio>
#include <cstdlib>

namespace heddle::runtime {

namespace {

void write_to(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

Outcome<System*> make() {
  auto options = options_from_environment([](const char* name) { return std::getenv(name); });
  if (!options) return options.error();
  options->print = [](std::string_view text) { write_to(stdout, text); };
  options->print_error = [](std::string_view text) { write_to(stderr, text); };
  auto system = System::create(std::move(*options));
  if (!system) return system.error();
  return std::move(*system).release();
}

}  // namespace

Outcome<System*> process_system() {
  static const auto& system = *new Outcome<System*>(make());
  return system;
}

}  // namespace heddle::runtime
