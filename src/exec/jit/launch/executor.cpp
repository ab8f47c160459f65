#include "exec/jit/executor.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "analysis/residency.h"
#include "exec/jit/abi/place_register.h"
#include "exec/jit/launch/host_state.h"
#include "exec/jit/launch/kernels.h"
#include "exec/jit/launch/pool.h"
#include "support/fault_signals.h"

namespace heddle::exec::jit {

namespace {

struct alignas(16) Parameters {  // where code may load whole vectors from
  std::byte bytes[16];
};

// Each has a stack, of which some pages are used.
constexpr uint64_t most_threads_together = 1 << 17;
// Each has 4 GiB of addresses and more (fiber/cluster_memory.h).
constexpr uint64_t most_blocks_of_clusters = 1024;

class JitExecutor final : public Executor {
 public:
  JitExecutor(const Options& options, std::unique_ptr<KernelCompiler> compiler,
              std::unique_ptr<Executor> reference, std::unique_ptr<ReferenceLanesFactory> lanes)
      : reference_(std::move(reference)),
        lanes_(std::move(lanes)),
        kernels_(options, std::move(compiler)),
        pool_(options.threads) {}

  std::string_view name() const override { return "jit"; }
  bool provides(std::string_view function) const override { return reference_->provides(function); }

  void prepare(const Launch& launch) override {
    if (!why_reference(launch)) kernels_.prepare(launch);
  }

  Result<LaunchReport, Fault> run(const Launch& launch) override {
    if (const char* why = why_reference(launch)) return by_reference(launch, why);
    const auto asked =
        launch.deadline ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    const Kernels::Found found = kernels_.find(launch);
    if (found.small != nullptr) {
      const uint64_t start = ticks();
      auto report = reference_->run(launch);
      found.small->fetch_add(ticks() - start, std::memory_order_relaxed);
      return report;
    }
    if (found.variant == nullptr) return reference_->run(launch);
    Variant& variant = *found.variant;
    // Places are dealt to blocks in their order, of which clusters take several rows at once.
    if (found.registers != 0 && launch.shape.cluster.y * launch.shape.cluster.z != 1)
      return by_reference(launch, "it asks where it runs, and is launched in clusters of several rows");

    Job job(launch, *variant.current.load(std::memory_order_acquire), &variant.current);
    if (job.together && job.kernel.recursive)
      return by_reference(launch, "it is recursive, and launched as a cooperative grid");
    if (job.together && job.kernel.by_threads &&
        launch.shape.grid.count() * launch.shape.block.count() > most_threads_together)
      return by_reference(launch, "its cooperative grid has more than " +
                                      std::to_string(most_threads_together) +
                                      " threads, each of which would need a stack");
    // A device's limit is for the kernel, which takes no part in how long it is compiled here.
    if (job.deadline) *job.deadline += std::chrono::steady_clock::now() - asked;
    job.lanes = lanes_.get();
    job.one_by_one = found.cancels;
    job.parameters = launch.params.data();
    std::vector<Parameters> aligned;
    if (reinterpret_cast<uintptr_t>(job.parameters) % alignof(Parameters) != 0 && !launch.params.empty()) {
      aligned.resize((launch.params.size() + sizeof(Parameters) - 1) / sizeof(Parameters));
      std::memcpy(aligned.data(), launch.params.data(), launch.params.size());
      job.parameters = aligned.front().bytes;
    }
    job.symbols = launch.module->symbol_address.data();
    std::vector<uint64_t> symbols;
    if (found.has_handles) {
      const LoadedModule& loaded = *launch.module;
      symbols = loaded.symbol_address;
      for (std::size_t i = 0; i < symbols.size(); ++i)
        if (loaded.image->symbols[i].kind != module::SymbolKind::memory) symbols[i] = loaded.symbol_handle[i];
      job.symbols = symbols.data();
    }
    if (found.registers != 0) {
      const module::Function& entry = launch.module->image->functions[launch.function];
      const uint32_t resident = analysis::resident_blocks(launch.device->arch, entry, found.registers,
                                                          static_cast<uint32_t>(launch.shape.block.count()),
                                                          launch.shape.dynamic_shared);
      job.place = place_word(resident, launch.device->arch.multiprocessor.schedulers);
      const uint64_t at_once = uint64_t{resident} * launch.device->board.multiprocessors;
      if (!job.together && launch.shape.grid.count() > at_once)
        job.started.emplace(std::max<uint64_t>(at_once / job.in_cluster, 1), pool_.threads());
    }
    if (job.kernel.may_wait())
      job.find_most_at_once = [&] { return most_at_once(launch, variant, job.kernel); };
    job.block_ticks.store(variant.block_ticks.load(std::memory_order_relaxed), std::memory_order_relaxed);
    if (!variant.best_asked.load(std::memory_order_relaxed)) {
      job.patience = variant.best_from - std::min(variant.best_from, variant.total_ticks.load());
      job.impatient = [&] { kernels_.ask_for_best(launch, variant); };
    }
    // A launch right behind another one leaves a program no time to set a handler between them.
    constexpr uint64_t no_time = 600;
    if (ticks() - last_end_.load(std::memory_order_relaxed) > no_time) keep_fault_handlers();
    pool_.run(job);
    last_end_.store(ticks(), std::memory_order_relaxed);
    if (job.fault) return std::move(*job.fault);
    kernels_.ran(launch, variant, job.block_ticks.load(std::memory_order_relaxed),
                 job.total_ticks.load(std::memory_order_relaxed));
    return LaunchReport{};
  }

