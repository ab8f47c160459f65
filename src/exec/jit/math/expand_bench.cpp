// Nanoseconds of 16 lanes of each approximate function, from the first-level cache.
#include <benchmark/benchmark.h>

#include "exec/jit/testing/math_function.h"
#include "math/math.h"

namespace heddle::exec::jit {
namespace {

llvm::Type* f32(llvm::LLVMContext& c) { return llvm::Type::getFloatTy(c); }
llvm::Type* f64(llvm::LLVMContext& c) { return llvm::Type::getDoubleTy(c); }

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
// A device math function of 16 lanes: nanoseconds an element. range(0): math::Id.
template <class T>
void device(benchmark::State& state) {
  static Machine machine(std::move(find_host(std::getenv("HEDDLE_JIT_CPU"))).value());
  constexpr std::size_t count = 1024;
  const auto id = static_cast<math::Id>(state.range(0));
  const CompiledMath math = compile_math(machine, Op::math, static_cast<uint32_t>(id), 0,
                                         math::function(id).source_count(), 16, sizeof(T) == 4 ? f32 : f64);
  if (!math.problem.empty()) return state.SkipWithError(math.problem.c_str());
  std::vector<T> a(count), b(count), out(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = static_cast<T>(0.5 + static_cast<double>(i) / 64);
    b[i] = static_cast<T>(3.0 - static_cast<double>(i) / 512);
  }
  for (auto _ : state) {
    math.run(a.data(), b.data(), b.data(), out.data(), count);
    benchmark::ClobberMemory();
  }
  state.SetLabel(std::string(math::function(id).name));
  state.counters["ns_of_1"] = benchmark::Counter(static_cast<double>(state.iterations()) * count * 1e-9,
                                                 benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(device<float>)
    ->Arg(static_cast<int64_t>(math::Id::sinf))
    ->Arg(static_cast<int64_t>(math::Id::expf))
    ->Arg(static_cast<int64_t>(math::Id::logf))
    ->Arg(static_cast<int64_t>(math::Id::powf))
    ->Arg(static_cast<int64_t>(math::Id::lgammaf));
BENCHMARK(device<double>)
    ->Arg(static_cast<int64_t>(math::Id::sin))
    ->Arg(static_cast<int64_t>(math::Id::exp))
    ->Arg(static_cast<int64_t>(math::Id::pow));
BENCHMARK(vector)->ArgsProduct({{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 1}, {16, 32}});

}  // namespace
}  // namespace heddle::exec::jit
