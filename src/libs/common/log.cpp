#include "libs/common/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>

namespace heddle::libs {
namespace {

struct Log {
  std::atomic<bool> on{false};
  std::atomic<LogCallback> callback{nullptr};
  std::mutex mutex;
  bool to_output = false, to_error = false;
  std::FILE* file = nullptr;
};
Log& state() {
  static auto* const log = new Log;  // for the process's whole life
  return *log;
}

}  // namespace

bool logging() { return state().on.load(std::memory_order_relaxed); }

void log(const std::string& line, bool) {
  Log& log = state();
  const std::string text = "heddle: " + line + "\n";
  if (const LogCallback callback = log.callback.load()) callback(text.c_str());
  const std::lock_guard lock(log.mutex);
  if (log.to_output) std::fputs(text.c_str(), stdout);
  if (log.to_error) std::fputs(text.c_str(), stderr);
  if (log.file != nullptr) {
    std::fputs(text.c_str(), log.file);
    std::fflush(log.file);
  }
}

bool log_to(bool on, bool standard_output, bool standard_error, const char* file) {
  Log& log = state();
  const std::lock_guard lock(log.mutex);
  if (log.file != nullptr) {
    std::fclose(log.file);
    log.file = nullptr;
  }
  log.to_output = standard_output;
  log.to_error = standard_error;
  if (file != nullptr && *file != '\0') {
    log.file = std::fopen(file, "w");
    if (log.file == nullptr) return false;
  }
  log.on = (on && (standard_output || standard_error || log.file != nullptr)) || log.callback != nullptr;
  return true;
}

void log_to(LogCallback callback) {
  Log& log = state();
  const std::lock_guard lock(log.mutex);
  log.callback = callback;
  log.on = callback != nullptr || log.to_output || log.to_error || log.file != nullptr;
}

LogCallback log_callback() { return state().callback.load(); }

}  // namespace heddle::libs
