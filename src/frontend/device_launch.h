// Launches in device code, from clang's form to the device runtime's.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

// clang makes of kernel<<<grid, block, shared, stream>>>(arguments) what it makes of it in host code, a call
// of
// __cudaPushCallConfiguration and, where that gives 0, one of the kernel (launch_rules.cpp lets it). Here
// both become what the PTX interface asks for (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism",
// "Device-side Launch from PTX"): cudaGetParameterBufferV2 gives a buffer, in which the arguments lie like
// the parameters of the kernel, and cudaLaunchDeviceV2 takes it. Runs before every other pass.
class DeviceLaunchPass : public llvm::PassInfoMixin<DeviceLaunchPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::frontend
