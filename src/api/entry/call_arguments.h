// What the call of an API that a thread is in was given, for those who listen and want to know it before the
// call does anything (Listener::began). Empty where the entry does not say it.
#pragma once

#include "api/entry/listen.h"
#include "api/entry/trace.h"

namespace heddle::entry {

inline thread_local ArgumentList call_arguments;

// Around one call, before Heard.
class GivenArguments {
 public:
  explicit GivenArguments(ArgumentList arguments) {
    if (!listened()) [[likely]]
      return;
    before_ = call_arguments;
    call_arguments = arguments;
    given_ = true;
  }
  ~GivenArguments() {
    if (given_) [[unlikely]]
      call_arguments = before_;
  }
  GivenArguments(const GivenArguments&) = delete;
  GivenArguments& operator=(const GivenArguments&) = delete;

 private:
  ArgumentList before_;
  bool given_ = false;
};

}  // namespace heddle::entry
