#include "profiler/pages/run_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "profiler/data_file.h"
#include "profiler/pages/progress.h"

namespace heddle::profiler {

namespace {

namespace fs = std::filesystem;

// A folder of its own, which goes with it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code failed;
    const fs::path base = fs::temp_directory_path(failed);
    path_ = (failed ? fs::path("/tmp") : base).string() + "/heddle-profile-XXXXXX";
    good_ = mkdtemp(path_.data()) != nullptr;
    if (!good_) error_ = std::strerror(errno);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (good_) fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  bool good() const { return good_; }
  const std::string& path() const { return path_; }
  const std::string& error() const { return error_; }

 private:
  std::string path_, error_;
  bool good_ = false;
};

// While the program runs, what is typed to end it is the program's alone, and what it measured is shown.
class LeaveSignals {
 public:
  LeaveSignals() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
  }
  ~LeaveSignals() { restore(); }
  LeaveSignals(const LeaveSignals&) = delete;
  LeaveSignals& operator=(const LeaveSignals&) = delete;
  void restore() const {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
  }

 private:
  struct sigaction interrupt_ = {}, quit_ = {};
};

[[noreturn]] void become(const ProfiledProgram& program, const std::string& heddle,
                         const std::string& injection, const std::string& folder) {
  setenv("HEDDLE_PROFILE", folder.c_str(), 1);
  setenv("HEDDLE_PROFILE_OPTIONS", program.options.c_str(), 1);
  setenv("HEDDLE_PROFILE_KERNEL", program.kernel.c_str(), 1);
  setenv("HEDDLE_PROFILE_RANGES", program.ranges.c_str(), 1);
  // Programs that use NVTX look there for who wants to know; a tool that is named already stays.
  setenv("NVTX_INJECTION64_PATH", injection.c_str(), 0);
  if (program.output_to_error) dup2(STDERR_FILENO, STDOUT_FILENO);
  std::vector<std::string> words{heddle, "run"};
  if (!program.devices.empty()) words.insert(words.end(), {"--device", program.devices});
  words.insert(words.end(), program.words.begin(), program.words.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(heddle.c_str(), pointers.data());
  _exit(126);
}

int status_of(int waited) { return WIFSIGNALED(waited) ? 128 + WTERMSIG(waited) : WEXITSTATUS(waited); }

}  // namespace

Result<ProfiledRun> run_profiled(const ProfiledProgram& program) {
  const ScratchFolder folder;
  if (!folder.good()) return Error{"'" + folder.path() + "' cannot be made: " + folder.error()};
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  const std::string heddle = (self.parent_path() / "heddle").string();
  if (failed || access(heddle.c_str(), X_OK) != 0)
    return Error{"'" + heddle + "' is missing: this program must lie in the toolkit's bin/"};
  const LeaveSignals signals;
  const pid_t child = fork();
  if (child < 0) return Error{std::string("no process can be started: ") + std::strerror(errno)};
  if (child == 0) {
    signals.restore();
    become(program, heddle, (self.parent_path().parent_path() / "lib64" / "libcupti.so.12").string(),
           folder.path());
  }
  int waited = 0;
  const Progress progress(folder.path(), program.progress, program.tell);
  while (waitpid(child, &waited, 0) < 0 && errno == EINTR) {
  }
  ProfiledRun run;
  run.status = status_of(waited);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path(), failed)) {
    Result<Profile> profile = read_data(entry.path().string());
    if (!profile) return profile.error();
    run.processes.push_back(std::move(*profile));
  }
  std::ranges::sort(run.processes, {}, &Profile::wall);
  return run;
}

}  // namespace heddle::profiler
