// The disk cache around the compiler: what is kept becomes a kernel here, without LLVM.
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "cache/disk.h"
#include "exec/jit/abi/context.h"
#include "exec/jit/abi/processor.h"
#include "exec/jit/abi/repeats.h"
#include "exec/jit/codegen/compilers.h"
#include "exec/jit/codegen/loader.h"
#include "exec/jit/codegen/symbols.h"
#include "exec/jit/compiler/compiler.h"
#include "exec/jit/compiler/experience.h"
#include "exec/jit/compiler/maker.h"
#include "exec/jit/compiler/record.h"
#include "exec/jit/fiber/blocks.h"
#include "exec/jit/fiber/threads.h"
#include "exec/jit/fiber/warps.h"
#include "llvm/Config/llvm-config.h"  // a number, and nothing that needs the library
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

// What code may call besides the C library's and the compiler's own (symbols.h).
const void* find_helper(std::string_view name) {
  static const std::array helpers = std::to_array<std::pair<std::string_view, const void*>>({
      {"heddle_jit_step", address(&heddle_jit_step)},
      {"heddle_jit_matrix", address(&heddle_jit_matrix)},
      {"heddle_jit_fault", address(&heddle_jit_fault)},
      {"heddle_jit_resolve", address(&heddle_jit_resolve)},
      {"heddle_jit_observe", address(&heddle_jit_observe)},
      {"heddle_jit_observe_row", address(&heddle_jit_observe_row)},
      {"heddle_jit_observe_lanes", address(&heddle_jit_observe_lanes)},
      {"heddle_jit_observe_visit", address(&heddle_jit_observe_visit)},
      {"heddle_jit_observe_sync", address(&heddle_jit_observe_sync)},
      {"heddle_jit_observe_value", address(&heddle_jit_observe_value)},
      {"heddle_jit_clock", address(&heddle_jit_clock)},
      {"heddle_jit_slow", address(&heddle_jit_slow)},
      {"heddle_jit_give_way", address(&heddle_jit_give_way)},
      {"heddle_jit_want", address(&heddle_jit_want)},
      {"heddle_jit_run_threads", address(&heddle_jit_run_threads)},
      {"heddle_jit_run_warps", address(&heddle_jit_run_warps)},
      {"heddle_jit_wait", address(&heddle_jit_wait)},
      {"heddle_jit_part", address(&heddle_jit_part)},
      {"heddle_jit_arrive", address(&heddle_jit_arrive)},
      {"heddle_jit_gather", address(&heddle_jit_gather)},
      {"heddle_jit_together", address(&heddle_jit_together)},
  });
  for (const auto& [known, function] : helpers)
    if (known == name) return function;
  return find_runtime_function(name);
}

class CachingCompiler final : public KernelCompiler {
 public:
  CachingCompiler(Processor processor, const Options& options)
      : processor_(std::move(processor)), options_(options) {
    if (!options.cache_directory.empty()) {
      cache_.emplace(cache::Kind::kernel, options.cache_directory, options.cache_bytes);
      experiences_.emplace(options.cache_directory, options.cache_bytes);
    }
  }

  Compiled compile(const CompileRequest& request) override {
    const Meaning meaning =
        meaning_of(*request.image, *request.device, request.observed, request.shape.cluster);
    const std::optional<Digest> key = cache_ ? key_of(request, meaning) : std::nullopt;
    if (key) {
      if (auto kept = find(*key, request)) {
        if (request.tier == Tier::best) experiences_->remove(*key);
        return *kept;
      }
    }
    KernelMaker* const maker = find_maker();
    if (maker == nullptr) return Refusal{why_no_maker_};
    const LibraryWork work;
    if (!work.may_begin()) return Refusal{"the process ends: LLVM is not called any more", true};
    Made made = maker->make(request, meaning);
    std::shared_ptr<SlowCode> slow;
    if (made.slow)
      slow = slow_later(std::move(made.slow), made.record, key, request);
    else if (key && cache_->store(*key, write_record(made.record)) && request.tier == Tier::best)
      experiences_->remove(*key);
    return make_kernel(std::move(made.record), request, std::move(slow));
  }

  Kernel kept(const CompileRequest& request) override {
    const std::optional<Digest> at = key(request);
    const std::optional<Compiled> found = at ? find(*at, request) : std::nullopt;
    return found && *found ? **found : nullptr;
  }

  void prepare(std::span<const CompileRequest> requests) override {
    if (has_maker_.load(std::memory_order_relaxed)) return;
    for (const CompileRequest& request : requests)
      if (const auto at = key(request); at && cache_->has(*at)) return;
    (void)find_maker();
  }