 private:
  static const char* why_reference(const Launch& launch) {
    if (launch.shape.cluster.count() == 1) return nullptr;
    if (launch.observer != nullptr) return "it is launched in clusters, and watched";
    if (launch.shape.cooperative && launch.shape.grid.count() > most_blocks_of_clusters)
      return "it is launched in clusters, as a cooperative grid of more than 1,024 blocks";
    return nullptr;
  }
  // What the device holds, and what the host has stacks for.
  static uint64_t most_at_once(const Launch& launch, Variant& variant, const CompiledKernel& kernel) {
    const auto threads = static_cast<uint32_t>(launch.shape.block.count());
    const uint64_t in_cluster = launch.shape.cluster.count();
    const uint64_t stacks = (kernel.by_threads ? threads
                             : kernel.by_warps ? (threads + 31) / 32
                                               : 1) *
                            in_cluster;
    const module::Function& entry = launch.module->image->functions[launch.function];
    const uint32_t resident =
        analysis::resident_blocks(launch.device->arch, entry, Kernels::registers(launch, variant), threads,
                                  launch.shape.dynamic_shared);
    const uint64_t room = in_cluster == 1 ? ~uint64_t{0} : most_blocks_of_clusters / in_cluster;
    return std::clamp<uint64_t>(uint64_t{resident} * launch.device->board.multiprocessors / in_cluster, 1,
                                std::max<uint64_t>(std::min(most_threads_together / stacks, room), 1));
  }
  Result<LaunchReport, Fault> by_reference(const Launch& launch, std::string_view why) {
    kernels_.goes_to_reference(launch, why);
    return reference_->run(launch);
  }

  const std::unique_ptr<Executor> reference_;
  const std::unique_ptr<ReferenceLanesFactory> lanes_;
  Kernels kernels_;
  Pool pool_;
  std::atomic<uint64_t> last_end_{0};  // of a launch, in ticks
};

}  // namespace

std::unique_ptr<Executor> make_executor(Options options, std::unique_ptr<KernelCompiler> compiler,
                                        std::unique_ptr<Executor> reference,
                                        std::unique_ptr<ReferenceLanesFactory> lanes) {
  return std::make_unique<JitExecutor>(options, std::move(compiler), std::move(reference), std::move(lanes));
}

Result<std::unique_ptr<Executor>, std::string> make_executor(Options options,
                                                             std::unique_ptr<Executor> reference,
                                                             std::unique_ptr<ReferenceLanesFactory> lanes) {
  auto compiler = make_kernel_compiler(options);
  if (!compiler) return compiler.error();
  return make_executor(std::move(options), std::move(*compiler), std::move(reference), std::move(lanes));
}

}  // namespace heddle::exec::jit
