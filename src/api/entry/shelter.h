// The calling thread as our code needs it, for the length of one call of an API.
#pragma once

#include "api/entry/body.h"

namespace heddle::entry {

// Runs the body where the thread is not cancelled, since locks and half-made objects would stay behind (a
// thread that is to end does so right after the call), and on a stack that has room for a compiler: a small
// one, or one that is not the thread's own, is left for a stack of ours. The body throws nothing.
void sheltered(Body<void> body);

}  // namespace heddle::entry
