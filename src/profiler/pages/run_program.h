// Runs a program with the profiler in it, and reads what it and the processes that it started have written.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/profile.h"
#include "support/result.h"

namespace heddle::profiler {

struct ProfiledProgram {
  std::vector<std::string> words;  // the program and its arguments
  std::string devices;             // as HEDDLE_DEVICES; empty: as they are
  std::string options, kernel;     // RecorderOptions, in words
  std::string ranges;              // range_filter.h
  // How often it is told how far the program is; 0: never.
  std::chrono::milliseconds progress{0};
  std::function<void(std::string_view)> tell;
  bool output_to_error = false;  // the program's output goes where its errors go
};

struct ProfiledRun {
  int status = 0;                  // as a shell has it: 128 and the signal of one that died
  std::vector<Profile> processes;  // those that used a device, by the time at which they began
};

// The error is of the profiler; a program that cannot be run has said so itself, with status 126 or 127.
Result<ProfiledRun> run_profiled(const ProfiledProgram& program);

}  // namespace heddle::profiler
