#include "exec/jit/launch/kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "analysis/registers/estimate.h"
#include "analysis/residency.h"
#include "exec/jit/abi/asks_time.h"
#include "exec/jit/launch/host_state.h"
#include "exec/jit/launch/repeats.h"
#include "exec/jit/passes/costs.h"
#include "exec/readable_name.h"
#include "isa/isa.h"
#include "module/calls.h"
#include "observe/time.h"
#include "observe/values_of.h"
#include "support/process_end.h"

namespace heddle::exec::jit {

namespace {

constexpr uint8_t most_alignment = 4;

// Words of the parameter buffer that a kernel can have pointers in, at most: beyond, nothing is supposed.
constexpr std::size_t most_pointers = 32;

struct Alignments {
  std::array<uint8_t, most_pointers> log2{};
  std::size_t count = 0;
  std::span<const uint8_t> span() const { return {log2.data(), count}; }
};

// A word that is 0 fits everything: such a pointer is not used. A number that is no pointer says nothing, or
// each of its values would have code of its own.
Alignments alignments(const Launch& launch, std::span<const uint32_t> words, uint32_t shared) {
  Alignments result;
  result.count = words.size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    uint64_t value = 0;
    std::memcpy(&value, launch.params.data() + words[i] * 8, sizeof value);
    if (value == 0)
      result.log2[i] = most_alignment;
    else if ((shared >> i & 1) != 0 ||
             (launch.memory != nullptr && launch.memory->accessible(value, 1, false)))
      result.log2[i] = static_cast<uint8_t>(std::min<int>(std::countr_zero(value), most_alignment));
  }
  return result;
}

std::vector<uint32_t> find_pointer_words(const module::Image& image, const module::Function& entry) {
  std::vector<uint32_t> words;
  if (image.address_bits != 64) return words;
  for (const module::Parameter& parameter : entry.signature.params) {
    // What says that it is a number leads nowhere: a time that begins at 0 is no null pointer.
    if (isa::info(parameter.type).kind == isa::TypeKind::floating) continue;
    for (uint64_t offset = parameter.offset; offset + 8 <= parameter.offset + parameter.size; offset += 8)
      if (offset % 8 == 0 && words.size() < most_pointers) words.push_back(static_cast<uint32_t>(offset / 8));
  }
  return words;
}

uint32_t find_shared_pointers(const module::Function& entry, std::span<const uint32_t> words) {
  uint32_t shared = 0;
  for (std::size_t i = 0; i < words.size(); ++i)
    for (const module::Parameter& parameter : entry.signature.params)
      if (parameter.offset == words[i] * 8 && parameter.pointer && parameter.pointee == module::Space::shared)
        shared |= 1u << i;
  return shared;
}

// Of what the kernel reads, the registers that this launch sets to 0.
uint32_t zero_environment(const Launch& launch, uint32_t reads) {
  if (launch.environment.empty()) return 0;  // CUDA's: some are set behind our back
  uint32_t zeros = 0;
  for (uint32_t left = reads; left != 0; left &= left - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(left));
    if (index >= launch.environment.size() || launch.environment[index] == 0) zeros |= 1u << index;
  }
  return zeros;
}

uint32_t find_environment(const module::Image& image, uint32_t entry) {
  using enum isa::SpecialRegister;
  uint32_t reads = 0;
  for (const uint32_t function : module::reachable_functions(image, entry))
    for (const module::Operand& o : image.functions[function].operands) {
      const unsigned index = static_cast<unsigned>(o.special) - static_cast<unsigned>(envreg0);
      if (o.kind == module::OperandKind::special && o.special >= envreg0 && index < 32) reads |= 1u << index;
    }
  return reads;
}

bool cancels_blocks(const module::Image& image, uint32_t entry) {
  return std::ranges::any_of(module::reachable_functions(image, entry), [&](uint32_t function) {
    return std::ranges::any_of(image.functions[function].code, [](const module::Instruction& instruction) {
      return instruction.opcode == isa::Opcode::clusterlaunchcontrol;
    });
  });
}

// Of which one takes the reference executor as long as many others.
bool is_long(isa::Opcode opcode) {
  using enum isa::Opcode;
  switch (opcode) {
    case mma:
    case wmma:
    case wgmma:
    case tcgen05:
    case tex:
    case tld4:
    case suld:
    case sust:
    case sured: return true;
    default: return false;
  }
}

