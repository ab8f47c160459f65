#include "exec/jit/codegen/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <thread>

#include "exec/jit/codegen/loader.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

namespace heddle::exec::jit {
namespace {

using testing::HasSubstr;

std::unique_ptr<llvm::Module> parse(llvm::LLVMContext& context, std::string_view text) {
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(llvm::StringRef(text), problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str() << " in line " << problem.getLineNo();
  return module;
}

Host host(const char* forced = nullptr) {
  auto found = find_host(forced);
  EXPECT_TRUE(found) << found.error();
  return *found;
}

std::shared_ptr<Code> build(Machine& machine, std::string_view text, Tier tier) {
  llvm::LLVMContext context;
  auto module = parse(context, text);
  auto object = machine.compile(*module, tier);
  EXPECT_TRUE(object) << object.error();
  if (!object) return nullptr;
  auto code = machine.load(*object);
  EXPECT_TRUE(code) << code.error();
  return code ? *code : nullptr;
}

// The levels that this host has, and nullptr for the host itself.
std::vector<const char*> levels() {
  std::vector<const char*> all{nullptr};
  for (const char* level : {"x86-64-v2", "avx2", "avx512"}) {
    if (find_host(level)) all.push_back(level);
  }
  return all;
}

// a[i] = fma(a[i], b[i], 1) for 16 lanes under a mask of those with b[i] > 0.
constexpr std::string_view vector_text = R"(
define void @kernel(ptr %a, ptr %b) {
  %x = load <16 x float>, ptr %a, align 4
  %y = load <16 x float>, ptr %b, align 4
  %m = fcmp ogt <16 x float> %y, zeroinitializer
  %r = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> %y, <16 x float> splat (float 1.0))
  call void @llvm.masked.store.v16f32.p0(<16 x float> %r, ptr %a, i32 4, <16 x i1> %m)
  ret void
}
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, i32, <16 x i1>)
)";

TEST(Host, KnowsItsLevelsAndTakesLesserOnes) {
  const Host own = host();
  EXPECT_FALSE(own.cpu.empty());
  EXPECT_EQ(host("").level, own.level);
  const Host least = host("x86-64-v2");
  EXPECT_EQ(least.level, VectorLevel::v2);
  EXPECT_EQ(least.vector_bits(), 128u);
  EXPECT_EQ(least.lanes(), 4u);
  for (const char* level : levels()) {
    if (level) EXPECT_LE(host(level).level, own.level);
  }
}

TEST(Host, RefusesWhatItDoesNotKnow) {
  auto found = find_host("avx3");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), "HEDDLE_JIT_CPU is 'avx3', not one of x86-64-v2, avx2 or avx512");
}

TEST(Machine, CompilesVectorsForEveryLevelInBothTiers) {
  for (const char* level : levels()) {
    Machine machine(host(level));
    for (Tier tier : {Tier::quick, Tier::best}) {
      auto code = build(machine, vector_text, tier);
      ASSERT_TRUE(code);
      auto kernel = reinterpret_cast<void (*)(float*, const float*)>(code->find("kernel"));
      ASSERT_TRUE(kernel);
      EXPECT_GE(reinterpret_cast<uintptr_t>(kernel), code->begin());
      EXPECT_LT(reinterpret_cast<uintptr_t>(kernel), code->end());
      std::array<float, 16> a, b;
      for (int i = 0; i < 16; ++i) {
        a[i] = static_cast<float>(i) + 0.5f;
        b[i] = i % 3 ? static_cast<float>(i) : -1.0f;
      }
      kernel(a.data(), b.data());
      for (int i = 0; i < 16; ++i) {
        const float before = static_cast<float>(i) + 0.5f;
        EXPECT_EQ(a[i], i % 3 ? std::fma(before, static_cast<float>(i), 1.0f) : before);
      }
    }
  }
}

void add_three(int* place) { *place += 3; }

TEST(Machine, CallsHelpersWhereverTheyAre) {
  Machine machine(host());
  machine.bind("helper", reinterpret_cast<const void*>(&add_three));
  auto code = build(machine, R"(
declare void @helper(ptr)
define void @kernel(ptr %a) {
  call void @helper(ptr %a)
  call void @helper(ptr %a)
  ret void
}
)",
                    Tier::quick);
  ASSERT_TRUE(code);
  int value = 1;
  reinterpret_cast<void (*)(int*)>(code->find("kernel"))(&value);
  EXPECT_EQ(value, 7);
}

