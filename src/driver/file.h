// Files, temporary folders and other programs, with errors that name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::driver {

Result<std::string> read_file(const std::string& path);  // "-": the standard input
// Written beside its place and renamed into it, so that a reader never sees half of it. "-": the standard
// output.
Status<> write_file(const std::string& path, std::string_view content);

// A folder that goes with its contents.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Runs another program with our streams. The result is its exit status, 128 + the signal that ended it, or an
// error when it cannot be started. The first word is looked for in PATH.
Result<int> run(const std::vector<std::string>& words);

// The words as a shell would read them back.
std::string shell_quoted(const std::vector<std::string>& words);

// The program's own file, links resolved.
std::string own_path();

}  // namespace heddle::driver
