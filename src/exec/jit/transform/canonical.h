// The second stage: a thread program as the vectoriser wants it. Registers are SSA values, local variables
// too where that can be; generic addresses have got the space that they come from; 64-bit values of which
// only 32 bits matter have 32; the control flow has no switches, one return, no irreducible cycles, loops
// with preheaders and single latches, and phis where a value leaves its loop (LCSSA).
#pragma once

#include <memory>
#include <vector>

#include "exec/jit/ir/program.h"

namespace heddle::exec::jit {

// A program as lower() made it: the passes from `registers` to `waits`, which finds what only the clean form
// tells. It may run more than once: again after something was made constant.
void canonicalise(ThreadProgram& program);

// What the passes of this stage keep from one to the next: LLVM's analyses of each function of the program.
class Cleaning {
 public:
  explicit Cleaning(ThreadProgram& program);
  ~Cleaning();

  class OneFunction;
  std::vector<std::unique_ptr<OneFunction>> functions;  // the program's own first
};

}  // namespace heddle::exec::jit
