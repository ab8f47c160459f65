// heddle cache: the folder of compiled kernels.
#include "exec/jit/machine/cache.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <ostream>
#include <string>

#include "cli/commands.h"

namespace heddle::cli {

namespace {

using exec::jit::DiskCache;

const char* environment(const char* name) { return std::getenv(name); }

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

Exit show(const DiskCache& cache, Console& console) {
  const auto limit = exec::jit::cache_size(environment);
  if (!limit) {
    complain(console, limit.error().message);
    return Exit::usage;
  }
  const DiskCache::Contents contents = cache.contents();
  console.out << "folder      " << cache.directory() << '\n'
              << "kernels     " << contents.entries << '\n'
              << "size        " << bytes_text(contents.bytes) << " of " << bytes_text(*limit) << '\n';
  if (contents.least_recent) {
    console.out << "last use    " << time_text(*contents.least_recent) << " to "
                << time_text(*contents.most_recent) << '\n';
  }
  return Exit::ok;
}

Exit run_cache(const Arguments& arguments, Console& console) {
  const std::string_view what = arguments.operands().empty() ? "show" : arguments.operands().front();
  if (what != "show" && what != "clear" && what != "path") {
    complain(console, "'" + std::string(what) + "' is not one of show, clear and path");
    return Exit::usage;
  }
  const std::string directory = exec::jit::cache_directory(environment);
  if (directory.empty()) {
    complain(console, "there is no cache: HEDDLE_CACHE_DIR is empty, or there is no home directory");
    return Exit::failed;
  }
  if (what == "path") {
    console.out << directory << '\n';
    return Exit::ok;
  }
  DiskCache cache(directory, 0);
  if (what == "show") return show(cache, console);
  const uint64_t gone = cache.clear();
  console.out << gone << (gone == 1 ? " kernel" : " kernels") << " removed\n";
  const uint64_t left = cache.contents().entries;
  if (left == 0) return Exit::ok;
  complain(console, std::to_string(left) + " could not be removed from " + directory);
  return Exit::failed;
}

}  // namespace

constexpr Command cache_command{"cache",
                                "[show|clear|path]",
                                0,
                                1,
                                "the compiled kernels that are kept on disk",
                                "Kernels are compiled when they are first launched and kept for the next "
                                "process. `show`, the default, tells\n"
                                "where, how many and how large they are; `clear` removes them all; `path` "
                                "prints the folder alone. Programs\n"
                                "that run meanwhile are not disturbed.\n"
                                "\n"
                                "The folder is HEDDLE_CACHE_DIR, or heddle/ in XDG_CACHE_HOME or ~/.cache. "
                                "An empty HEDDLE_CACHE_DIR means that\n"
                                "nothing is kept. HEDDLE_CACHE_SIZE bounds it (bytes, or with K, M or G; 1G "
                                "when not set): kernels that were\n"
                                "not used for the longest time go first.",
                                {},
                                run_cache};

}  // namespace heddle::cli
