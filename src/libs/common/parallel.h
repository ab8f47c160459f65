// Host threads for work that falls into independent pieces: batches, panels.
#pragma once

#include <cstdint>
#include <functional>

namespace heddle::libs {

// Calls piece(0) ... piece(count - 1), on this thread and others; returns when all are done. A piece must not
// throw. Where somebody else has the threads, this one does everything.
void parallel(int64_t count, const std::function<void(int64_t)>& piece);
int parallel_threads();

}  // namespace heddle::libs
