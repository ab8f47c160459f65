// Nanoseconds of 16 lanes of each approximate function, from the first-level cache.
#include <benchmark/benchmark.h>

#include "exec/jit/math/math_function.h"

namespace heddle::exec::jit {
namespace {

llvm::Type* f32(llvm::LLVMContext& c) { return llvm::Type::getFloatTy(c); }

// range(0): the function; range(1): with .ftz; range(2): lanes.
void vector(benchmark::State& state) {
  static Machine machine(std::move(find_host(std::getenv("HEDDLE_JIT_CPU"))).value());
  constexpr std::size_t count = 1024;
  const auto function = static_cast<uint32_t>(state.range(0));
  const bool two = function == static_cast<uint32_t>(Approximation::div) ||
                   function == static_cast<uint32_t>(Approximation::div_full);
  const CompiledMath math =
      compile_math(machine, Op::approximate, function, static_cast<uint32_t>(state.range(1)), two ? 2 : 1,
                   static_cast<unsigned>(state.range(2)), f32);
  if (!math.problem.empty()) return state.SkipWithError(math.problem.c_str());
  std::vector<float> a(count), b(count), out(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = 0.5f + static_cast<float>(i) / 64;
    b[i] = 3.0f - static_cast<float>(i) / 512;
  }
  for (auto _ : state) {
    math.run(a.data(), b.data(), b.data(), out.data(), count);
    benchmark::ClobberMemory();
  }
  state.counters["ns_of_16"] = benchmark::Counter(static_cast<double>(state.iterations()) * count / 16 * 1e-9,
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(vector)->ArgsProduct({{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 1}, {16, 32}});

}  // namespace
}  // namespace heddle::exec::jit
