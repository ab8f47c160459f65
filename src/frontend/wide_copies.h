// Copies and fills of structures, sixteen bytes at a time.
//
// A copy or fill whose length is known is two or more accesses of eight bytes for LLVM's back end for PTX,
// whatever the alignment. nvcc makes one of sixteen (ld.v4.u32, st.v4.u32) of what is aligned so: a uint4 or
// a float4 that is only passed on is one access of a warp, which is what the device counts. Behind all passes
// that look into copies.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

class WideCopiesPass : public llvm::PassInfoMixin<WideCopiesPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace heddle::frontend
