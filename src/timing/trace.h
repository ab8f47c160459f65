// What the first blocks of a launch did, warp by warp: where they came, and what they accessed.
#pragma once

#include <cstdint>
#include <vector>

#include "observe/observer.h"

namespace heddle::timing {

struct Event {
  enum class Kind : uint8_t { visit, load, store, change, look };  // look: at a texture
  uint32_t instruction = 0;
  uint16_t function = 0;
  Kind kind = Kind::visit;
  observe::Space space = observe::Space::global;
  uint16_t wavefronts = 0;  // that the banks, or lines of the L1 cache, are asked; of constants: words
  uint16_t parts = 0;       // transactions with the memory
  uint32_t first_part = 0;  // BlockTrace::parts
  observe::Mask lanes = 0;
};

// A transaction, or a line of constants (of 64 bytes): address in units of 32 bytes, and how many of those.
struct Part {
  uint64_t address : 56;
  uint64_t sectors : 6;
  uint64_t partial : 1;      // stored to, but not each of its bytes
  uint64_t of_host : 1 = 0;  // in memory of the host: mapped
};

struct WarpTrace {
  std::vector<Event> events;
  bool cut = false;  // it went on
};

struct BlockTrace {
  std::vector<WarpTrace> warps;
  std::vector<Part> parts;
};

}  // namespace heddle::timing