TEST(Machine, NamesAFunctionThatIsNotThere) {
  Machine machine(host());
  llvm::LLVMContext context;
  auto module =
      parse(context, "declare void @nowhere()\ndefine void @kernel() { call void @nowhere()\n ret void }");
  auto object = machine.compile(*module, Tier::quick);
  ASSERT_TRUE(object);
  auto code = machine.load(*object);
  ASSERT_FALSE(code);
  EXPECT_THAT(code.error(), HasSubstr("'nowhere'"));
}

TEST(Machine, FindsOnlyExternalFunctions) {
  Machine machine(host());
  auto code = build(machine, "define void @kernel() { ret void }", Tier::quick);
  ASSERT_TRUE(code);
  EXPECT_TRUE(code->find("kernel"));
  EXPECT_FALSE(code->find("kerne"));
  EXPECT_FALSE(code->find(""));
}

// Constant tables, tables of addresses (a switch), large integers and half precision: what reaches for
// sections of data and for the compiler's library.
constexpr std::string_view library_text = R"(
@table = internal constant [4 x i64] [i64 11, i64 22, i64 33, i64 44]
@state = internal global i64 5
define i64 @look(i64 %i) {
  %m = and i64 %i, 3
  %p = getelementptr i64, ptr @table, i64 %m
  %v = load i64, ptr %p
  %s = load i64, ptr @state
  %n = add i64 %s, 1
  store volatile i64 %n, ptr @state
  %r = add i64 %v, %s
  ret i64 %r
}
define i128 @divide(i128 %a, i128 %b) {
  %q = udiv i128 %a, %b
  ret i128 %q
}
define float @widen(i16 %bits) {
  %h = bitcast i16 %bits to half
  %f = fpext half %h to float
  ret float %f
}
define i16 @narrow(float %f) {
  %h = fptrunc float %f to half
  %bits = bitcast half %h to i16
  ret i16 %bits
}
define double @rest(double %a, double %b) {
  %r = frem double %a, %b
  ret double %r
}
define void @fill(ptr %p, i64 %n) {
  call void @llvm.memset.p0.i64(ptr %p, i8 7, i64 %n, i1 false)
  ret void
}
define i32 @jump(i32 %i) {
  switch i32 %i, label %d [i32 0, label %a
                           i32 1, label %b
                           i32 2, label %c
                           i32 3, label %e
                           i32 4, label %f]
a:
  fence seq_cst
  ret i32 100
b:
  fence acquire
  ret i32 7
c:
  store volatile i64 1, ptr @state
  ret i32 -3
e:
  store volatile i64 2, ptr @state
  ret i32 12
f:
  store volatile i64 3, ptr @state
  ret i32 1
d:
  ret i32 0
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
)";

TEST(Machine, ReachesItsDataAndTheCompilersLibrary) {
  for (const char* level : levels()) {
    Machine machine(host(level));
    for (Tier tier : {Tier::quick, Tier::best}) {
      auto code = build(machine, library_text, tier);
      ASSERT_TRUE(code);
      auto look = reinterpret_cast<uint64_t (*)(uint64_t)>(code->find("look"));
      EXPECT_EQ(look(2), 33u + 5);
      EXPECT_EQ(look(3), 44u + 6);
      auto divide =
          reinterpret_cast<unsigned __int128 (*)(unsigned __int128, unsigned __int128)>(code->find("divide"));
      const unsigned __int128 big = static_cast<unsigned __int128>(1) << 100;
      EXPECT_TRUE(divide(big, 3) == big / 3);
      EXPECT_EQ(reinterpret_cast<float (*)(uint16_t)>(code->find("widen"))(0x3c00), 1.0f);
      EXPECT_EQ(reinterpret_cast<uint16_t (*)(float)>(code->find("narrow"))(65504.0f), 0x7bff);
      EXPECT_EQ(reinterpret_cast<double (*)(double, double)>(code->find("rest"))(7.5, 2.0), 1.5);
      std::array<uint8_t, 1000> bytes{};
      reinterpret_cast<void (*)(uint8_t*, uint64_t)>(code->find("fill"))(bytes.data(), 999);
      EXPECT_EQ(bytes[998], 7);
      EXPECT_EQ(bytes[999], 0);
      auto jump = reinterpret_cast<int32_t (*)(int32_t)>(code->find("jump"));
      EXPECT_EQ(jump(0), 100);
      EXPECT_EQ(jump(2), -3);
      EXPECT_EQ(jump(4), 1);
      EXPECT_EQ(jump(5), 0);
    }
  }
}

