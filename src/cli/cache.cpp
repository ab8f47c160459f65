// heddle cache: the folder of compiled kernels and programs.
#include <array>
#include <cstdio>
#include <ctime>
#include <ostream>
#include <string>

#include "cache/disk.h"
#include "cli/cache_warm.h"
#include "cli/commands.h"
#include "support/setting.h"

namespace heddle::cli {

namespace {

const char* environment(const char* name) { return setting(name); }

std::string bytes_text(uint64_t bytes) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text.data();
}

std::string time_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts);
  return text.data();
}

uint64_t entries(const cache::Contents& contents, cache::Kind kind) {
  return contents.entries[static_cast<std::size_t>(kind)];
}

std::string count(uint64_t number, const char* what) {
  return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
}

Exit show(const std::string& directory, Console& console) {
  const auto limit = cache::cache_size(environment);
  if (!limit) {
    complain(console, limit.error().message);
    return Exit::usage;
  }
  const cache::Contents contents = cache::contents_of(directory);
  console.out << "folder      " << directory << '\n'
              << "kernels     " << entries(contents, cache::Kind::kernel) << '\n'
              << "programs    " << entries(contents, cache::Kind::program) << '\n'
              << "headers     " << entries(contents, cache::Kind::beginning) << '\n'
              << "to improve  " << count(entries(contents, cache::Kind::experience), "kernel") << '\n'
              << "size        " << bytes_text(contents.bytes) << " of " << bytes_text(*limit) << '\n';
  if (contents.least_recent) {
    console.out << "last use    " << time_text(*contents.least_recent) << " to "
                << time_text(*contents.most_recent) << '\n';
  }
  return Exit::ok;
}

Exit run_cache(const Arguments& arguments, Console& console) {
  const std::string_view what = arguments.operands().empty() ? "show" : arguments.operands().front();
  if (what != "show" && what != "clear" && what != "path" && what != "warm") {
    complain(console, "'" + std::string(what) + "' is not one of show, warm, clear and path");
    return Exit::usage;
  }
  const std::string directory = cache::cache_directory(environment);
  if (directory.empty()) {
    complain(console, "there is no cache: HEDDLE_CACHE_DIR is empty, or there is no home directory");
    return Exit::failed;
  }
  if (what == "path") {
    console.out << directory << '\n';
    return Exit::ok;
  }
  if (what == "show") return show(directory, console);
  if (what == "warm") return warm_cache(console);
  const auto gone = cache::clear(directory);
  console.out << count(gone[static_cast<std::size_t>(cache::Kind::kernel)], "kernel") << " and "
              << count(gone[static_cast<std::size_t>(cache::Kind::program)], "program") << " removed\n";
  const cache::Contents left = cache::contents_of(directory);
  uint64_t all_left = 0;
  for (const uint64_t n : left.entries) all_left += n;
  if (all_left == 0) return Exit::ok;
  complain(console, count(all_left, "file") + " could not be removed from " + directory);
  return Exit::failed;
}

}  // namespace

constexpr Command cache_command{
    "cache",
    "[show|warm|clear|path]",
    0,
    1,
    "the compiled kernels and programs that are kept on disk",
    "Kernels are compiled when they are first launched, programs in OpenCL C when "
    "they are built, and kept for the next\n"
    "process. `show`, the default, tells where, how many and how large they are; "
    "`clear` removes them all; `path`\n"
    "prints the folder alone. Programs\n"
    "that run meanwhile are not disturbed.\n"
    "\n"
    "A kernel is compiled quickly at first and better when that pays, in the background. What ended before "
    "the "
    "better code was\n"
    "there is noted, and a later process begins with it; `warm` makes the better code of all that is noted "
    "now, "
    "what took\n"
    "most time first.\n"
    "\n"
    "The folder is HEDDLE_CACHE_DIR, or heddle/ in XDG_CACHE_HOME or ~/.cache. "
    "An empty HEDDLE_CACHE_DIR means that\n"
    "nothing is kept. HEDDLE_CACHE_SIZE bounds it (bytes, or with K, M or G; 1G "
    "when not set): what was not used\n"
    "for the longest time goes first.",
    {},
    run_cache};

}  // namespace heddle::cli
