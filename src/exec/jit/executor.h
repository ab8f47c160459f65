// The fast executor: PTX to vector code of the host.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "exec/jit/debug/announce.h"
#include "exec/jit/kernel/kernel.h"
#include "exec/jit/passes/passes.h"
#include "exec/launch.h"
#include "exec/reference_lanes.h"
#include "support/result.h"

namespace heddle::exec::jit {

struct Options {
  std::string cpu{};              // "" the host's; x86-64-v2, avx2, avx512 (HEDDLE_JIT_CPU)
  std::string cache_directory{};  // HEDDLE_CACHE_DIR; "" no disk cache
  uint64_t cache_bytes = uint64_t{1} << 30;
  unsigned threads = 0;        // 0: one a core (HEDDLE_THREADS)
  bool vectors = true;         // else every kernel by threads on their own (HEDDLE_JIT_VECTORS)
  std::optional<Tier> tier{};  // only this one; else quick at first, and best when it pays (HEDDLE_JIT_TIER)
  // What the reference executor is through with before code of it would be there, it runs (HEDDLE_JIT_SMALL).
  bool small_by_reference = false;
  PassSet disabled{};            // HEDDLE_JIT_DISABLE
  debug::Listeners listeners{};  // who is told of machine code (HEDDLE_JIT_DEBUG)
  // What is compiled, what goes to the reference executor and why; or empty (HEDDLE_TRACE=jit). Called on any
  // thread, also behind a launch: of code for later.
  std::function<void(const std::string& line)> trace{};
  // Of each kernel that is compiled, processor time by pass; or empty (HEDDLE_TRACE=passes).
  std::function<void(const std::string& lines)> tell_times{};
  // Of what goes to the reference executor, too, but once for each kernel and without being asked: it is a
  // hundred times slower.
  std::function<void(const std::string& line)> tell{};
};

class KernelCompiler;  // compiler/compiler.h

// `reference` runs whole kernels that this executor does not take, `lanes` single instructions for it. An
// error when this host cannot run what the options ask for.
Result<std::unique_ptr<Executor>, std::string> make_executor(Options options,
                                                             std::unique_ptr<Executor> reference,
                                                             std::unique_ptr<ReferenceLanesFactory> lanes);
// With another compiler than LLVM.
std::unique_ptr<Executor> make_executor(Options options, std::unique_ptr<KernelCompiler> compiler,
                                        std::unique_ptr<Executor> reference,
                                        std::unique_ptr<ReferenceLanesFactory> lanes);

}  // namespace heddle::exec::jit
