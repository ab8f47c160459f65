// Speed of reading, verifying and writing PTX, and the memory that a module takes, over text as compilers
// write it.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "ptx/parse.h"
#include "ptx/realistic_text.h"

namespace {

std::atomic<std::size_t> live{0}, peak{0};

void* counted(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  const std::size_t now = live += malloc_usable_size(block);
  if (now > peak) peak = now;
  return block;
}

void released(void* block) {
  if (block == nullptr) return;
  live -= malloc_usable_size(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void operator delete(void* block) noexcept { released(block); }
void operator delete(void* block, std::size_t) noexcept { released(block); }

namespace heddle::ptx {
namespace {

constexpr double kMiB = 1 << 20;

std::shared_ptr<const SourceText> text_of(int64_t megabytes) {
  return std::make_shared<const SourceText>(
      "k.ptx", testing::RealisticText(1).module(static_cast<std::size_t>(megabytes) * 1'000'000));
}

template <Module (*read_text)(std::shared_ptr<const SourceText>, Diagnostics&)>
void bm_parse(benchmark::State& state) {
  const auto source = text_of(state.range(0));
  std::size_t held = 0, most = 0;
  for (auto _ : state) {
    Diagnostics diagnostics;
    const std::size_t before = live;
    peak = before;
    const Module module = read_text(source, diagnostics);
    benchmark::DoNotOptimize(module.functions.data());
    if (diagnostics.has_errors()) {
      state.SkipWithError(diagnostics.render(*source).c_str());
      break;
    }
    held = live - before;
    most = peak - before;
  }
  const auto bytes = static_cast<double>(source->text().size());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(bytes));
  // Beside the text itself.
  state.counters["MiB_held_per_MiB"] = static_cast<double>(held) / bytes;
  state.counters["MiB_peak_per_MiB"] = static_cast<double>(most) / bytes;
  state.counters["text_MiB"] = bytes / kMiB;
}
BENCHMARK(bm_parse<parse>)->Name("parse")->Arg(1)->Arg(10)->Arg(50)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_parse<read>)->Name("parse_and_verify")->Arg(1)->Arg(10)->Arg(50)->Unit(benchmark::kMillisecond);

void bm_print(benchmark::State& state) {
  Diagnostics diagnostics;
  const Module module = parse(text_of(state.range(0)), diagnostics);
  std::size_t bytes = 0;
  for (auto _ : state) bytes += print(module).size();
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}
BENCHMARK(bm_print)->Name("print")->Arg(10)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::ptx