// Two loads with places of their own: line 7 column 3 and line 70000 column 12.
constexpr std::string_view places_text = R"(
define i32 @kernel(ptr %a, ptr %b) !dbg !4 {
  %x = load volatile i32, ptr %a, !dbg !6
  %y = load volatile i32, ptr %b, !dbg !7
  %r = add i32 %x, %y, !dbg !7
  ret i32 %r, !dbg !7
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "heddle", isOptimized: true,
                             runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.ptx", directory: "")
!2 = !{i32 7, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "kernel", file: !1, unit: !0, type: !5, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{null})
!6 = !DILocation(line: 7, column: 3, scope: !4)
!7 = !DILocation(line: 70000, column: 12, scope: !4)
)";

TEST(Machine, KnowsThePlaceOfAnInstruction) {
  for (Tier tier : {Tier::quick, Tier::best}) {
    Machine machine(host());
    auto code = build(machine, places_text, tier);
    ASSERT_TRUE(code);
    const auto start = reinterpret_cast<uintptr_t>(code->find("kernel"));
    std::vector<std::pair<uint32_t, uint32_t>> seen;
    for (uintptr_t pc = start; pc < code->end(); ++pc) {
      const Code::Place at = code->place(pc);
      std::pair pair{at.line, at.column};
      if (at.line && (seen.empty() || seen.back() != pair)) seen.push_back(pair);
    }
    EXPECT_THAT(seen, testing::ElementsAre(std::pair{7u, 3u}, std::pair{70000u, 12u}));
    EXPECT_EQ(code->place(code->begin() - 1).line, 0u);
    EXPECT_EQ(code->place(code->end()).line, 0u);
  }
}

TEST(Machine, TurnsWhatLlvmCannotCompileIntoAnError) {
  Machine machine(host());
  llvm::LLVMContext context;
  // A register that no x86 has: instruction selection ends in a fatal error.
  auto module = parse(context, R"(
define i64 @kernel() {
  %r = call i64 @llvm.read_register.i64(metadata !0)
  ret i64 %r
}
declare i64 @llvm.read_register.i64(metadata)
!0 = !{!"no_such_register"}
)");
  auto object = machine.compile(*module, Tier::quick);
  ASSERT_FALSE(object);
  EXPECT_THAT(object.error(), HasSubstr("register"));
  (void)module.release();  // what LLVM was doing with it is not undone
  EXPECT_TRUE(build(machine, vector_text, Tier::quick));
}

TEST(Machine, SaysHowLargeFramesAre) {
  Machine machine(host());
  llvm::LLVMContext context;
  for (const Tier tier : {Tier::quick, Tier::best}) {
    auto module = parse(context, R"(
define void @small() {
  ret void
}
define void @kernel(i64 %i) {
  %room = alloca [100000 x i8]
  %at = getelementptr i8, ptr %room, i64 %i
  store volatile i8 1, ptr %at
  ret void
}
)");
    const auto object = machine.compile(*module, tier);
    ASSERT_TRUE(object);
    EXPECT_GE(object->largest_frame, 99000U);  // 128 bytes below the stack pointer are free, too
    EXPECT_LT(object->largest_frame, 110000U);
  }
}

TEST(Machine, CompilesInSeveralThreads) {
  Machine machine(host());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(build(machine, vector_text, i % 2 ? Tier::best : Tier::quick));
    });
  }
  for (auto& t : threads) t.join();
}

TEST(Loader, RefusesDamagedObjects) {
  Machine machine(host());
  llvm::LLVMContext context;
  auto module = parse(context, library_text);
  auto object = machine.compile(*module, Tier::quick);
  ASSERT_TRUE(object);
  auto nothing = [](std::string_view) -> const void* { return nullptr; };
  EXPECT_FALSE(load_object("", nothing));
  for (size_t cut : {10u, 63u, 64u, 200u}) {
    EXPECT_FALSE(load_object(object->bytes.substr(0, cut), nothing));
  }
  // One byte after the other: whatever comes of it, it is no crash of the loader.
  for (size_t i = 0; i < object->bytes.size(); ++i) {
    for (uint8_t value : {0x00, 0x7f, 0xff}) {
      std::string damaged = object->bytes;
      damaged[i] = static_cast<char>(value);
      (void)machine.load({.bytes = damaged});
    }
  }
}

}  // namespace
}  // namespace heddle::exec::jit
