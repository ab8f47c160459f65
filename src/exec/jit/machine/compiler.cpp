#include "exec/jit/run/compiler.h"

namespace heddle::exec::jit {

namespace {

// Until the stages from a thread program to vector code are there: everything goes to the reference executor.
class NoCompiler final : public KernelCompiler {
 public:
  Result<std::shared_ptr<const CompiledKernel>, Refusal> compile(const CompileRequest&) override {
    return Refusal{"this build has no compiler for kernels"};
  }
};

}  // namespace

Result<std::unique_ptr<KernelCompiler>, std::string> make_kernel_compiler(const Options&) {
  return std::unique_ptr<KernelCompiler>(std::make_unique<NoCompiler>());
}

}  // namespace heddle::exec::jit
