// From a PTX entry to a kernel in machine code: all stages one after another, and the disk cache around them.
#include "exec/jit/compiler/compiler.h"

#include <cstdio>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "cache/disk.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/abi/repeats.h"
#include "exec/jit/codegen/machine.h"
#include "exec/jit/compiler/experience.h"
#include "exec/jit/compiler/record.h"
#include "exec/jit/fiber/blocks.h"
#include "exec/jit/fiber/threads.h"
#include "exec/jit/fiber/warps.h"
#include "exec/jit/ir/program.h"
#include "exec/jit/passes/compilation.h"
#include "exec/jit/vectorize/slow_part.h"
#include "exec/jit/vectorize/weave.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/xxhash.h"
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

class LlvmCompiler final : public KernelCompiler {
 public:
  LlvmCompiler(const Host& host, const Options& options)
      : machine_(host),
        vectors_(options.vectors),
        disabled_(options.disabled),
        listeners_(options.listeners),
        trace_(options.trace),
        tell_times_(options.tell_times) {
    machine_.bind("heddle_jit_step", address(&heddle_jit_step));
    machine_.bind("heddle_jit_matrix", address(&heddle_jit_matrix));
    machine_.bind("heddle_jit_fault", address(&heddle_jit_fault));
    machine_.bind("heddle_jit_resolve", address(&heddle_jit_resolve));
    machine_.bind("heddle_jit_observe", address(&heddle_jit_observe));
    machine_.bind("heddle_jit_observe_row", address(&heddle_jit_observe_row));
    machine_.bind("heddle_jit_observe_lanes", address(&heddle_jit_observe_lanes));
    machine_.bind("heddle_jit_observe_visit", address(&heddle_jit_observe_visit));
    machine_.bind("heddle_jit_observe_sync", address(&heddle_jit_observe_sync));
    machine_.bind("heddle_jit_observe_value", address(&heddle_jit_observe_value));
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
      if (auto kept = find(*key, request)) {
        if (request.tier == Tier::best) experiences_->remove(*key);
        return *kept;
      }
    }
    const LibraryWork work;
    if (!work.may_begin()) return Refusal{"the process ends: LLVM is not called any more", true};
    Compilation made = make(request, meaning);
    KernelRecord record = record_of(made);
    std::shared_ptr<SlowCode> slow;
    if (made.slow)
      slow = slow_later(std::move(made), record, key, request);
    else if (key && cache_->store(*key, write_record(record)) && request.tier == Tier::best)
      experiences_->remove(*key);
    return make_kernel(std::move(record), request, std::move(slow));
  }

  Kernel kept(const CompileRequest& request) override {
    if (!cache_) return nullptr;
    const std::optional<Digest> key =
        key_of(request, meaning_of(*request.image, *request.device, request.observed));
    const std::optional<Compiled> found = key ? find(*key, request) : std::nullopt;
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
  std::optional<Compiled> find(const Digest& key, const CompileRequest& request) {
    const auto bytes = cache_->find(key);
    if (!bytes) return std::nullopt;
    if (auto record = read_record(*bytes)) {
      const bool refused = record->object.empty();
      Compiled kernel = make_kernel(std::move(*record), request, nullptr);
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
    hash.add(disabled_.bits());
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

  Compilation make(const CompileRequest& request, const Meaning& meaning) {
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
    record.vector_instructions = c.vector_instructions;
    record.uses_shared = c.uses_shared;
    record.uses_steps = c.uses_steps;
    record.by_threads = c.by_threads();
    record.by_warps = c.by_warps();
    record.watches = c.program.needs.watches;
    record.flush_mode = c.program.flush_mode;
    record.recursive = c.recursive;
    return record;
  }

  // Slow parts whose kernel may run already; in the cache both are one entry, which is whole then.
  std::shared_ptr<SlowCode> slow_later(Compilation made, KernelRecord of_kernel,
                                       const std::optional<Digest>& key, const CompileRequest& request) {
    struct What {
      std::unique_ptr<llvm::LLVMContext> context;
      std::unique_ptr<llvm::Module> module;
      KernelRecord record;
      bool flush_mode;
    };
    made.program.module.reset();  // the kernel's own
    auto what = std::make_shared<What>(std::move(made.program.context), std::move(made.slow),
                                       std::move(of_kernel), made.program.flush_mode);
    const bool best = request.tier == Tier::best;
    return std::make_shared<SlowCode>(
        [this, what, key, best, names = names_of(request, what->record.sites),
         name = request.image->functions[request.function].name]() -> LoadedSlowCode {
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
          what->record.slow_object = std::move(c.object);
          if (key && cache_->store(*key, write_record(what->record)) && best) experiences_->remove(*key);
          return load_slow(what->record.slow_object, what->record.slow_parts, names.get());
        });
  }

  // For debuggers; nullptr: none listens.
  std::shared_ptr<const debug::CodeNames> names_of(const CompileRequest& request,
                                                   std::span<const Site> sites) const {
    if (!listeners_.any()) return nullptr;
    const module::Image& image = *request.image;
    return std::make_shared<debug::CodeNames>(
        debug::names_of(image, image.functions[request.function].name, sites));
  }
  std::shared_ptr<void> announce(const Code& code, const debug::CodeNames* names) const {
    return names == nullptr ? nullptr : debug::announce(listeners_, code, *names);
  }

  LoadedSlowCode load_slow(const std::string& object, uint64_t parts, const debug::CodeNames* names) const {
    auto code = machine_.load({.bytes = object});
    if (!code) return code.error();
    SlowCode::Loaded loaded{.code = std::move(*code), .entries = {}};
    for (uint64_t n = 0; n < parts; ++n) {
      void* entry = loaded.code->find(slow_symbol(n));
      if (entry == nullptr) return std::string("machine code: a slow part is missing");
      loaded.entries.push_back(reinterpret_cast<SlowCode::Entry>(entry));
    }
    loaded.announced = announce(*loaded.code, names);
    return loaded;
  }

  Compiled make_kernel(KernelRecord record, const CompileRequest& request, std::shared_ptr<SlowCode> slow) {
    if (record.object.empty()) return Refusal{record.reason};
    const module::Image& image = *request.image;
    const auto names = names_of(request, record.sites);
    if (slow == nullptr && record.slow_parts != 0) {
      auto loaded = load_slow(record.slow_object, record.slow_parts, names.get());
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
    kernel->lanes = std::move(record.lanes);
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
    kernel->announced = announce(**code, names.get());
    kernel->code = std::move(*code);
    kernel->slow = std::move(slow);
    return Kernel(std::move(kernel));
  }

  Machine machine_;
  const bool vectors_;
  const PassSet disabled_;
  const debug::Listeners listeners_;
  const std::function<void(const std::string&)> trace_, tell_times_;
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
