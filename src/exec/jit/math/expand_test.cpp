// Code for approximate functions and directed roundings against approx/ and the host's own rounding modes,
// for every level of vectors that this host has, scalar and in vectors.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <random>

#include "approx/approx.h"
#include "exec/jit/launch/host_state.h"
#include "exec/jit/testing/math_function.h"
#include "math/math.h"

#pragma STDC FENV_ACCESS ON

namespace heddle::exec::jit {
namespace {

llvm::Type* f32(llvm::LLVMContext& c) { return llvm::Type::getFloatTy(c); }
llvm::Type* f64(llvm::LLVMContext& c) { return llvm::Type::getDoubleTy(c); }
llvm::Type* i16(llvm::LLVMContext& c) { return llvm::Type::getInt16Ty(c); }
llvm::Type* i32(llvm::LLVMContext& c) { return llvm::Type::getInt32Ty(c); }

std::vector<Machine*> machines() {
  static std::vector<std::unique_ptr<Machine>> all = [] {
    std::vector<std::unique_ptr<Machine>> made;
    for (const char* level : {"x86-64-v2", "avx2", "avx512", ""}) {
      auto host = find_host(level);
      if (host.ok()) made.push_back(std::make_unique<Machine>(std::move(host).value()));
    }
    return made;
  }();
  std::vector<Machine*> out;
  for (const auto& machine : all) out.push_back(machine.get());
  return out;
}

constexpr std::size_t batch = 3 << 12;

// Every exponent with fractions at random and at the ends; numbers near 1 more often.
template <class T>
std::vector<T> sources(unsigned seed, std::size_t count = batch) {
  constexpr int bits = sizeof(T) * 8, fraction = bits == 64 ? 52 : bits == 32 ? 23 : 10;
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  constexpr T one = bits == 64   ? static_cast<T>(uint64_t{1023} << 52)
                    : bits == 32 ? static_cast<T>(127u << 23)
                                 : static_cast<T>(15u << 10);
  for (std::size_t i = 0; i < count; ++i) {
    T value = static_cast<T>(random());
    const T mask = static_cast<T>((T{1} << fraction) - 1);
    if (i % 8 == 1) value &= static_cast<T>(~mask);
    if (i % 8 == 2) value |= mask;
    if (i % 8 >= 4)
      value = static_cast<T>((value & (mask | T{1} << (bits - 1))) +
                             static_cast<T>(one + (static_cast<T>(random() % 16) << fraction) -
                                            (static_cast<T>(8) << fraction)));
    values[i] = value;
  }
  return values;
}

// All of one element's operation, on every machine, scalar and 16 and 24 lanes; `expected` of each index.
template <class T>
void check(Op op, uint32_t first, uint32_t second, llvm::Type* (*type)(llvm::LLVMContext&),
           const std::vector<std::vector<T>>& in, const std::function<T(std::size_t)>& expected, bool any_nan,
           bool flush_mode = false) {
  const std::size_t count = in[0].size() / 48 * 48;
  std::vector<T> out(count), right(count);
  for (std::size_t i = 0; i < count; ++i) right[i] = expected(i);
  const auto is_nan = [](T bits) {
    if constexpr (sizeof(T) == 8) return std::isnan(std::bit_cast<double>(bits));
    if constexpr (sizeof(T) == 4) return std::isnan(std::bit_cast<float>(bits));
    return false;
  };
  const auto at = [&](std::size_t i) {
    return static_cast<const void*>(in[std::min(i, in.size() - 1)].data());
  };
  for (Machine* machine : machines()) {
    for (unsigned lanes : {0u, 16u, 24u}) {
      const CompiledMath math = compile_math(*machine, op, first, second, static_cast<unsigned>(in.size()),
                                             lanes, type, flush_mode);
      ASSERT_EQ(math.problem, "");
      if (flush_mode) set_flush_mode(true);
      math.run(at(0), at(1), at(2), out.data(), count);
      if (flush_mode) set_flush_mode(false);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < count && wrong < 5; ++i) {
        if (out[i] == right[i] || (any_nan && is_nan(out[i]) && is_nan(right[i]))) continue;
        ++wrong;
        ADD_FAILURE() << name(machine->host().level) << (machine->host().features.empty() ? "" : " (host)")
                      << ", " << lanes << " lanes, operation " << first << ", " << second << std::hex
                      << ": a " << uint64_t{in[0][i]} << ", b "
                      << uint64_t{in[std::min<std::size_t>(1, in.size() - 1)][i]} << " gives "
                      << uint64_t{out[i]} << ", not " << uint64_t{right[i]};
      }
    }
  }
}

using OneF32 = uint32_t (*)(uint32_t, bool);

void check_f32(Approximation function, OneF32 reference) {
  const std::vector<uint32_t> a = sources<uint32_t>(1);
  for (bool ftz : {false, true})
    check<uint32_t>(
        Op::approximate, static_cast<uint32_t>(function), ftz ? 1 : 0, f32, {a},
        [&](std::size_t i) { return reference(a[i], ftz); }, true);
}

TEST(ExpandMath, f32_functions) {
  check_f32(Approximation::rcp, approx::rcp_f32);
  check_f32(Approximation::rsqrt, approx::rsqrt_f32);
  check_f32(Approximation::sqrt, approx::sqrt_f32);
  check_f32(Approximation::sin, approx::sin_f32);
  check_f32(Approximation::cos, approx::cos_f32);
  check_f32(Approximation::lg2, approx::lg2_f32);
  check_f32(Approximation::ex2, approx::ex2_f32);
  check_f32(Approximation::tanh, [](uint32_t a, bool) { return approx::tanh_f32(a); });
}

TEST(ExpandMath, divisions) {
  const std::vector<uint32_t> a = sources<uint32_t>(1), b = sources<uint32_t>(2);
  for (bool ftz : {false, true}) {
    check<uint32_t>(
        Op::approximate, static_cast<uint32_t>(Approximation::div), ftz ? 1 : 0, f32, {a, b},
        [&](std::size_t i) { return approx::div_approx_f32(a[i], b[i], ftz); }, true);
    check<uint32_t>(
        Op::approximate, static_cast<uint32_t>(Approximation::div_full), ftz ? 1 : 0, f32, {a, b},
        [&](std::size_t i) { return approx::div_full_f32(a[i], b[i], ftz); }, true);
  }
}

TEST(ExpandMath, f64_functions) {
  const std::vector<uint64_t> a = sources<uint64_t>(3);
  check<uint64_t>(
      Op::approximate, static_cast<uint32_t>(Approximation::rcp_f64), 1, f64, {a},
      [&](std::size_t i) { return approx::rcp_ftz_f64(a[i]); }, false);
  for (bool ftz : {false, true})
    check<uint64_t>(
        Op::approximate, static_cast<uint32_t>(Approximation::rsqrt_f64), ftz ? 1 : 0, f64, {a},
        [&](std::size_t i) { return approx::rsqrt_f64(a[i], ftz); }, false);
}

TEST(ExpandMath, half_functions_of_every_number) {
  std::vector<uint16_t> a(1 << 16);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint16_t>(i);
  a.resize(48 * 1366, 0);
  std::vector<uint32_t> pairs = sources<uint32_t>(4);
  const auto run = [&](Approximation function, uint16_t (*one)(uint16_t), uint32_t (*two)(uint32_t)) {
    check<uint16_t>(
        Op::approximate, static_cast<uint32_t>(function), 0, i16, {a},
        [&](std::size_t i) { return one(a[i]); }, false);
    check<uint32_t>(
        Op::approximate, static_cast<uint32_t>(function), 0, i32, {pairs},
        [&](std::size_t i) { return two(pairs[i]); }, false);
  };
  run(Approximation::ex2_f16, approx::ex2_f16, approx::ex2_f16x2);
  run(Approximation::ex2_bf16, approx::ex2_ftz_bf16, approx::ex2_ftz_bf16x2);
  run(Approximation::tanh_f16, approx::tanh_f16, approx::tanh_f16x2);
  run(Approximation::tanh_bf16, approx::tanh_bf16, approx::tanh_bf16x2);
}

// ---- directed rounding

constexpr int modes[] = {FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

template <class T>
T computed(Arithmetic operation, T a, T b, T c) {
  volatile T result = 0, x = a, y = b, z = c;
  switch (operation) {
    case Arithmetic::add: result = x + y; break;
    case Arithmetic::mul: result = x * y; break;
    case Arithmetic::fma: result = std::fma(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z)); break;
    case Arithmetic::div: result = x / y; break;
    case Arithmetic::sqrt: result = std::sqrt(static_cast<T>(x)); break;
  }
  return result;
}

template <class Float, class Bits>
void check_rounded(llvm::Type* (*type)(llvm::LLVMContext&)) {
  constexpr std::size_t count = 4800;
  const std::vector<Bits> a = sources<Bits>(5, count), b = sources<Bits>(6, count),
                          c = sources<Bits>(7, count);
  struct Case {
    Arithmetic operation;
    std::size_t arity;
  };
  for (const Case& one : {Case{Arithmetic::add, 2}, Case{Arithmetic::mul, 2}, Case{Arithmetic::fma, 3},
                          Case{Arithmetic::div, 2}, Case{Arithmetic::sqrt, 1}}) {
    for (uint32_t direction = 0; direction < 3; ++direction) {
      std::vector<std::vector<Bits>> in{a, b, c};
      in.resize(one.arity);
      // Sums that cancel.
      if (one.arity == 2)
        for (std::size_t i = 0; i < count; i += 16) in[1][i] = in[0][i] ^ (Bits{1} << (sizeof(Bits) * 8 - 1));
      check<Bits>(
          Op::rounded, static_cast<uint32_t>(one.operation), direction, type, in,
          [&](std::size_t i) {
            const auto source = [&](std::size_t n) {
              return std::bit_cast<Float>(in[std::min(n, in.size() - 1)][i]);
            };
            std::fesetround(modes[direction]);
            const Float result = computed(one.operation, source(0), source(1), source(2));
            std::fesetround(FE_TONEAREST);
            return std::bit_cast<Bits>(result);
          },
          true);
    }
  }
}

TEST(ExpandMath, rounded_f32) { check_rounded<float, uint32_t>(f32); }
TEST(ExpandMath, rounded_f64) { check_rounded<double, uint64_t>(f64); }

// Against the function that has all of it, whose reference is MPFR (math/rounded_test.cpp).
TEST(ExpandMath, truncating_mad) {
  std::vector<uint32_t> a = sources<uint32_t>(11), b = sources<uint32_t>(12), c = sources<uint32_t>(13);
  const auto value = [](uint32_t bits) { return std::bit_cast<float>(bits); };
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i % 5 == 1) c[i] = std::bit_cast<uint32_t>(-(value(a[i]) * value(b[i])));  // what is lost counts
    if (i % 11 == 2) c[i] &= 0x8000'0000;
    if (i % 13 == 3) a[i] &= 0x8000'0000;
    if (i % 7 == 4) {  // products beyond both ends
      a[i] = (a[i] & 0x807f'ffff) | (i % 2 == 0 ? 0x7000'0000 : 0x2000'0000);
      b[i] = (b[i] & 0x807f'ffff) | (i % 2 == 0 ? 0x4f00'0000 : 0x2000'0000);
      c[i] = (c[i] & 0x80ff'ffff) | (i % 2 == 0 ? 0x7f00'0000 : 0x0080'0000);
    }
  }
  const auto expected = [&](std::size_t i) {
    const uint64_t sources[] = {a[i], b[i], c[i]};
    uint64_t result = 0;
    math::evaluate(math::Id::truncating_mad, sources, {&result, 1});
    return static_cast<uint32_t>(result);
  };
  for (const bool flush_mode : {false, true})
    check<uint32_t>(Op::math, static_cast<uint32_t>(math::Id::truncating_mad), 0, f32, {a, b, c}, expected,
                    false, flush_mode);
}

TEST(ExpandMath, first_nan) {
  constexpr uint64_t one = 0x3ff0000000000000, quiet = 0x7ff8000000000000, signalling = 0xfff0000000000123;
  std::vector<uint64_t> a(48, one), b(48, one);
  b[1] = quiet | 5;
  b[2] = signalling;
  a[3] = signalling;
  a[4] = b[4] = quiet;
  check<uint64_t>(
      Op::first_nan, 0, 0, f64, {a, b},
      [&](std::size_t i) { return i == 1   ? quiet | 5
                                  : i == 2 ? 0xfff8000000000123
                                           : a[i]; }, false);
}

}  // namespace
}  // namespace heddle::exec::jit
