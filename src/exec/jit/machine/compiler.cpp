// From a PTX entry to a kernel in machine code: all stages one after another, and the disk cache around them.
#include "exec/jit/run/compiler.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "cache/disk.h"
#include "exec/jit/context.h"
#include "exec/jit/fiber/blocks.h"
#include "exec/jit/fiber/emit.h"
#include "exec/jit/fiber/in_step.h"
#include "exec/jit/fiber/threads.h"
#include "exec/jit/fiber/warps.h"
#include "exec/jit/machine/experience.h"
#include "exec/jit/machine/machine.h"
#include "exec/jit/machine/record.h"
#include "exec/jit/machine/stopwatch.h"
#include "exec/jit/math/expand.h"
#include "exec/jit/math/share.h"
#include "exec/jit/prepare.h"
#include "exec/jit/thread/needs.h"
#include "exec/jit/thread/ops.h"
#include "exec/jit/thread/program.h"
#include "exec/jit/warp/plan.h"
#include "exec/jit/warp/slow_part.h"
#include "exec/jit/warp/weave.h"
#include "llvm/Config/llvm-config.h"
#include "support/process_end.h"

namespace heddle::exec::jit {

namespace {

using Kernel = std::shared_ptr<const CompiledKernel>;
using Compiled = Result<Kernel, Refusal>;
using cache::Digest, cache::KeyHash;
using LoadedSlowCode = Result<SlowCode::Loaded, std::string>;

template <class F>
const void* address(F* function) {
  return reinterpret_cast<const void*>(function);
}

bool has_steps(const llvm::Module& module) {
  for (const llvm::Function& f : module) {
    for (const llvm::User* user : f.users()) {
      if (is_op(user, Op::step)) return true;
    }
  }
  return false;
}

class LlvmCompiler final : public KernelCompiler {
 public:
  LlvmCompiler(const Host& host, const Options& options)
      : machine_(host), vectors_(options.vectors), trace_(options.trace) {
    machine_.bind("heddle_jit_step", address(&heddle_jit_step));
    machine_.bind("heddle_jit_matrix", address(&heddle_jit_matrix));
    machine_.bind("heddle_jit_fault", address(&heddle_jit_fault));
    machine_.bind("heddle_jit_resolve", address(&heddle_jit_resolve));
    machine_.bind("heddle_jit_observe", address(&heddle_jit_observe));
    machine_.bind("heddle_jit_observe_visit", address(&heddle_jit_observe_visit));
    machine_.bind("heddle_jit_observe_sync", address(&heddle_jit_observe_sync));
    machine_.bind("heddle_jit_clock", address(&heddle_jit_clock));
    machine_.bind("heddle_jit_slow", address(&heddle_jit_slow));
    machine_.bind("heddle_jit_give_way", address(&heddle_jit_give_way));
    machine_.bind("heddle_jit_want", address(&heddle_jit_want));
    machine_.bind("heddle_jit_run_threads", address(&heddle_jit_run_threads));
    machine_.bind("heddle_jit_run_warps", address(&heddle_jit_run_warps));
    machine_.bind("heddle_jit_wait", address(&heddle_jit_wait));
    machine_.bind("heddle_jit_part", address(&heddle_jit_part));
    machine_.bind("heddle_jit_arrive", address(&heddle_jit_arrive));
    machine_.bind("heddle_jit_gather", address(&heddle_jit_gather));
    if (!options.cache_directory.empty()) {
      cache_.emplace(cache::Kind::kernel, options.cache_directory, options.cache_bytes);
      experiences_.emplace(options.cache_directory, options.cache_bytes);
    }
  }

  Compiled compile(const CompileRequest& request) override {
    const Meaning meaning = meaning_of(*request.image, *request.device, request.observed);
    const std::optional<Digest> key = cache_ ? key_of(request, meaning) : std::nullopt;
    if (key) {
      if (auto kept = find(*key, *request.image)) {
        if (request.tier == Tier::best) experiences_->remove(*key);
        return *kept;
      }
    }
    const LibraryWork work;
    if (!work.may_begin()) return Refusal{"the process ends: LLVM is not called any more", true};
    Making making = make(request, meaning);
    KernelRecord record = making.record;
    std::shared_ptr<SlowCode> slow;
    if (making.slow)
      slow = slow_later(std::move(making), key, request.tier == Tier::best,
                        request.image->functions[request.function].name);
    else if (key && cache_->store(*key, write_record(record)) && request.tier == Tier::best)
      experiences_->remove(*key);
    return make_kernel(std::move(record), *request.image, std::move(slow));
  }

