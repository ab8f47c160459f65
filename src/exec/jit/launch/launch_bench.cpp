// What a launch costs when the kernel does nothing, and what a block does.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "exec/jit/compiler/compiler.h"
#include "exec/jit/executor.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace {
std::atomic<uint64_t> allocations{0};
}

void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* data = std::malloc(bytes)) return data;
  throw std::bad_alloc();
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }

namespace heddle::exec::jit {
namespace {

class OneFunction final : public KernelCompiler {
 public:
  explicit OneFunction(KernelEntry entry) : entry_(entry) {}
  Result<std::shared_ptr<const CompiledKernel>, Refusal> compile(const CompileRequest&) override {
    auto kernel = std::make_shared<CompiledKernel>();
    kernel->entry = entry_;
    return std::shared_ptr<const CompiledKernel>(std::move(kernel));
  }

 private:
  const KernelEntry entry_;
};

class NoExecutor final : public Executor {
 public:
  std::string_view name() const override { return "none"; }
  bool provides(std::string_view) const override { return false; }
  Result<LaunchReport, Fault> run(const Launch&) override { return Fault{}; }
};
class NoLanes final : public ReferenceLanesFactory {
 public:
  std::unique_ptr<ReferenceLanes> make(const Launch&, observe::Sink*, UnstartedClusters*) override {
    return nullptr;
  }
};

class World {
 public:
  World(KernelEntry entry, unsigned threads) {
    auto source = std::make_shared<SourceText>(
        "bench.ptx",
        std::string(".version 8.0\n.target sm_80\n.address_size 64\n"
                    ".entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) { ret; }\n"));
    Diagnostics diagnostics;
    const ptx::Module syntax = ptx::read(source, diagnostics);
    const ptx::Module* const modules[] = {&syntax};
    loaded_.image = std::move(module::link(modules).value());
    Options options;
    options.threads = threads;
    executor_ = make_executor(options, std::make_unique<OneFunction>(entry), std::make_unique<NoExecutor>(),
                              std::make_unique<NoLanes>());
    memory_.add(0x10000, 0x10000, true);
    for (int i = 0; i < 3; ++i) params_[i] = 0x10000;
  }
  void launch(uint64_t blocks, const std::atomic<bool>* cancel = nullptr) {
    Launch launch;
    launch.module = &loaded_;
    launch.shape.grid = {static_cast<uint32_t>(blocks)};
    launch.shape.block = {256};
    launch.params = std::as_bytes(std::span(params_));
    launch.device = &arch::default_device();
    launch.memory = &memory_;
    launch.cancel = cancel;
    benchmark::DoNotOptimize(executor_->run(launch));
  }

 private:
  LoadedModule loaded_;
  GuestMemory memory_;
  alignas(16) uint64_t params_[4] = {};
  std::unique_ptr<Executor> executor_;
};

void nothing(Context*, uint64_t, uint64_t) {}

// Some nanoseconds a block.
void little(Context* context, uint64_t first, uint64_t count) {
  for (uint64_t i = first; i < first + count; ++i) {
    context->block[0] = static_cast<uint32_t>(i);
    benchmark::ClobberMemory();
  }
}

// About 5 us a block.
void much(Context*, uint64_t, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    float x = 1;
    for (int step = 0; step < 4000; ++step) benchmark::DoNotOptimize(x = x * 1.0001f + 0.5f);
  }
}

void empty_kernel(benchmark::State& state) {
  World world(nothing, 0);
  const std::atomic<bool> cancel{false};
  for (int i = 0; i < 3; ++i) world.launch(1, &cancel);
  const uint64_t before = allocations.load();
  for (auto _ : state) world.launch(1, &cancel);
  state.counters["allocations"] = benchmark::Counter(static_cast<double>(allocations.load() - before),
                                                     benchmark::Counter::kAvgIterations);
}
BENCHMARK(empty_kernel);

// Time per block, which must not depend on how many there are.
void blocks(benchmark::State& state) {
  World world(little, 0);
  const auto count = static_cast<uint64_t>(state.range(0));
  for (auto _ : state) world.launch(count);
  state.counters["a_block"] =
      benchmark::Counter(static_cast<double>(count),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(blocks)->RangeMultiplier(32)->Range(1, int64_t{1} << 31)->UseRealTime();

void threads(benchmark::State& state) {
  World world(much, static_cast<unsigned>(state.range(0)));
  for (auto _ : state) world.launch(4000);
}
BENCHMARK(threads)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

// Few blocks of 5 us: what of it is worth sharing.
void short_grid(benchmark::State& state) {
  World world(much, static_cast<unsigned>(state.range(0)));
  for (auto _ : state) world.launch(20);
}
BENCHMARK(short_grid)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace heddle::exec::jit
