#include "driver/file.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

extern char** environ;

namespace heddle::driver {

namespace fs = std::filesystem;

Result<std::string> read_file(const std::string& path) {
  const int file = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error{"Could not open input file '" + path + "': " + std::strerror(errno)};
  std::string text;
  char buffer[1 << 16];
  ssize_t count = 0;
  while ((count = read(file, buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR))
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
  const int failed = count < 0 ? errno : 0;
  if (file != STDIN_FILENO) close(file);
  if (failed != 0) return Error{"Could not read '" + path + "': " + std::strerror(failed)};
  return text;
}

namespace {

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Error cannot_write(const std::string& path, int failed) {
  return Error{"Could not write output file '" + path + "': " + std::strerror(failed)};
}

}  // namespace

Status<> write_file(const std::string& path, std::string_view content) {
  struct stat there{};
  const bool special = path == "-" || (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode));
  if (special) {
    const int file = path == "-" ? STDOUT_FILENO : open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const bool good = file >= 0 && write_all(file, content);
    const int failed = errno;
    if (file >= 0 && file != STDOUT_FILENO) close(file);
    if (!good) return cannot_write(path, failed);
    return Unit{};
  }
  const std::string beside = path + ".tmp" + std::to_string(getpid());
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return cannot_write(path, errno);
  bool good = write_all(file, content);
  int failed = errno;
  good = close(file) == 0 && good;
  if (good && rename(beside.c_str(), path.c_str()) != 0) {
    good = false;
    failed = errno;
  }
  if (good) return Unit{};
  unlink(beside.c_str());
  return cannot_write(path, failed);
}

Result<TemporaryFolder> TemporaryFolder::make() {
  const char* base = std::getenv("TMPDIR");
  std::string path = std::string(base != nullptr && *base != 0 ? base : "/tmp") + "/heddle-XXXXXX";
  if (mkdtemp(path.data()) == nullptr)
    return Error{"Could not make a temporary folder '" + path + "': " + std::strerror(errno)};
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<int> run(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ);
  if (failed != 0) return Error{"Could not run '" + words[0] + "': " + std::strerror(failed)};
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Error{"Could not wait for '" + words[0] + "': " + std::strerror(errno)};
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string shell_quoted(const std::vector<std::string>& words) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '"';
    for (const char c : word) {
      if (c == '"' || c == '\\' || c == '$' || c == '`') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text;
}

std::string own_path() {
  std::error_code failed;
  const fs::path path = fs::read_symlink("/proc/self/exe", failed);
  return failed ? std::string() : path.string();
}

}  // namespace heddle::driver
