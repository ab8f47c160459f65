#include "exec/jit/math/division.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "exec/jit/codegen/machine.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

namespace heddle::exec::jit {
namespace {

constexpr int lanes = 16;

// Vectors of 16 lanes at a, b and out; with `one_divisor` b's first element for all lanes.
std::string program(const char* operation, int bits, bool one_divisor) {
  const std::string t = "i" + std::to_string(bits), v = "<16 x " + t + ">";
  const std::string divisor = one_divisor ? "  %s = load " + t + ", ptr %b\n  %i = insertelement " + v +
                                                " poison, " + t + " %s, i32 0\n  %y = shufflevector " + v +
                                                " %i, " + v + " poison, <16 x i32> zeroinitializer\n"
                                          : "  %y = load " + v + ", ptr %b, align 1\n";
  return "define void @divide(ptr %a, ptr %b, ptr %out) {\n  %x = load " + v + ", ptr %a, align 1\n" +
         divisor + "  %q = " + operation + " " + v + " %x, %y\n  store " + v +
         " %q, ptr %out, align 1\n  ret void\n}\n";
}

template <class T>
T operand(std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  const uint64_t choice = random(), bits = random();
  switch (choice & 3) {
    case 0: return static_cast<T>(static_cast<T>(bits & 3) - 1);
    case 1: return static_cast<T>(Limits::max() - static_cast<T>(bits & 3));
    case 2: return static_cast<T>(Limits::min() + static_cast<T>(bits & 3));
    default: return static_cast<T>(static_cast<T>(bits) >> (choice >> 8) % (sizeof(T) * 8));
  }
}

template <class T>
bool allowed(T a, T b) {
  return b != 0 && !(std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1));
}

template <class T>
void check(const char* level, const char* operation, bool one_divisor) {
  auto host = find_host(level);
  if (!host) return;  // this machine has less
  Machine machine(*host);
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(program(operation, sizeof(T) * 8, one_divisor), problem, context);
  ASSERT_TRUE(module) << problem.getMessage().str();
  auto object = machine.compile(*module, Tier::quick);
  ASSERT_TRUE(object) << object.error();
  auto code = machine.load(*object);
  ASSERT_TRUE(code) << code.error();
  auto* divide = reinterpret_cast<void (*)(const T*, const T*, T*)>((*code)->find("divide"));
  const bool is_remainder = std::string_view(operation).ends_with("rem");
  std::mt19937_64 random(std::hash<std::string_view>()(operation));
  T a[lanes], b[lanes], out[lanes];
  for (int round = 0; round < 4000; ++round) {
    for (int i = 0; i < lanes; ++i) {
      b[i] = one_divisor && i > 0 ? b[0] : operand<T>(random);
      if (b[i] == 0) b[i] = 7;
      a[i] = operand<T>(random);
      // Next to a multiple of the divisor: there a quotient that is a little off shows.
      if ((random() & 1) != 0) {
        const auto multiple =
            static_cast<std::make_unsigned_t<T>>(a[i] / (b[i] == static_cast<T>(-1) ? 1 : b[i]));
        // In 64 bits: a product of two unsigned shorts is one of ints, and may not fit.
        a[i] = static_cast<T>(uint64_t{multiple} * static_cast<std::make_unsigned_t<T>>(b[i]) +
                              (random() % 3) - 1);
      }
      if (!allowed(a[i], b[i])) a[i] = 1;
    }
    divide(a, b, out);
    for (int i = 0; i < lanes; ++i) {
      const T expected = static_cast<T>(is_remainder ? a[i] % b[i] : a[i] / b[i]);
      ASSERT_EQ(out[i], expected) << (level ? level : "host") << " " << operation << " " << a[i] << " "
                                  << b[i];
    }
  }
}

template <class T>
void check_all() {
  for (const char* level : {static_cast<const char*>(nullptr), "x86-64-v2", "avx2", "avx512"}) {
    for (const bool one_divisor : {false, true}) {
      for (const char* operation : {"div", "rem"})
        check<T>(level, ((std::is_signed_v<T> ? "s" : "u") + std::string(operation)).c_str(), one_divisor);
    }
  }
}

TEST(Division, OfVectorsIsThatOfTheirLanes16) {
  check_all<uint16_t>();
  check_all<int16_t>();
}
TEST(Division, OfVectorsIsThatOfTheirLanes32) {
  check_all<uint32_t>();
  check_all<int32_t>();
}
TEST(Division, OfVectorsIsThatOfTheirLanes64) {
  check_all<uint64_t>();
  check_all<int64_t>();
}

TEST(Division, LeavesNoIntegerDivisionButByConstants) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(R"(
define <4 x i32> @f(<4 x i32> %a, <4 x i32> %b) {
  %q = udiv <4 x i32> %a, %b
  %c = udiv <4 x i32> %q, splat (i32 10)
  ret <4 x i32> %c
})",
                                          problem, context);
  ASSERT_TRUE(module) << problem.getMessage().str();
  llvm::Function& f = *module->getFunction("f");
  llvm::FunctionAnalysisManager analyses;
  ExpandDivision(false).run(f, analyses);
  std::size_t divisions = 0;
  for (const llvm::Instruction& i : f.getEntryBlock()) divisions += i.isIntDivRem() ? 1 : 0;
  EXPECT_EQ(divisions, 1u);
}

}  // namespace
}  // namespace heddle::exec::jit
