// Loops of a random program in which each thread goes along rows of its own, which it reads and writes.
#pragma once

#include <functional>

#include "ptx/random_writer.h"

namespace heddle::ptx::testing {

// Memory that the threads of a grid share out between them: each has `bytes` of it, one behind the other, or
// (`columns`) 8 at a time, a turn of all threads each. In the kernel %room is where it begins and %place
// whose turn the thread is.
struct RowRoom {
  uint32_t threads = 0, bytes = 0;
  bool columns = false;
  uint64_t size() const { return uint64_t{threads} * bytes; }
};

// Rows in %own, in shared and local memory, in the input, and where there is one, in the room. `statement`
// writes something between that may be in a loop.
void write_rows(ProgramText& program, const RowRoom* room, const std::function<void()>& statement);

}  // namespace heddle::ptx::testing
