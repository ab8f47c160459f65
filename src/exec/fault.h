// A guest program did something that a device would stop for. A value: the process and the other streams go
// on.
#pragma once

#include <cstdint>
#include <string>

#include "module/image.h"

namespace heddle::exec {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

enum class FaultKind : uint8_t {
  illegal_address,      // no memory there, or not writable
  misaligned_address,   // address not a multiple of the access size
  illegal_instruction,  // an instruction family that this executor refuses by name, or a malformed one met at
                        // run time
  invalid_address_space,
  invalid_pc,  // indirect call or branch to something that is no function
  trap,        // trap or brkpt without a debugger
  assertion,   // __assertfail: already printed
  stack_overflow,
  illegal_barrier,   // a barrier that the rest of the block can never reach, bad barrier number or count
  timeout,           // the device's run-time limit
  cancelled,         // the host asked for an end (context destroyed)
  out_of_resources,  // device heap, printf buffer setup ...
};
const char* name(FaultKind);

struct Fault {
  FaultKind kind = FaultKind::illegal_address;
  std::string kernel, function;
  Dim3 block, thread;  // the first lane that faulted
  uint32_t lane = 0, warp = 0;
  uint32_t instruction = module::none;  // index in `function`
  std::string instruction_text;
  std::string file;  // source line where .loc exists
  uint32_t line = 0, column = 0;
  uint64_t address = 0;  // memory faults
  uint32_t bytes = 0;
  bool write = false;
  module::Space space = module::Space::generic;
  std::string detail;           // "value and limit" in words
  std::string message() const;  // one line: what, where, who
};

}  // namespace heddle::exec