  Kernel kept(const CompileRequest& request) override {
    if (!cache_) return nullptr;
    const std::optional<Digest> key =
        key_of(request, meaning_of(*request.image, *request.device, request.observed));
    const std::optional<Compiled> found = key ? find(*key, *request.image) : std::nullopt;
    return found && *found ? **found : nullptr;
  }

  std::optional<Digest> key(const CompileRequest& request) override {
    if (!cache_) return std::nullopt;
    return key_of(request, meaning_of(*request.image, *request.device, request.observed));
  }
  Experience experience(const CompileRequest& request) override {
    const auto at = key(request);
    return at ? experiences_->find(*at) : Experience{};
  }
  void note(const CompileRequest& request, const Experience& more) override {
    if (const auto at = key(request)) experiences_->add(*at, request, more);
  }
  std::vector<Waiting> waiting() override {
    return experiences_ ? experiences_->all() : std::vector<Waiting>();
  }

 private:
  std::optional<Compiled> find(const Digest& key, const module::Image& image) {
    const auto bytes = cache_->find(key);
    if (!bytes) return std::nullopt;
    if (auto record = read_record(*bytes)) {
      const bool refused = record->object.empty();
      Compiled kernel = make_kernel(std::move(*record), image, nullptr);
      if (kernel || refused) return kernel;
    }
    cache_->remove(key);  // whole, but of no use
    return std::nullopt;
  }

  // Everything that make looks at. Nothing when the image does not say where it came from.
  std::optional<Digest> key_of(const CompileRequest& request, const Meaning& meaning) {
    const std::optional<Digest> image = digest_of(request.image);
    if (!image) return std::nullopt;
    KeyHash hash;
    hash.add(std::as_bytes(std::span(cache::build_identity())));
    hash.add(LLVM_VERSION_STRING);
    const Host& host = machine_.host();
    hash.add(host.cpu);
    hash.add(host.features);
    hash.add(static_cast<uint64_t>(host.level));
    hash.add(std::as_bytes(std::span(*image)));
    hash.add(request.function);
    for (const uint64_t n : meaning.numbers()) {
      hash.add(n);
    }
    for (const uint32_t n : {request.shape.block.x, request.shape.block.y, request.shape.block.z})
      hash.add(n);
    hash.add(std::as_bytes(std::span(request.shape.word_alignment)));
    hash.add(uint64_t{request.shape.zero_environment});
    hash.add(static_cast<uint64_t>(request.tier));
    hash.add(uint64_t{vectors_});
    hash.add(uint64_t{request.large_by_threads && request.tier == Tier::quick});
    return hash.digest();
  }

  // Of the texts that an image was linked from, which say all that is in it. Once for an image.
  std::optional<Digest> digest_of(const std::shared_ptr<const module::Image>& image) {
    const std::lock_guard lock(mutex_);
    const auto found = digests_.find(image.get());
    if (found != digests_.end() && !found->second.first.expired()) return found->second.second;
    if (digests_.size() >= look_at_) {
      std::erase_if(digests_, [](const auto& entry) { return entry.second.first.expired(); });
      look_at_ = std::max<std::size_t>(64, 2 * digests_.size());
    }
    KeyHash hash;
    for (const module::Unit& unit : image->units) {
      if (!unit.source) return std::nullopt;
      hash.add(unit.source->text());
    }
    const Digest digest = hash.digest();
    digests_[image.get()] = {image, digest};
    return digest;
  }

  // What the stages cost, in milliseconds of processor time, and how many instructions they made.
  struct Costs {
    double lower = 0, canonicalise = 0, emit = 0;
    unsigned of_thread = 0, emitted = 0;
  };

  struct Making {
    KernelRecord record;
    ThreadProgram program;
    std::unique_ptr<llvm::Module> slow;  // in the program's context: parts that are apart
  };

  ThreadProgram make_program(const CompileRequest& request, const Meaning& meaning, Costs& costs) const {
    Stopwatch watch;
    ThreadProgram program = lower(*request.image, request.function, meaning);
    costs.lower += watch.lap_ms();
    if (program.needs.reference) return program;
    prepare_thread(program, request.shape);
    costs.canonicalise += watch.lap_ms();
    return program;
  }

  void tell(const std::string& what, const Costs& costs, const Machine::Object& object) const {
    if (!trace_) return;
    char text[240];
    std::snprintf(text, sizeof text,
                  ": processor time: lower %.1f ms, canonicalise %.1f, emit %.1f, optimise %.1f, code %.1f; "
                  "%u instructions of a thread, %u emitted",
                  costs.lower, costs.canonicalise, costs.emit, object.optimise_ms, object.code_ms,
                  costs.of_thread, costs.emitted);
    trace_("jit: " + what + text);
  }

