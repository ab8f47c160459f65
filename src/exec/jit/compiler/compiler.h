// How the run asks for machine code. Implemented by machine/; tests give functions of their own.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/device.h"
#include "cache/key.h"
#include "exec/jit/abi/observed.h"
#include "exec/jit/executor.h"
#include "exec/jit/kernel/kernel.h"
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
  Observed observed = observe::nothing;  // what the code tells an observer
};

// What a kernel has cost in the quick tier, over all processes that noted it; in ticks (host_state.h).
struct Experience {
  uint64_t ran = 0;  // its quick code, on all threads, and what was spent on better code that a process left
  uint64_t quick = 0;  // to make its quick code: the most that any process took
};

// A kernel that has such experience and no better code yet, and all that better code is made of.
struct Waiting {
  cache::Digest key;  // of its best code
  Experience experience;
  std::vector<std::string> texts;  // PTX, to be linked in this order
  std::string device;              // its id
  uint32_t function = 0;
  Shape shape;
};

class KernelCompiler {
 public:
  virtual ~KernelCompiler() = default;
  // Called from several threads at once. What is refused for one tier is refused for all.
  virtual Result<std::shared_ptr<const CompiledKernel>, Refusal> compile(const CompileRequest& request) = 0;
  // What compile() would give, when it was kept by an earlier process; else nothing, without compiling.
  virtual std::shared_ptr<const CompiledKernel> kept(const CompileRequest&) { return nullptr; }

  // Loads what compile() would need, unless one of these is kept (exec::Executor::prepare).
  virtual void prepare(std::span<const CompileRequest>) {}

  // Of requests for the best tier. What is noted is added to what was, and goes when the best code is kept.
  virtual Experience experience(const CompileRequest&) { return {}; }
  virtual void note(const CompileRequest&, const Experience&) {}
  virtual std::vector<Waiting> waiting() { return {}; }
  // What its code is kept by; nothing where none is kept.
  virtual std::optional<cache::Digest> key(const CompileRequest&) { return std::nullopt; }
};

// The one out of LLVM; an error when this host cannot run what Options::cpu asks for.
Result<std::unique_ptr<KernelCompiler>, std::string> make_kernel_compiler(const Options& options);

}  // namespace heddle::exec::jit
