#include "driver/nvcc/session.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace heddle::driver::nvcc {

namespace fs = std::filesystem;

Session::Session(const Settings& settings, std::string toolkit)
    : settings_(settings),
      toolkit_(std::move(toolkit)),
      dry_(settings.has(Opt::dryrun)),
      print_(dry_ || settings.has(Opt::verbose)) {}

// The variables that nvcc prints and that build systems read: INCLUDES and LIBRARIES above all.
void Session::announce_environment() const {
  if (!print_) return;
  const auto variable = [&](std::string_view name, const std::string& value) {
    error_output("#$ " + std::string(name) + '=' + value + '\n');
  };
  const auto from_environment = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  const auto at = [&](const char* place) { return (fs::path(toolkit_) / place).string(); };
  for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
    if (const std::string flags = from_environment(name); !flags.empty()) variable(name, '"' + flags + '"');
  variable("_SPACE_", " ");
  variable("_CUDART_", "cudart");
  variable("_HERE_", toolkit_ + "/bin");
  variable("_THERE_", toolkit_ + "/bin");
  variable("_TARGET_SIZE_", "");
  variable("_TARGET_DIR_", "");
  variable("TOP", toolkit_);
  variable("CICC_PATH", at("nvvm/bin"));
  variable("NVVMIR_LIBRARY_DIR", at("nvvm/libdevice"));
  variable("LD_LIBRARY_PATH", toolkit_ + "/lib64:" + from_environment("LD_LIBRARY_PATH"));
  variable("PATH", at("nvvm/bin") + ':' + at("bin") + ':' + from_environment("PATH"));
  variable("INCLUDES", "\"-I" + toolkit_ + "/include\"  ");
  variable("SYSTEM_INCLUDES", "");
  variable("LIBRARIES", "  \"-L" + toolkit_ + "/lib64/stubs\" \"-L" + toolkit_ + "/lib64\"");
  variable("CUDAFE_FLAGS", "");
  variable("PTXAS_FLAGS", "");
}

bool Session::announce(const std::string& command) const {
  if (print_) error_output("#$ " + command + '\n');
  return !dry_;
}

void Session::say(Weight weight, const std::string& text) const {
  if (weight == Weight::warning && settings_.has(Opt::disable_warnings)) return;
  error_output(message("nvcc", weight, text));
}

void Session::error_output(const std::string& text) const {
  std::cout.flush();
  std::cerr << text << std::flush;
}

int Session::show(const frontend::Product& product) {
  int errors = 0;
  for (const std::string& text : product.diagnostics) {
    const bool error = text.find(" error: ") != std::string::npos;
    if (error) ++errors;
    if (shown_.insert(text).second) error_output(text);
  }
  if (!product.log.empty()) error_output(product.log);
  return errors;
}

bool Session::write_times() {
  const auto file = settings_.line.value(Opt::time);
  if (!file || dry_) return true;
  const Status<> written = times_.append_to(*file);
  if (written) return true;
  say(Weight::fatal, written.error().message);
  return fail(exit_failed);
}

bool Session::fail(int status) {
  if (status_ == 0) status_ = status;
  return false;
}

bool Session::keeps() const { return settings_.has(Opt::keep); }

std::string Session::between(const std::string& name) {
  if (keeps()) {
    const std::string folder = settings_.line.value(Opt::keep_dir).value_or("");
    return folder.empty() ? name : (fs::path(folder) / name).string();
  }
  if (dry_) return (fs::temp_directory_path() / ("heddle_nvcc-" + name)).string();
  if (!temporary_) {
    Result<TemporaryFolder> made = TemporaryFolder::make();
    if (!made) {
      if (status_ == 0) say(Weight::fatal, made.error().message);
      fail(exit_failed);
      return name;
    }
    temporary_.emplace(std::move(*made));
  }
  return (fs::path(temporary_->path()) / name).string();
}

bool Session::keep(const std::string& name, const std::string& content) {
  return !keeps() || write(between(name), content);
}

bool Session::write(const std::string& path, const std::string& content) {
  const Status<> written = write_file(path, content);
  if (written) return true;
  say(Weight::fatal, written.error().message);
  return fail(exit_failed);
}

bool Session::execute(const std::vector<std::string>& words) {
  const Result<int> status = run(words);
  if (!status && words[0] == settings_.host_compiler) {
    say(Weight::fatal, "The host compiler '" + words[0] +
                           "', which compiles C++ files and links, cannot be run: " +
                           "install it (Debian: g++), or name another with -ccbin");
    return fail(exit_failed);
  }
  if (!status) {
    say(Weight::fatal, status.error().message);
    return fail(exit_failed);
  }
  if (*status > 128) {
    say(Weight::error, "'" + fs::path(words[0]).filename().string() + "' died due to signal " +
                           std::to_string(*status - 128));
    return fail(*status);
  }
  return *status == 0 || fail(*status);
}

}  // namespace heddle::driver::nvcc