  void expand(llvm::Module& module, bool flush_mode, Tier tier) const {
    if (tier == Tier::quick) share_math(module, machine_.host());
    for (llvm::Function& f : module) {
      if (!f.isDeclaration()) expand_math(f, machine_.host(), flush_mode);
    }
  }

  // Vectors where they can be, threads with stacks of their own where those may wait for one another, and
  // what neither takes for the reference executor.
  Making make(const CompileRequest& request, const Meaning& meaning) {
    Making making;
    auto& [record, program, slow] = making;
    Costs costs;
    program = make_program(request, meaning, costs);
    Stopwatch watch;
    bool woven = false;
    costs.of_thread = program.module ? program.module->getInstructionCount() : 0;
    const bool by_warps =
        program.needs.independent_threads && meaning.independent && may_be_warps(program, *request.image);
    const bool instead = request.large_by_threads && meaning.observed == observe::nothing &&
                         request.tier == Tier::quick && costs.of_thread <= most_of_a_thread &&
                         program.entry != nullptr &&
                         (by_warps || !may_want_lockstep(*program.entry, meaning.independent));
    const Tier tier = by_warps && costs.of_thread > most_of_best_warps ? Tier::quick : request.tier;
    if (vectors_ && !program.needs.reference && (!program.needs.independent_threads || by_warps)) {
      prepare_vectors(program, request.shape);
      const WeaveResult result =
          weave(program, request.shape,
                choose_plan(program, request.shape, machine_.host().level, machine_.gathers(), tier),
                machine_.host().level);
      woven = result.refused.empty();
      record.reason = result.refused;
      // Where every instruction becomes many (each branch diverges, each barrier has its copies), threads on
      // their own are there a second and more before.
      const unsigned instructions = woven ? program.module->getInstructionCount() : 0;
      const unsigned most_quick = by_warps ? most_quick_warps
                                           : std::clamp(costs.of_thread * vectors_a_thread,
                                                        most_quick_vectors, most_quick_vectors_of_any);
      if (instead && instructions > most_quick) {
        woven = false;
        record.vector_instructions = by_warps ? instructions / warps_cost_less : instructions;
      }
      record.slot_bytes = result.slot_bytes;
      record.uses_shared = result.uses_shared;
      record.uses_steps = result.uses_steps;
      if (woven && !result.slow.empty()) slow = move_to_own_module(*program.module, result.slow);
      record.slow_parts = woven ? result.slow.size() : 0;
      record.by_warps = woven && by_warps;
      if (!woven) {
        program.module.reset();  // before its context
        program = make_program(request, meaning, costs);
      }
    }
    if (program.needs.reference) {
      record.reason = program.needs.reason;
      return making;
    }
    if (!woven && meaning.observed != observe::nothing) {
      record.reason = "threads on their own tell an observer nothing of warps";
      return making;
    }
    if (!woven) {
      // Earlier devices move a warp in lockstep, which threads on their own do not: only those may that
      // cannot tell.
      if (!meaning.independent && record.vector_instructions == 0) {
        if (record.reason.empty()) record.reason = "lanes that wait for one another in lockstep";
        return making;
      }
      record.by_threads = true;
      record.recursive = !program.functions.empty();
      record.slot_bytes = 0;
      record.uses_shared = true;
      record.uses_steps = has_steps(*program.module);
      keep_in_step(program, *request.image, request.shape.block);
      emit_threads(program, *request.image, request.function, request.shape);
    }
    record.reason.clear();
    record.sites = program.sites;
    record.watches = program.needs.watches;
    record.local_bytes = program.local_bytes;
    record.local_granule = program.local_granule;
    record.flush_mode = program.flush_mode;
    expand(*program.module, program.flush_mode, tier);
    costs.emit = watch.lap_ms();
    costs.emitted = program.module->getInstructionCount();
    auto object =
        machine_.compile(*program.module, tier,
                         record.by_threads ? Machine::values_on_thread_stack : Machine::values_on_stack);
    if (!object) {
      // What LLVM was in the middle of stays as it is.
      (void)slow.release(), (void)program.module.release();
      (void)program.context.release();
      record.reason = object.error();
      return making;
    }
    tell(request.image->functions[request.function].name, costs, *object);
    record.object = std::move(object->bytes);
    return making;
  }

