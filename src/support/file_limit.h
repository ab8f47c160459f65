// Writing to files under a limit of their size (ulimit -f).
#pragma once

#include <signal.h>

namespace heddle {

// A write beyond the limit fails with EFBIG, and by default a signal ends the process (setrlimit(2),
// RLIMIT_FSIZE). While this lives, what this thread writes only fails; the program's own handler is left
// alone.
class FileLimitIsAnError {
 public:
  FileLimitIsAnError();
  ~FileLimitIsAnError();
  FileLimitIsAnError(const FileLimitIsAnError&) = delete;
  FileLimitIsAnError& operator=(const FileLimitIsAnError&) = delete;

 private:
  sigset_t before_;
  bool blocked_ = false;  // by this
};

}  // namespace heddle