  std::optional<Digest> key(const CompileRequest& request) override {
    if (!cache_) return std::nullopt;
    return key_of(request,
                  meaning_of(*request.image, *request.device, request.observed, request.shape.cluster));
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
  // Made when something has to be compiled: what it is made of is loaded then. nullptr: why_no_maker_.
  KernelMaker* find_maker() {
    std::call_once(maker_asked_, [this] {
      has_maker_.store(true, std::memory_order_relaxed);
      const Compilers* const compilers = heddle_compilers(why_no_maker_);
      if (compilers == nullptr) return;
      auto made = compilers->make_maker(options_);
      if (made)
        maker_ = std::move(*made);
      else
        why_no_maker_ = made.error();
    });
    return maker_.get();
  }

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
    hash.add(processor_.identity);
    hash.add(static_cast<uint64_t>(processor_.level));
    hash.add(std::as_bytes(std::span(*image)));
    hash.add(request.function);
    for (const uint64_t n : meaning.numbers()) {
      hash.add(n);
    }
    for (const uint32_t n : {request.shape.block.x, request.shape.block.y, request.shape.block.z})
      hash.add(n);
    hash.add(std::as_bytes(std::span(request.shape.word_alignment)));
    hash.add(uint64_t{request.shape.zero_environment});
    hash.add(uint64_t{request.shape.merges});
    hash.add(static_cast<uint64_t>(request.tier));
    hash.add(uint64_t{options_.vectors});
    for (const uint64_t word : options_.disabled.words()) hash.add(word);
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

  // In the cache a kernel and its slow parts are one entry, which is whole then.
  std::shared_ptr<SlowCode> slow_later(SlowMaking make, KernelRecord record, const std::optional<Digest>& key,
                                       const CompileRequest& request) {
    const bool best = request.tier == Tier::best;
    const auto names = names_of(request, record.sites);
    return std::make_shared<SlowCode>([this, make = std::move(make), record = std::move(record), key, best,
                                       names]() mutable -> LoadedSlowCode {
      auto object = make();
      if (!object) return object.error();
      record.slow_object = std::move(object->bytes);
      if (key && cache_->store(*key, write_record(record)) && best) experiences_->remove(*key);
      return load_slow(std::move(record.slow_object), record.slow_parts, names.get());
    });
  }

  // For debuggers; nullptr: none listens.
  std::shared_ptr<const debug::CodeNames> names_of(const CompileRequest& request,
                                                   std::span<const Site> sites) const {
    if (!options_.listeners.any()) return nullptr;
    const module::Image& image = *request.image;
    return std::make_shared<debug::CodeNames>(
        debug::names_of(image, image.functions[request.function].name, sites));
  }
  std::shared_ptr<void> announce(const Code& code, const debug::CodeNames* names) const {
    return names == nullptr ? nullptr : debug::announce(options_.listeners, code, *names);
  }

  static Result<std::shared_ptr<Code>, std::string> load(std::string object) {
    return load_object(std::move(object), find_helper);
  }

  LoadedSlowCode load_slow(std::string object, uint64_t parts, const debug::CodeNames* names) const {
    auto code = load(std::move(object));
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
    auto code = load(std::move(record.object));
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
    kernel->merged_blocks = static_cast<unsigned>(record.merged_blocks);
    kernel->uses_shared = record.uses_shared;
    kernel->uses_steps = record.uses_steps;
    if (record.uses_steps) {
      kernel->textures = texture::forms_of(image, kernel->sites);
      kernel->matrices = matrix::forms_of(image, kernel->sites);
    }
    kernel->by_threads = record.by_threads;
    kernel->by_warps = record.by_warps;
    kernel->blocks_wait = record.blocks_wait;
    kernel->watches = record.watches;
    kernel->vector_instructions = record.vector_instructions;
    kernel->flush_mode = record.flush_mode;
    kernel->recursive = record.recursive;
    kernel->level = processor_.level;
    kernel->announced = announce(**code, names.get());
    kernel->code = std::move(*code);
    kernel->slow = std::move(slow);
    return Kernel(std::move(kernel));
  }

  const Processor processor_;
  const Options options_;
  std::once_flag maker_asked_;
  std::atomic<bool> has_maker_{false};  // or will have none
  std::unique_ptr<KernelMaker> maker_;
  std::string why_no_maker_;
  std::optional<cache::DiskCache> cache_;
  std::optional<Experiences> experiences_;  // with the cache
  std::mutex mutex_;
  std::unordered_map<const module::Image*, std::pair<std::weak_ptr<const module::Image>, Digest>> digests_;
  std::size_t look_at_ = 64;  // so many digests, and those are looked for whose images are gone
};

}  // namespace

Result<std::unique_ptr<KernelCompiler>, std::string> make_kernel_compiler(const Options& options) {
  auto processor = find_processor(options.cpu.c_str());
  if (!processor) return processor.error();
  return std::unique_ptr<KernelCompiler>(std::make_unique<CachingCompiler>(std::move(*processor), options));
}

}  // namespace heddle::exec::jit
