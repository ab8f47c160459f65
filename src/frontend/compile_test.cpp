#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "frontend/clang.h"

namespace heddle::frontend {
namespace {

using testing::HasSubstr;

Job kernel(std::string source) {
  Job job;
  job.files = {{"k.cu", "#define __global__ __attribute__((global))\n#line 1 \"k.cu\"\n" + source}};
  job.arguments = {"-x",
                   "cuda",
                   "--cuda-device-only",
                   "--cuda-gpu-arch=sm_70",
                   "--cuda-path=/nonexistent",
                   "-nocudainc",
                   "-nocudalib",
                   "-O2",
                   "-S",
                   "k.cu"};
  return job;
}

TEST(Compile, MakesPtxOfAStringInMemory) {
  const Product product = compile(kernel("extern \"C\" __global__ void one(int* p) { *p = 1; }"));
  EXPECT_TRUE(product.ok);
  EXPECT_THAT(product.output, HasSubstr(".visible .entry one("));
  EXPECT_THAT(product.output, HasSubstr(".target sm_70"));
}

TEST(Compile, ReportsErrorsWithTheUsersPathAndLine) {
  const Product product = compile(kernel("__global__ void f(int* p) {\n  *p = nowhere_declared;\n}"));
  EXPECT_FALSE(product.ok);
  ASSERT_EQ(product.diagnostics.size(), 1u) << testing::PrintToString(product.diagnostics);
  EXPECT_THAT(product.diagnostics[0],
              HasSubstr("k.cu:2:8: error: use of undeclared identifier 'nowhere_declared'"));
  EXPECT_THAT(product.diagnostics[0], HasSubstr("    2 |   *p = nowhere_declared;"));
  EXPECT_TRUE(product.failure.empty());
}

TEST(Compile, BeginsWithWhatWasParsedBefore) {
  Job shared = kernel("");
  shared.files.clear();
  shared.arguments.pop_back();
  const std::string lines =
      "#define __device__ __attribute__((device))\n#define __host__ __attribute__((host))\n"
      "static inline __host__ int which(int host) { return host; }\n"
      "static inline __device__ int which(int device) { return device + 41; }\n#undef __clang__\n";
  const char* source =
      "#ifdef __clang__\n#error still there\n#endif\n"
      "extern \"C\" __global__ void one(int* p) { *p = which(1); }";
  // Functions of both sides have one name, which modules of C++20 would make one function.
  for (const char* standard : {"-std=c++14", "-std=c++17", "-std=c++20"}) {
    Job made = shared;
    made.arguments.emplace_back(standard);
    const std::optional<Beginning> beginning = precompile(made, lines);
    ASSERT_TRUE(beginning);
    Job job = kernel(source);
    job.arguments.emplace_back(standard);
    job.beginning = &*beginning;
    const Product with = compile(job);
    EXPECT_TRUE(with.ok) << testing::PrintToString(with.diagnostics);
    EXPECT_FALSE(with.stale_beginning);
    Job whole = kernel(lines + source);
    whole.arguments.emplace_back(standard);
    EXPECT_EQ(with.output, compile(whole).output);
    EXPECT_THAT(with.output, HasSubstr("42"));
  }
}

TEST(Compile, SaysWhenABeginningIsNotItsOwn) {
  Beginning beginning;
  beginning.parsed = "no syntax tree";
  Job job = kernel("__global__ void f() {}");
  job.beginning = &beginning;
  const Product product = compile(job);
  EXPECT_FALSE(product.ok);
  EXPECT_TRUE(product.stale_beginning);
}

TEST(Compile, KeepsEachDiagnosticWithItsNotes) {
  const Product product =
      compile(kernel("struct A { int a; };\n__global__ void f() {\n  A x(1, 2);\n  int y = z;\n}"));
  EXPECT_FALSE(product.ok);
  ASSERT_EQ(product.diagnostics.size(), 2u);
  EXPECT_THAT(product.diagnostics[0], HasSubstr("note: candidate constructor"));
  EXPECT_THAT(product.diagnostics[1], HasSubstr("'z'"));
}

TEST(Compile, LivesOnWhenTheCompilerCrashes) {
  Job job = kernel("#pragma clang __debug crash\n");
  const Product product = compile(job);
  EXPECT_FALSE(product.ok);
  EXPECT_NE(product.failure, "");
  const Product next = compile(kernel("__global__ void f() {}"));
  EXPECT_TRUE(next.ok) << next.failure << testing::PrintToString(next.diagnostics);
}

TEST(Compile, LivesOnWhenTheCompilerGivesUp) {
  const Product product = compile(kernel("#pragma clang __debug llvm_fatal_error\n"));
  EXPECT_FALSE(product.ok);
  EXPECT_NE(product.failure, "");
}

TEST(Compile, RefusesArgumentsThatMeanNoCompilation) {
  Job job;
  job.arguments = {"--no-such-option", "k.cu"};
  const Product product = compile(job);
  EXPECT_FALSE(product.ok);
  ASSERT_FALSE(product.diagnostics.empty());
  EXPECT_THAT(product.diagnostics[0], HasSubstr("unknown argument: '--no-such-option'"));
}

TEST(Compile, ReplacesOnlyDivisionsThatTheSourceLeftOpen) {
  Job job = kernel(
      "extern \"C\" __global__ void f(float* p) { p[0] = p[1] / p[2]; p[3] = 1.0f / p[4];\n"
      "p[5] = __builtin_sqrtf(p[6]); p[7] = __nvvm_div_rn_f(p[8], p[9]); }");
  job.arguments.insert(job.arguments.end(), {"-fno-math-errno", "-fgpu-flush-denormals-to-zero"});
  EXPECT_THAT(compile(job).output, HasSubstr("div.rn.ftz.f32"));
  job.precision = {FloatPrecision::Division::full_range, false, true};
  const Product full = compile(job);
  EXPECT_THAT(full.output, HasSubstr("div.full.ftz.f32"));
  EXPECT_THAT(full.output, HasSubstr("rcp.approx.ftz.f32"));
  EXPECT_THAT(full.output, HasSubstr("div.rn.f32"));
  EXPECT_THAT(full.output, HasSubstr("sqrt.rn.ftz.f32"));
  job.precision = {FloatPrecision::Division::rounded, true, false};
  const Product root = compile(job);
  EXPECT_THAT(root.output, HasSubstr("sqrt.approx.f32"));
  EXPECT_THAT(root.output, HasSubstr("div.rn.ftz.f32"));
}

TEST(Compile, RunsOnManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<Product> products(6);
  for (std::size_t i = 0; i < products.size(); ++i)
    threads.emplace_back([&products, i] {
      const std::string name = "k" + std::to_string(i);
      products[i] = compile(kernel("extern \"C\" __global__ void " + name +
                                   "(int* p) { *p = " + (i % 2 == 0 ? "1" : "nowhere_declared") + "; }"));
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < products.size(); ++i) {
    EXPECT_EQ(products[i].ok, i % 2 == 0);
    EXPECT_THAT(i % 2 == 0 ? products[i].output : products[i].diagnostics.at(0),
                HasSubstr(i % 2 == 0 ? "k" + std::to_string(i) : "'nowhere_declared'"));
  }
}

TEST(KnowsOption, TellsClangsOptionsFromOthers) {
  EXPECT_TRUE(knows_option("-O3"));
  EXPECT_TRUE(knows_option("-Wall"));
  EXPECT_TRUE(knows_option("-fopenmp"));
  EXPECT_FALSE(knows_option("-fno-such-thing"));
}

TEST(ResourceDirectory, HasClangsHeaders) {
  const auto folder = resource_directory();
  ASSERT_TRUE(folder.ok());
  EXPECT_THAT(*folder, HasSubstr("clang"));
}

}  // namespace
}  // namespace heddle::frontend
