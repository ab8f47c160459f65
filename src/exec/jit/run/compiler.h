// How the run asks for machine code. Implemented by machine/; tests give functions of their own.
#pragma once

#include <memory>
#include <string>

#include "arch/device.h"
#include "exec/jit/executor.h"
#include "exec/jit/kernel.h"
#include "module/image.h"
#include "support/result.h"

namespace heddle::exec::jit {

// A kernel that is not for this executor.
struct Refusal {
  std::string reason;    // in words
  bool trivial = false;  // for HEDDLE_TRACE=jit alone
};

struct CompileRequest {
  std::shared_ptr<const module::Image> image;
  uint32_t function = 0;  // an entry
  const arch::Device* device = nullptr;
  Shape shape;
  Tier tier = Tier::quick;
  // Quick code of a kernel whose vectors would take long to make may be threads on their own instead, which
  // the best tier replaces by vectors.
  bool large_by_threads = false;
  uint8_t observed = observe::nothing;  // observe::Needs that the code tells an observer
};

class KernelCompiler {
 public:
  virtual ~KernelCompiler() = default;
  // Called from several threads at once. What is refused for one tier is refused for all.
  virtual Result<std::shared_ptr<const CompiledKernel>, Refusal> compile(const CompileRequest& request) = 0;
  // What compile() would give, when it was kept by an earlier process; else nothing, without compiling.
  virtual std::shared_ptr<const CompiledKernel> kept(const CompileRequest&) { return nullptr; }
};

// The one out of LLVM; an error when this host cannot run what Options::cpu asks for.
Result<std::unique_ptr<KernelCompiler>, std::string> make_kernel_compiler(const Options& options);

}  // namespace heddle::exec::jit
