// Who makes machine code of a kernel that is kept nowhere: LLVM (compiler.cpp), in a library of its own.
#pragma once

#include <functional>
#include <string>

#include "exec/jit/compiler/compiler.h"
#include "exec/jit/compiler/record.h"
#include "exec/jit/ir/meaning.h"
#include "support/result.h"

namespace heddle::exec::jit {

// Slow parts whose kernel may run already: their object, or why there is none. To be called once.
struct SlowObject {
  std::string bytes;
};
using SlowMaking = std::function<Result<SlowObject, std::string>()>;

struct Made {
  KernelRecord record;
  SlowMaking slow;  // empty: they are part of the kernel's code, or there are none
};

class KernelMaker {
 public:
  virtual ~KernelMaker() = default;
  // Called from several threads at once, each with LibraryWork of its own.
  virtual Made make(const CompileRequest& request, const Meaning& meaning) = 0;
};

}  // namespace heddle::exec::jit
