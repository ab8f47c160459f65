// Calls of functions of one side alone by functions of both sides.
//
// nvcc takes them with a warning (#20011-D, #20014-D), since the call may be one that the other side never
// makes: Thrust's algorithms for kernels have them behind `if (false)`, and programs behind a choice at run
// time. clang refuses every such call that it cannot rule out when it reads it. Here the function that is not
// there becomes one that ends the kernel or the program, and only of calls that are compiled a warning says
// so.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Sema/SemaCUDA.h"
#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

// Whether it is such a call. If so, clang's code generator will know.
bool takes_call_of_other_side(clang::SemaCUDA& rules, clang::SourceLocation place,
                              const clang::FunctionDecl* caller, clang::FunctionDecl* callee);

// Gives such functions a body.
class OtherSidePass : public llvm::PassInfoMixin<OtherSidePass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::frontend
