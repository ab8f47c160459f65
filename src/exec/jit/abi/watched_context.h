// What code that tells an observer is called with.
#pragma once

#include "exec/jit/abi/repeats.h"
#include "observe/carried.h"

namespace heddle::exec::jit {

struct WatchedContext {
  Context context;
  std::byte* repeats = nullptr;         // RepeatsOfSite, by site
  observe::Carried* carried = nullptr;  // by site, of code that counts numbers that go on
};

}  // namespace heddle::exec::jit
