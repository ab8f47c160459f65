#include "support/file_limit.h"

#include <ctime>

namespace heddle {

namespace {

sigset_t size_signal() {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGXFSZ);
  return one;
}

}  // namespace

FileLimitIsAnError::FileLimitIsAnError() {
  const sigset_t one = size_signal();
  blocked_ = pthread_sigmask(SIG_BLOCK, &one, &before_) == 0 && sigismember(&before_, SIGXFSZ) == 0;
}

FileLimitIsAnError::~FileLimitIsAnError() {
  if (!blocked_) return;
  // The system sends it to the thread that wrote: it waits here.
  const sigset_t one = size_signal();
  const timespec at_once{};
  while (sigtimedwait(&one, nullptr, &at_once) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace heddle
