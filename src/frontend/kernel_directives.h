// What a kernel's attributes ask of PTX and this clang has no words for: our headers write annotations.
#pragma once

#include <string>
#include <vector>

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

struct KernelDirective {
  std::string kernel, text;  // whole lines
};

// Takes the annotations of kernels away, and notes what they ask for.
class KernelDirectivesPass : public llvm::PassInfoMixin<KernelDirectivesPass> {
 public:
  explicit KernelDirectivesPass(std::vector<KernelDirective>& found) : found_(&found) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  std::vector<KernelDirective>* found_;
};

// PTX ISA, "Cluster Dimension Directives", "Performance-Tuning Directives": between an entry's parameters and
// its body.
std::string add_directives(std::string ptx, const std::vector<KernelDirective>& directives);

}  // namespace heddle::frontend
