// Loads of one address by all threads, on devices of compute capability 2.x.
//
// They have an instruction for them, LDU, which goes through the cache of constants. NVIDIA's compiler uses
// it for a variable in global memory that the kernel only reads, at an address that does not depend on the
// thread's number (CUDA C Programming Guide 4.0, G.4.4; OpenCL Programming Guide, C.4.4): ldu.global in PTX.
// That it is only read a program says by `const T* __restrict__`. Behind all passes that look into loads.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

class UniformLoadsPass : public llvm::PassInfoMixin<UniformLoadsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace heddle::frontend