// How many instructions a warp executes at most: each once, where nothing goes back and nothing is called but
// the host's functions. 0: that is not known, or says too little.
uint64_t most_of_a_warp(const module::Image& image, uint32_t entry) {
  const module::Function& function = image.functions[entry];
  if (std::ranges::any_of(function.callees, [&](uint32_t callee) { return image.functions[callee].defined; }))
    return 0;
  if (std::ranges::any_of(function.code, [](const module::Instruction& one) { return is_long(one.opcode); }))
    return 0;
  for (const module::Block& block : function.blocks)
    for (const uint32_t next : block.successors)
      if (function.blocks[next].order <= block.order) return 0;
  return function.code.size();
}

// Whether the grid is one of many small blocks. Who watches is told of each.
bool merges(const Launch& launch) {
  const uint64_t threads = launch.shape.block.count();
  return launch.shape.cluster.count() == 1 && threads <= cost::most_merged_block &&
         threads * launch.shape.grid.x >= cost::least_merged_row && launch.shape.dynamic_shared == 0 &&
         !launch.shape.cooperative && launch.observer == nullptr;
}

// Of code that supposes nothing.
Shape least_shape(const Launch& launch) {
  Shape shape;
  shape.block = launch.shape.block;
  shape.merges = merges(launch);
  shape.cluster = launch.shape.cluster;
  shape.word_alignment.resize((launch.params.size() + 7) / 8);
  return shape;
}

void suppose(Shape& shape, std::span<const uint32_t> words, std::span<const uint8_t> alignment,
             uint32_t zeros) {
  for (std::size_t i = 0; i < alignment.size(); ++i) shape.word_alignment[words[i]] = alignment[i];
  shape.zero_environment = zeros;
}

Observed observed_needs(const Launch& launch) {
  if (launch.observer == nullptr) return observe::nothing;
  const auto needs = static_cast<uint8_t>(launch.observer->needs());
  return static_cast<Observed>(
      (needs & (observe::needs_of_code | ((needs & observe::accesses) != 0 ? observe::spares : 0))) |
      (counts_repeats_of(launch) ? counts_repeats : observe::nothing) |
      observed_values(observe::value_kinds_of(launch.observer)) |
      (observe::tells_time(launch.observer) ? asks_time : observe::nothing));
}

std::string shape_text(const Dim3& d) {
  std::string text = std::to_string(d.x);
  if (d.y != 1 || d.z != 1) text += "x" + std::to_string(d.y);
  if (d.z != 1) text += "x" + std::to_string(d.z);
  return text;
}

}  // namespace

std::size_t Kernels::Hash::operator()(const Key& key) const {
  uint64_t hash = reinterpret_cast<uintptr_t>(key.image) >> 4;
  const auto mix = [&hash](uint64_t value) { hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15; };
  mix(key.function | uint64_t{key.observed} << 32);
  mix(reinterpret_cast<uintptr_t>(key.device));
  mix(key.merges ? 1 : 0);
  mix(key.block.x | uint64_t{key.block.y} << 20 | uint64_t{key.block.z} << 40);
  mix(key.cluster.x | uint64_t{key.cluster.y} << 20 | uint64_t{key.cluster.z} << 40);
  return static_cast<std::size_t>(hash ^ hash >> 32);
}

Kernels::Key Kernels::key_of(const Launch& launch) {
  return {launch.module->image.get(), launch.device,  launch.function,     launch.shape.block,
          observed_needs(launch),     merges(launch), launch.shape.cluster};
}

Kernels::Kernels(const Options& options, std::unique_ptr<KernelCompiler> compiler)
    : options_(options), compiler_(std::move(compiler)) {}

// The variant that supposes most of those that suppose nothing wrong. `exact`: only one that supposes all
// that there is to suppose.
Variant* Kernels::match(Kernel& kernel, std::span<const uint8_t> alignment, uint32_t zeros, bool exact) {
  Variant* best = nullptr;
  unsigned best_sum = 0;
  for (Variant& variant : kernel.variants) {
    const uint32_t supposed_zeros = variant.shape.zero_environment;
    auto sum = static_cast<unsigned>(std::popcount(supposed_zeros));
    auto most = static_cast<unsigned>(std::popcount(zeros));
    bool fits = (supposed_zeros & ~zeros) == 0;
    for (std::size_t i = 0; i < alignment.size(); ++i) {
      const uint8_t supposed = variant.shape.word_alignment[kernel.pointer_words[i]];
      fits &= supposed <= alignment[i];
      sum += supposed;
      most += alignment[i];
    }
    if (!fits || (exact && sum != most) || (best != nullptr && sum <= best_sum)) continue;
    best = &variant;
    best_sum = sum;
  }
  return best;
}

