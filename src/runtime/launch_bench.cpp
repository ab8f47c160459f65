// What a launch costs: by the runtime alone, with an executor that returns at once (jit:0), and with the one
// that is used (jit:1), whose kernel is empty. Run it on a quiet machine; both clocks are the whole
// process's, so a thread that burns time shows.
#include <benchmark/benchmark.h>

#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/launch.h"
#include "runtime/load.h"

namespace heddle::runtime {
namespace {

class NoExecutor final : public exec::Executor {
 public:
  std::string_view name() const override { return "none"; }
  bool provides(std::string_view) const override { return true; }
  Result<exec::LaunchReport, exec::Fault> run(const exec::Launch&) override { return exec::LaunchReport{}; }
};

class Machine {
 public:
  explicit Machine(bool jit) {
    SystemOptions options;
    if (!jit) options.executor = std::make_unique<NoExecutor>();
    auto system = System::create(std::move(options));
    system_ = std::move(*system);
    context_ = *system_->create_context(0, {});
    const ProgramText text{"empty.ptx",
                           ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry empty(.param .u64 p, .param .u32 n) { ret; }\n"};
    std::string log;
    module_ = *load_module(*context_, std::span(&text, 1), log);
    kernel_ = *module_->kernel("empty");
  }
  std::shared_ptr<Stream> stream() { return *context_->create_stream({}); }
  Context& context() { return *context_; }

  // As cuLaunchKernel does it.
  void launch(Stream& stream) {
    static const uint64_t address = 0;
    static const uint32_t count = 1;
    const void* const arguments[] = {&address, &count};
    auto bytes = pack_parameters(*kernel_, arguments);
    LaunchRequest request;
    request.kernel = kernel_;
    request.params = *bytes;
    if (!runtime::launch(stream, request)) std::abort();
  }

 private:
  std::unique_ptr<System> system_;
  std::shared_ptr<Context> context_;
  std::shared_ptr<Module> module_;
  Kernel* kernel_ = nullptr;
};

// Each launch waited for.
void synchronous(benchmark::State& state) {
  Machine machine(state.range(0) != 0);
  const auto stream = state.range(1) != 0 ? machine.context().default_stream() : machine.stream();
  for ([[maybe_unused]] auto step : state) {
    machine.launch(*stream);
    if (!stream->synchronize()) std::abort();
  }
}
BENCHMARK(synchronous)
    ->ArgNames({"jit", "default"})
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->MeasureProcessCPUTime()
    ->UseRealTime();

// A batch of launches, then one wait.
void queued(benchmark::State& state) {
  Machine machine(state.range(0) != 0);
  const auto stream = machine.stream();
  for ([[maybe_unused]] auto step : state) {
    for (int64_t i = 0; i < state.range(1); ++i) machine.launch(*stream);
    if (!stream->synchronize()) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
  state.counters["per_launch"] =
      benchmark::Counter(static_cast<double>(state.iterations() * state.range(1)),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(queued)
    ->ArgNames({"jit", "launches"})
    ->ArgsProduct({{0, 1}, {10, 200, 2000}})
    ->MeasureProcessCPUTime()
    ->UseRealTime();

// Waited for by an event, as programs that measure do.
void with_event(benchmark::State& state) {
  Machine machine(state.range(0) != 0);
  const auto stream = machine.stream();
  Event event(machine.context().shared_from_this());
  for ([[maybe_unused]] auto step : state) {
    machine.launch(*stream);
    if (!event.record(*stream) || !event.synchronize()) std::abort();
  }
}
BENCHMARK(with_event)->ArgName("jit")->Arg(0)->Arg(1)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace
}  // namespace heddle::runtime
