// From a PTX entry to machine code: all passes, by LLVM. Nothing here asks what is kept (kept_code.cpp).
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

#include "exec/jit/codegen/compilers.h"
#include "exec/jit/codegen/lines.h"
#include "exec/jit/codegen/machine.h"
#include "exec/jit/compiler/maker.h"
#include "exec/jit/ir/program.h"
#include "exec/jit/passes/compilation.h"
#include "exec/jit/vectorize/slow_part.h"
#include "exec/jit/vectorize/weave.h"
#include "llvm/Support/xxhash.h"

namespace heddle::exec::jit {

namespace {

class LlvmMaker final : public KernelMaker {
 public:
  LlvmMaker(const Host& host, const Options& options)
      : machine_(host),
        vectors_(options.vectors),
        disabled_(options.disabled),
        trace_(options.trace),
        tell_times_(options.tell_times) {}

  Made make(const CompileRequest& request, const Meaning& meaning) override {
    Compilation compilation = run(request, meaning);
    Made made{.record = record_of(compilation), .slow = {}};
    if (compilation.slow) made.slow = slow_later(std::move(compilation), request);
    return made;
  }

 private:
  // The object's digest says whether two ways of compiling made the same code (bench/ablation).
  void tell(const std::string& what, const Compilation& c) const {
    const PassTimes& times = c.times;
    if (trace_) {
      char text[280];
      std::snprintf(
          text, sizeof text,
          ": processor time: lower %.1f ms, canonicalise %.1f, emit %.1f, optimise %.1f, code %.1f; "
          "%u instructions of a thread, %u emitted; %zu bytes (%08x)",
          times.sum(Pass::lower, Pass::lower), times.sum(Pass::specialise, Pass::choose_path),
          times.sum(Pass::local_lanes, Pass::expand_math), times.sum(Pass::optimise, Pass::optimise),
          times.sum(Pass::machine_code, Pass::machine_code), c.of_thread, c.emitted, c.object.size(),
          static_cast<unsigned>(llvm::xxh3_64bits(c.object)));
      trace_("jit: " + what + text);
    }
    if (tell_times_) tell_times_("jit: processor time of the passes of " + what + ":\n" + times.text());
  }

  Compilation run(const CompileRequest& request, const Meaning& meaning) {
    Compilation c;
    c.image = request.image.get();
    c.function = request.function;
    c.meaning = meaning;
    c.shape = request.shape;
    c.level = machine_.host().level;
    c.gathers = machine_.gathers();
    c.machine = &machine_;
    c.tier = request.tier;
    c.vectors = vectors_;
    c.large_by_threads = request.large_by_threads;
    c.disabled = disabled_;
    c.times_llvm = tell_times_ != nullptr;
    run_passes(c);
    if (c.refused.empty()) tell(request.image->functions[request.function].name, c);
    return c;
  }

  static KernelRecord record_of(Compilation& c) {
    KernelRecord record;
    record.reason = c.refused;
    if (!c.refused.empty()) return record;
    record.object = std::move(c.object);
    record.slow_parts = c.slow_parts;
    record.sites = std::move(c.program.sites);
    record.lanes = c.program.lanes.take();
    record.slot_bytes = c.slot_bytes;
    record.local_bytes = c.program.local_bytes;
    record.local_granule = c.program.local_granule;
    record.merged_blocks = c.merged_blocks;
    record.vector_instructions = c.vector_instructions;
    record.uses_shared = c.uses_shared;
    record.uses_steps = c.uses_steps;
    record.by_threads = c.by_threads();
    record.by_warps = c.by_warps();
    record.blocks_wait = c.path == pass_table::vectors && c.program.needs.blocks_wait;
    record.watches = c.program.needs.watches;
    record.flush_mode = c.program.flush_mode;
    record.recursive = c.recursive;
    return record;
  }

  SlowMaking slow_later(Compilation made, const CompileRequest& request) {
    struct What {
      std::unique_ptr<llvm::LLVMContext> context;
      std::unique_ptr<llvm::Module> module;
      bool flush_mode;
    };
    made.program.module.reset();  // the kernel's own
    auto what = std::make_shared<What>(std::move(made.program.context), std::move(made.slow),
                                       made.program.flush_mode);
    return [this, what,
            name = request.image->functions[request.function].name]() -> Result<SlowObject, std::string> {
      Compilation c;
      c.machine = &machine_;
      c.tier = Tier::quick;
      c.disabled = disabled_;
      c.times_llvm = tell_times_ != nullptr;
      c.path = pass_table::vectors;
      c.program.flush_mode = what->flush_mode;
      c.program.context = std::move(what->context);
      c.program.module = std::move(what->module);
      c.properties = info(Pass::weave).gives;
      run_machine_passes(c);
      if (!c.refused.empty()) return c.refused;
      tell(name + ", its slow code", c);
      return SlowObject{std::move(c.object)};
    };
  }

  Machine machine_;
  const bool vectors_;
  const PassSet disabled_;
  const std::function<void(const std::string&)> trace_, tell_times_;
};

Result<std::unique_ptr<KernelMaker>, std::string> make_maker(const Options& options) {
  auto host = find_host(options.cpu.c_str());
  if (!host) return host.error();
  return std::unique_ptr<KernelMaker>(std::make_unique<LlvmMaker>(*host, options));
}

}  // namespace

}  // namespace heddle::exec::jit

extern "C" const heddle::exec::jit::Compilers* heddle_compilers(std::string&) {
  using namespace heddle::exec::jit;
  static constexpr Compilers compilers{
      .make_maker = &make_maker, .find_line = &find_line, .find_lines = &find_lines};
  return &compilers;
}