Kernels::Found Kernels::find(const Launch& launch) {
  std::shared_ptr<Kernel> kernel;
  {
    const std::lock_guard lock(mutex_);
    kernel = known_with_lock(launch);
    if (kernel->refused) return {};
    const Alignments alignment = alignments(launch, kernel->pointer_words, kernel->shared_pointers);
    const uint32_t zeros = zero_environment(launch, kernel->environment);
    Variant* variant =
        match(*kernel, alignment.span(), zeros, kernel->variants.size() <= cost::most_variants);
    if (variant != nullptr) return {variant, kernel->has_handles, kernel->registers, kernel->cancels};
  }
  return compile(launch, kernel);
}

// Nothing for a launch that will run without code for certain, though others come before it.
void Kernels::prepare(const Launch& launch) {
  Shape shape = least_shape(launch);
  {
    const std::lock_guard lock(mutex_);
    const std::shared_ptr<Kernel> kernel = known_with_lock(launch);
    if (is_small(launch, *kernel, 2)) return;
    suppose(shape, kernel->pointer_words,
            alignments(launch, kernel->pointer_words, kernel->shared_pointers).span(),
            zero_environment(launch, kernel->environment));
  }
  CompileRequest best = request_for(launch, std::move(shape)), first = best;
  first.tier = options_.tier.value_or(Tier::quick);
  compiler_->prepare(std::array{std::move(first), std::move(best)});
}

std::shared_ptr<Kernels::Kernel> Kernels::known_with_lock(const Launch& launch) {
  const std::shared_ptr<const module::Image>& image = launch.module->image;
  const Key key = key_of(launch);
  const auto found = kernels_.find(key);
  // An image that is gone may have had the same address.
  if (found != kernels_.end() && !found->second->image.owner_before(image) &&
      !image.owner_before(found->second->image))
    return found->second;
  return kernels_[key] = make_kernel(launch);
}

CompileRequest Kernels::request_for(const Launch& launch, Shape shape) const {
  CompileRequest request{launch.module->image, launch.function, launch.device, std::move(shape), Tier::best};
  // Blocks that run together take a stack for each thread of the grid.
  request.large_by_threads = !options_.tier && !launch.shape.cooperative;
  request.observed = observed_needs(launch);
  return request;
}

std::shared_ptr<Kernels::Kernel> Kernels::make_kernel(const Launch& launch) {
  if (kernels_.size() >= look_at_) {
    std::erase_if(kernels_, [](const auto& entry) { return entry.second->image.expired(); });
    look_at_ = std::max<std::size_t>(64, 2 * kernels_.size());
  }
  const module::Image& image = *launch.module->image;
  auto kernel = std::make_shared<Kernel>();
  kernel->image = launch.module->image;
  const module::Function& entry = image.functions[launch.function];
  kernel->pointer_words = find_pointer_words(image, entry);
  kernel->shared_pointers = find_shared_pointers(entry, kernel->pointer_words);
  kernel->environment = find_environment(image, launch.function);
  kernel->most_of_a_warp = most_of_a_warp(image, launch.function);
  if (launch.device != nullptr && analysis::reads_place(image, launch.function))
    kernel->registers =
        std::max(analysis::estimate_registers(image, launch.function, launch.device->arch).registers, 1u);
  kernel->cancels = cancels_blocks(image, launch.function);
  kernel->has_handles = std::ranges::any_of(
      image.symbols, [](const module::Symbol& symbol) { return symbol.kind != module::SymbolKind::memory; });
  return kernel;
}

// Its launches so far and this one take at most a part of what is worth it.
bool Kernels::is_small(const Launch& launch, const Kernel& kernel, uint64_t part) const {
  if (!options_.small_by_reference || kernel.most_of_a_warp == 0 || launch.observer != nullptr ||
      launch.shape.cooperative || launch.shape.cluster.count() != 1)
    return false;
  const uint64_t most =
      (cost::ticks_before_code + kernel.most_of_a_warp * cost::ticks_before_code_of_instruction) / part;
  const uint64_t warps = launch.shape.grid.count() * ((launch.shape.block.count() + 31) / 32);
  const uint64_t each = kernel.most_of_a_warp * cost::ticks_of_reference;
  return warps <= most / each &&
         kernel.reference_ticks.load(std::memory_order_relaxed) + warps * each <= most;
}

