#include <unistd.h>

#include <iostream>
#include <string_view>
#include <vector>

#include "cli/check.h"
#include "cli/command.h"
#include "cli/look_alike.h"

// What bin/heddle calls (src/driver/start/start.c).
extern "C" [[gnu::visibility("default")]] int heddle_main_heddle(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  heddle::cli::Console console{std::cin, std::cout, std::cerr, isatty(STDERR_FILENO) != 0};
  // Links with these names are the checker with NVIDIA's options and output.
  const std::string_view called = argc > 0 ? std::string_view(argv[0]) : std::string_view();
  const std::string_view name = called.substr(called.rfind('/') + 1);
  if (name == "compute-sanitizer" || name == "cuda-memcheck") {
    const int result = heddle::cli::run_sanitizer(name, arguments, console);
    std::cout.flush();
    return result;
  }
  // And these are the profiler.
  if (name == "ncu" || name == "nv-nsight-cu-cli") {
    const int result = heddle::cli::run_ncu(name, arguments, console);
    std::cout.flush();
    return result;
  }
  if (name == "nvprof") {
    const int result = heddle::cli::run_nvprof(arguments, console);
    std::cout.flush();
    return result;
  }
  const heddle::cli::Exit result = heddle::cli::run(heddle::cli::command_table(), arguments, console);
  std::cout.flush();
  return std::cout ? static_cast<int>(result) : static_cast<int>(heddle::cli::Exit::failed);
}
