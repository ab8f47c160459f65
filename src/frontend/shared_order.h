// Accesses of shared memory stay where the program has them.
//
// Lanes of a warp go in lockstep on devices before 7.0, and programs of those days exchange values through
// shared memory without a barrier and without volatile: compilers kept the order (white paper "OpenCL
// Programming for the CUDA Architecture", 2009, listing 7). LLVM takes what a lane does not store itself for
// unchanged: it loads all partners first and stores the last sum only.
//
// So on both sides of each store there is a fence for the compiler alone, and none in the PTX: loads between
// two stores may still be joined and moved, and nothing becomes volatile.
#pragma once

#include <string>

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace heddle::frontend {

class KeepSharedOrderPass : public llvm::PassInfoMixin<KeepSharedOrderPass> {
 public:
  // Whether a pointer of which nothing is known may be one to shared memory: devices of 1.x have none such.
  explicit KeepSharedOrderPass(bool generic) : generic_(generic) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  bool generic_;
};

// Behind what inlines and finds address spaces.
void add_shared_order(llvm::ModulePassManager& passes, bool generic);
// The fences, from what the back end has written.
void drop_shared_order(std::string& ptx);

}  // namespace heddle::frontend
