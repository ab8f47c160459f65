// Which global memory a kernel may write, told from the text alone, before anything runs.
#pragma once

#include <cstdint>
#include <vector>

#include "module/image.h"

namespace heddle::analysis {

// Where the addresses begin at which it writes or changes memory. What it adds to them is not looked at: a
// write is taken to stay in the memory that its base points into.
struct WrittenMemory {
  bool known = false;                // false: it may write anywhere
  std::vector<uint32_t> parameters;  // offsets of addresses in the launch's parameter buffer, ascending
  std::vector<uint32_t> variables;   // by Image::symbols, ascending
};

// `entry`: a function of the image. Not known: for 32-bit programs, where addresses are found in memory or
// put together from halves, and where functions are called that write.
WrittenMemory written_memory(const module::Image& image, uint32_t entry);

}  // namespace heddle::analysis
