// The steps between NVVM IR and PTX.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/nvvm.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend::nvvm {

// All modules as one; null where one of them is wrong, which `result` tells.
std::unique_ptr<llvm::Module> read_modules(const std::vector<NvvmModule>& modules, llvm::LLVMContext& context,
                                           NvvmResult& result);

// Bodies for the intrinsics that NVVM IR has and LLVM has not. The text names one that is unknown; empty:
// none is.
std::string define_intrinsics(llvm::Module& module);

}  // namespace heddle::frontend::nvvm