  // Slow parts whose kernel may run already; in the cache both are one entry, which is whole then.
  std::shared_ptr<SlowCode> slow_later(Making making, const std::optional<Digest>& key, bool best,
                                       std::string name) {
    auto what = std::make_shared<Making>(std::move(making));
    what->program.module.reset();  // the kernel's own
    return std::make_shared<SlowCode>([this, what, key, best, name = std::move(name)]() -> LoadedSlowCode {
      auto& [record, program, module] = *what;
      Costs costs;
      Stopwatch watch;
      expand(*module, program.flush_mode, Tier::quick);
      costs.emit = watch.lap_ms();
      costs.emitted = module->getInstructionCount();
      auto object = machine_.compile(*module, Tier::quick, Machine::values_on_stack);
      if (!object) {
        (void)module.release(), (void)program.context.release();  // LLVM was in the middle of it
        return object.error();
      }
      tell(name + ", its slow code", costs, *object);
      record.slow_object = std::move(object->bytes);
      if (key && cache_->store(*key, write_record(record)) && best) experiences_->remove(*key);
      return load_slow(record.slow_object, record.slow_parts);
    });
  }

  LoadedSlowCode load_slow(const std::string& object, uint64_t parts) const {
    auto code = machine_.load({.bytes = object});
    if (!code) return code.error();
    SlowCode::Loaded loaded{std::move(*code), {}};
    for (uint64_t n = 0; n < parts; ++n) {
      void* entry = loaded.code->find(slow_symbol(n));
      if (entry == nullptr) return std::string("machine code: a slow part is missing");
      loaded.entries.push_back(reinterpret_cast<SlowCode::Entry>(entry));
    }
    return loaded;
  }

  Compiled make_kernel(KernelRecord record, const module::Image& image, std::shared_ptr<SlowCode> slow) {
    if (record.object.empty()) return Refusal{record.reason};
    if (slow == nullptr && record.slow_parts != 0) {
      auto loaded = load_slow(record.slow_object, record.slow_parts);
      if (!loaded) return Refusal{loaded.error()};
      slow = std::make_shared<SlowCode>(std::move(*loaded));
    }
    auto code = machine_.load({.bytes = std::move(record.object)});
    if (!code) return Refusal{code.error()};
    void* entry = (*code)->find(kernel_symbol);
    if (!entry) return Refusal{"machine code: has no kernel"};
    auto kernel = std::make_shared<CompiledKernel>();
    kernel->entry = reinterpret_cast<KernelEntry>(entry);
    kernel->sites = std::move(record.sites);
    kernel->slot_bytes = record.slot_bytes;
    kernel->local_bytes = record.local_bytes;
    kernel->local_granule = static_cast<unsigned>(record.local_granule);
    kernel->uses_shared = record.uses_shared;
    kernel->uses_steps = record.uses_steps;
    if (record.uses_steps) {
      kernel->textures = texture::forms_of(image, kernel->sites);
      kernel->matrices = matrix::forms_of(image, kernel->sites);
    }
    kernel->by_threads = record.by_threads;
    kernel->by_warps = record.by_warps;
    kernel->watches = record.watches;
    kernel->vector_instructions = record.vector_instructions;
    kernel->flush_mode = record.flush_mode;
    kernel->recursive = record.recursive;
    kernel->level = machine_.host().level;
    kernel->code = std::move(*code);
    kernel->slow = std::move(slow);
    return Kernel(std::move(kernel));
  }

  // Beyond, threads of their own take long as well.
  static constexpr unsigned most_of_a_thread = 60'000;
  static constexpr unsigned most_quick_vectors = 40'000, vectors_a_thread = 25;
  // LLVM takes some 30 us for each, and more than linearly so: 75 us at 166,000.
  static constexpr unsigned most_quick_vectors_of_any = 100'000;

  // A warp on its own runs the whole program in one piece, of which LLVM makes better code with more than the
  // square of its size: beyond, the first tier's is the last one's.
  static constexpr unsigned most_of_best_warps = 1'000, warps_cost_less = 5, most_quick_warps = 10'000;

  Machine machine_;
  const bool vectors_;
  const std::function<void(const std::string&)> trace_;
  std::optional<cache::DiskCache> cache_;
  std::optional<Experiences> experiences_;  // with the cache
  std::mutex mutex_;
  std::unordered_map<const module::Image*, std::pair<std::weak_ptr<const module::Image>, Digest>> digests_;
  std::size_t look_at_ = 64;  // so many digests, and those are looked for whose images are gone
};

}  // namespace

Result<std::unique_ptr<KernelCompiler>, std::string> make_kernel_compiler(const Options& options) {
  auto host = find_host(options.cpu.c_str());
  if (!host) return host.error();
  return std::unique_ptr<KernelCompiler>(std::make_unique<LlvmCompiler>(*host, options));
}

}  // namespace heddle::exec::jit
