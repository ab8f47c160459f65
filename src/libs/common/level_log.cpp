#include "libs/common/level_log.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

namespace heddle::libs {
namespace {

struct Logs {
  std::mutex mutex;
  std::vector<std::pair<const Codes*, LevelLog*>> all;
  std::atomic<int> on{0};
};
Logs& logs() {
  static auto* const found = new Logs;  // for the process's whole life
  return *found;
}

constexpr const char* level_names[] = {"", "Error", "Trace", "Hint", "Info", "Api"};

// %i in the name of a file is the process.
std::FILE* opened(std::string path) {
  if (const auto at = path.find("%i"); at != std::string::npos) path.replace(at, 2, std::to_string(getpid()));
  return std::fopen(path.c_str(), "w");
}

int number_of(const std::string& variable) {
  const char* text = std::getenv(variable.c_str());
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

bool level_logging() { return logs().on.load(std::memory_order_relaxed) != 0; }
LevelLog* level_log(const Codes& codes) {
  Logs& all = logs();
  const std::lock_guard lock(all.mutex);
  for (const auto& [of, log] : all.all)
    if (of == &codes) return log;
  return nullptr;
}

LevelLog::LevelLog(const Codes& codes, const char* name, const char* variables) : name_(name) {
  const std::string prefix = std::string(variables) + "_LOG_";
  const int level = number_of(prefix + "LEVEL"), mask = number_of(prefix + "MASK");
  mask_ = mask != 0 ? mask & 31 : level > 0 ? (1 << (level < 5 ? level : 5)) - 1 : 0;
  if (const char* path = std::getenv((prefix + "FILE").c_str()); path != nullptr && *path != '\0')
    if (std::FILE* const file = opened(path); file != nullptr) {
      file_ = file;
      own_file_ = true;
    }
  update();
  Logs& all = logs();
  const std::lock_guard lock(all.mutex);
  all.all.emplace_back(&codes, this);
}

void LevelLog::update() {
  const bool on = !disabled_ && mask_ != 0 && (callback_ != nullptr || file_ != nullptr);
  if (on_.exchange(on) != on) logs().on += on ? 1 : -1;
}
void LevelLog::set_callback(Callback callback) {
  const std::lock_guard lock(mutex_);
  callback_ = callback;
  update();
}
void LevelLog::take_file(std::FILE* file, bool own) {
  const std::lock_guard lock(mutex_);
  if (own_file_) std::fclose(file_);
  file_ = file;
  own_file_ = own;
  update();
}
void LevelLog::set_file(std::FILE* file) { take_file(file, false); }
void LevelLog::open_file(const char* path) {
  if (path == nullptr) refuse_null("logFile");
  std::FILE* const file = opened(path);
  if (file == nullptr)
    refuse(Why::invalid_value, std::string("the log file '") + path + "' cannot be opened");
  take_file(file, true);
}
void LevelLog::set_level(int level) {
  require(level >= 0 && level <= 5, "the level is not between 0 and 5");
  set_mask((1 << level) - 1);
}
void LevelLog::set_mask(int mask) {
  require(mask >= 0 && mask <= 31, "the mask has bits that are no level's");
  const std::lock_guard lock(mutex_);
  mask_ = mask;
  update();
}
void LevelLog::disable() {
  const std::lock_guard lock(mutex_);
  disabled_ = true;
  update();
}

void LevelLog::told(const char* function, const std::string& line, bool succeeded) {
  if (!on_.load(std::memory_order_relaxed)) return;
  if (!succeeded) tell(LogLevel::error, function, line);
  tell(LogLevel::api, function, line);
}
void LevelLog::tell(LogLevel level, const char* function, const std::string& line) {
  const int number = static_cast<int>(level);
  Callback callback = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if ((mask_ & (1 << (number - 1))) == 0) return;
    callback = callback_;
    if (file_ != nullptr) {
      std::fprintf(file_, "[%s][%s][%s] %s\n", name_, level_names[number], function, line.c_str());
      std::fflush(file_);
    }
  }
  if (callback != nullptr) callback(number, function, line.c_str());
}

}  // namespace heddle::libs
