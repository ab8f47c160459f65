// A thread program becomes a kernel: vector code that runs blocks.
//
//   void @kernel(Context*, i64 first block, i64 count)
//
// Each region (fission.h) is emitted twice. Fast code works on a whole group, takes for granted that lanes
// stay together and that no address wraps, and tests just that where it could end; slow code works on one
// warp under masks and takes nothing for granted. Fast code leaves for slow code at a divergent branch and
// comes back where the lanes meet again; a group whose assumption failed, or whose threads are not all
// there, stays in slow code.
#pragma once

#include <string>
#include <vector>

#include "exec/jit/kernel.h"
#include "exec/jit/machine/machine.h"
#include "exec/jit/thread/program.h"

namespace heddle::exec::jit {

struct WeaveResult {
  std::string refused;  // why this kernel is not for vectors; empty when it was woven
  llvm::Function* kernel = nullptr;
  llvm::Function* warp = nullptr;     // what it runs for each warp, when these go their own ways
  std::vector<llvm::Function*> slow;  // parts of the kernel that it calls (slow_part.h)
  uint64_t slot_bytes = 0;
  bool uses_shared = false, uses_steps = false;
};

// What the shape says is put into the program: %ntid, ranges, registers that are 0. Before canonicalise().
void specialise(ThreadProgram& program, const Shape& shape);

WeaveResult weave(ThreadProgram& program, const Shape& shape, const Plan& plan, VectorLevel level);

// The analyses alone, as text: the regions, each value with its pattern in fast and in slow code, divergent
// branches and guards.
std::string describe_regions(ThreadProgram& program, const Shape& shape, const Plan& plan, VectorLevel level);

inline constexpr const char* kernel_symbol = "kernel";

}  // namespace heddle::exec::jit
