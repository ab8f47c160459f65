// One run of nvcc: prints its steps, does them, and hands what they make from one to the next in memory.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/file.h"
#include "driver/message.h"
#include "driver/nvcc/settings.h"
#include "driver/nvcc/times.h"
#include "frontend/clang.h"

namespace heddle::driver::nvcc {

// What a program returns when the compiler found errors, and when something else failed.
inline constexpr int exit_errors = 2, exit_failed = 1, exit_ptxas = 255;

class Session {
 public:
  Session(const Settings& settings, std::string toolkit);

  const Settings& settings() const { return settings_; }
  const std::string& toolkit() const { return toolkit_; }
  bool dry() const { return dry_; }
  bool prints() const { return print_; }

  void announce_environment() const;
  // The step's command line, with -dryrun and -v. False: it shall not be done.
  bool announce(const std::string& command) const;
  void say(Weight weight, const std::string& text) const;
  void error_output(const std::string& text) const;

  // Prints the diagnostics that were not there before: host and device see the same errors. The number of
  // errors.
  int show(const frontend::Product& product);

  // For -time: from here to the end of the block.
  Timed timed(TimedStep step) { return {times_, std::move(step)}; }
  // False: the table could not be written.
  bool write_times();

  // Remembers how it failed; always false.
  bool fail(int status);
  int status() const { return status_; }

  // Where a file between two steps lies: kept (-keep), or in a temporary folder.
  std::string between(const std::string& name);
  bool keeps() const;
  // Writes what -keep asks for.
  bool keep(const std::string& name, const std::string& content);
  bool write(const std::string& path, const std::string& content);
  // Runs another program.
  bool execute(const std::vector<std::string>& words);

 private:
  const Settings& settings_;
  std::string toolkit_;
  bool dry_, print_;
  int status_ = 0;
  std::set<std::string> shown_;
  std::optional<TemporaryFolder> temporary_;
  Times times_;
};

}  // namespace heddle::driver::nvcc
