// The logger that cuBLASLt, cuSPARSE and cuSOLVER have each for themselves: levels or a mask of them, and
// lines to a file or to a function of the program's.
#pragma once

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>

#include "libs/common/call.h"

namespace heddle::libs {

// The levels, as all three number them (cuBLASLt, "Logging"). What is told here: failed calls, and all calls.
enum class LogLevel { off = 0, error = 1, trace = 2, hints = 3, info = 4, api = 5 };

class LevelLog {
 public:
  using Callback = void (*)(int level, const char* function, const char* message);

  // `variables` begins the names of the variables of the environment: CUBLASLT_LOG_LEVEL, _MASK, _FILE.
  LevelLog(const Codes& codes, const char* name, const char* variables);

  void set_callback(Callback callback);
  void set_file(std::FILE* file);
  void open_file(const char* path);
  void set_level(int level);
  void set_mask(int mask);
  void disable();  // for good

  void told(const char* function, const std::string& line, bool succeeded);

 private:
  void take_file(std::FILE* file, bool own);
  void update();
  void tell(LogLevel level, const char* function, const std::string& line);

  const char* const name_;
  std::mutex mutex_;
  Callback callback_ = nullptr;
  std::FILE* file_ = stdout;
  bool own_file_ = false, disabled_ = false;
  int mask_ = 0;  // bit level - 1
  std::atomic<bool> on_{false};
};

// Whether any of them is on, and the one of a library, if there is one.
bool level_logging();
LevelLog* level_log(const Codes& codes);

}  // namespace heddle::libs