Kernels::Found Kernels::compile(const Launch& launch, const std::shared_ptr<Kernel>& kernel) {
  const std::lock_guard one_at_a_time(kernel->compiling);
  const Alignments alignment = alignments(launch, kernel->pointer_words, kernel->shared_pointers);
  const uint32_t zeros = zero_environment(launch, kernel->environment);
  Shape shape = least_shape(launch);
  {
    const std::lock_guard lock(mutex_);
    if (kernel->refused) return {};
    const bool more = kernel->variants.size() < cost::most_variants;
    if (Variant* variant = match(*kernel, alignment.span(), zeros, more))
      return {variant, kernel->has_handles, kernel->registers, kernel->cancels};
    if (more) suppose(shape, kernel->pointer_words, alignment.span(), zeros);
  }
  const bool small = is_small(launch, *kernel);
  if (small && kernel->none_kept) return {.small = &kernel->reference_ticks};
  Tier tier = options_.tier.value_or(Tier::quick);
  const auto start = std::chrono::steady_clock::now();
  const uint64_t start_ticks = ticks();
  CompileRequest request = request_for(launch, shape);
  Result<std::shared_ptr<const CompiledKernel>, Refusal> compiled{std::shared_ptr<const CompiledKernel>()};
  if (!options_.tier) compiled = compiler_->kept(request);
  if (*compiled == nullptr) {
    request.tier = tier;
    if (small) {
      compiled = compiler_->kept(request);
      if (*compiled == nullptr) {
        kernel->none_kept = true;
        if (options_.trace)
          options_.trace("jit: " + launch.module->image->functions[launch.function].name +
                         " begins on the reference executor, which is through before code would be there");
        return {.small = &kernel->reference_ticks};
      }
    } else {
      compiled = compiler_->compile(request);
    }
  } else {
    tier = Tier::best;  // made by a process before this one
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  const uint64_t took_ticks = ticks() - start_ticks;
  const bool learns = !options_.tier && tier == Tier::quick && request.observed == observe::nothing;
  Experience earlier;
  if (learns && compiled) {
    request.tier = Tier::best;
    earlier = compiler_->experience(request);
  }
  const std::lock_guard lock(mutex_);
  if (!compiled) {
    kernel->refused = true;
    tell_with_lock(launch, compiled.error().reason, compiled.error().trivial);
    return {};
  }
  Variant& variant = kernel->variants.emplace_back();
  variant.shape = std::move(shape);
  (tier == Tier::best ? variant.best : variant.quick) = std::move(*compiled);
  variant.current = tier == Tier::best ? variant.best.get() : variant.quick.get();
  const CompiledKernel& made = tier == Tier::best ? *variant.best : *variant.quick;
  // At once when there is no thread for it: the end of the process waits for it.
  if (made.slow != nullptr && !slow_codes_.add([slow = made.slow] { (void)slow->make(); }))
    (void)made.slow->make();
  variant.best_asked = options_.tier.has_value() || tier == Tier::best ||
                       made.vector_instructions > cost::most_vector_instructions;
  variant.best_from = std::max({cost::worth_the_best, took_ticks / cost::part_of_quick,
                                made.vector_instructions * cost::ticks_of_vector_instruction});
  variant.earlier = earlier;
  variant.quick_cost = std::max(earlier.quick, took_ticks);
  variant.total_ticks = variant.noted_ticks = earlier.ran;
  if (learns) variant.note_at = earlier.ran + cost::worth_a_note;
  const Order order{launch.module->image, kernel, launch.device, launch.function, request.observed, &variant};
  if (options_.trace) say(order, tier, took.count());
  if (!variant.best_asked && earlier.ran >= variant.best_from) {
    variant.best_asked = true;
    // Who rents skis until that has cost as much as to buy them pays at most twice of what was needed.
    variant.best_pays = earlier.ran >= cost::worth_the_best + cost::best_costs_quick * variant.quick_cost;
    if (options_.trace)
      options_.trace("jit: " + launch.module->image->functions[launch.function].name +
                     " has taken time in earlier processes: its best code is made now" +
                     (variant.best_pays ? ", and waited for" : ""));
    (void)best_codes_.add([this, order] { make_best(order); });
  }
  return {&variant, kernel->has_handles, kernel->registers, kernel->cancels};
}

uint32_t Kernels::registers(const Launch& launch, Variant& variant) {
  uint32_t found = variant.registers.load(std::memory_order_relaxed);
  if (found != 0) return found;
  const module::Image& image = *launch.module->image;
  found = std::max(analysis::estimate_registers(image, launch.function, launch.device->arch).registers, 1u);
  variant.registers.store(found, std::memory_order_relaxed);
  return found;
}

void Kernels::note(const Launch& launch, Variant& variant, uint64_t total) {
  CompileRequest request{launch.module->image, launch.function, launch.device, variant.shape, Tier::best};
  const uint64_t more = total - std::min(total, variant.noted_ticks.exchange(total));
  compiler_->note(request, {.ran = more, .quick = variant.quick_cost});
}

void Kernels::goes_to_reference(const Launch& launch, std::string_view why) {
  const std::lock_guard lock(mutex_);
  if (!told_.contains(launch.module->image->functions[launch.function].name)) tell_with_lock(launch, why);
}

void Kernels::tell_with_lock(const Launch& launch, std::string_view why, bool trivial) {
  const std::string& name = launch.module->image->functions[launch.function].name;
  const bool first = told_.insert(name).second;
  if (options_.trace)
    options_.trace("jit: " + name + " runs on the reference executor: " + std::string(why));
  else if (first && !trivial && options_.tell)
    options_.tell("kernel '" + readable_name(name) +
                  "' runs on the reference executor, which is slow: " + std::string(why));
}

void Kernels::say(const Order& order, Tier tier, double milliseconds) const {
  std::string text = "jit: compiled " + order.image->functions[order.function].name + " for blocks of " +
                     shape_text(order.variant->shape.block) + ", pointers aligned to";
  for (const uint32_t word : order.kernel->pointer_words)
    text += " " + std::to_string(1u << order.variant->shape.word_alignment[word]);
  const CompiledKernel& made = *(tier == Tier::best ? order.variant->best : order.variant->quick);
  if (made.by_threads) text += ", threads on their own";
  if (made.by_warps) text += ", warps on their own";
  if (made.blocks_wait) text += ", blocks take turns";
  char took[64];
  std::snprintf(took, sizeof took, ", %s, %.1f ms", tier == Tier::best ? "best" : "quick", milliseconds);
  options_.trace(text + took);
}

void Kernels::ran(const Launch& launch, Variant& variant, float block_ticks, uint64_t ticks) {
  variant.block_ticks.store(block_ticks, std::memory_order_relaxed);
  const uint64_t total = variant.total_ticks.fetch_add(ticks, std::memory_order_relaxed) + ticks;
  if (total >= variant.best_from) ask_for_best(launch, variant);
  uint64_t at = variant.note_at.load(std::memory_order_relaxed);
  if (at == 0 || total < at) return;
  const bool better = variant.current.load(std::memory_order_relaxed) != variant.quick.get();
  const uint64_t next = better ? 0 : variant.earlier.ran + 2 * (total - variant.earlier.ran);
  if (variant.note_at.compare_exchange_strong(at, next) && !better) note(launch, variant, total);
}

void Kernels::ask_for_best(const Launch& launch, Variant& variant) {
  if (variant.best_asked.load(std::memory_order_relaxed) || variant.best_asked.exchange(true)) return;
  const Key key = key_of(launch);
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(key);
  if (found == kernels_.end()) return;
  const Order order{launch.module->image, found->second, launch.device,
                    launch.function,      key.observed,  &variant};
  (void)best_codes_.add([this, order] { make_best(order); });
}

void Kernels::make_best(const Order& order) {
  const auto start = std::chrono::steady_clock::now();
  const uint64_t start_ticks = ticks();
  CompileRequest request{order.image, order.function, order.device, order.variant->shape, Tier::best};
  request.observed = order.observed;
  // Short processes would each begin it, and leave it, for ever.
  const auto left = [&] {
    if (order.observed != observe::nothing) return;
    compiler_->note(request, {.ran = ticks() - start_ticks, .quick = order.variant->quick_cost});
  };
  const LibraryWork work = order.variant->best_pays ? LibraryWork() : LibraryWork(left);
  if (!work.may_begin()) return;
  auto compiled = compiler_->compile(request);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  const std::lock_guard lock(mutex_);
  if (!compiled) return;  // it stays as it is
  order.variant->best = std::move(*compiled);
  order.variant->current.store(order.variant->best.get(), std::memory_order_release);
  if (options_.trace) say(order, Tier::best, took.count());
}

}  // namespace heddle::exec::jit
