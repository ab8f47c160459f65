#include "exec/jit/codegen/short_masks.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::exec::jit {
namespace {

// The body of a function of a pointer, a vector and the lanes nobody reads, after the pass.
std::string after(const std::string& body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic wrong;
  const std::string text =
      "declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, i32, <8 x i1>)\n"
      "declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr, i32, <8 x i1>, <8 x i32>)\n"
      "define <8 x i32> @f(ptr %p, <8 x i32> %v, <8 x i1> %m) {\n" +
      body + "}\n";
  const auto module = llvm::parseAssemblyString(text, wrong, context);
  if (!module) {
    ADD_FAILURE() << wrong.getMessage().str() << "\n" << text;
    return {};
  }
  llvm::FunctionAnalysisManager analyses;
  llvm::Function& function = *module->getFunction("f");
  ShortenMasks().run(function, analyses);
  EXPECT_FALSE(llvm::verifyFunction(function, &llvm::errs()));
  std::string result;
  llvm::raw_string_ostream out(result);
  function.print(out);
  return result;
}

std::string mask(const std::string& lanes) {  // "11110000"
  std::string result = "<8 x i1> <";
  for (const char lane : lanes) result += std::string(result.back() == '<' ? "" : ", ") + "i1 " + lane;
  return result + ">";
}
std::string stored(const std::string& lanes) {
  return after("call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr %p, i32 4, " + lanes +
               ")\nret <8 x i32> %v\n");
}
std::string loaded(const std::string& lanes, const std::string& others) {
  return after("%r = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr %p, i32 8, " + lanes + ", <8 x i32> " +
               others + ")\nret <8 x i32> %r\n");
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(ShortMasks, TheFirstLanesAreAShorterVector) {
  const std::string text = stored(mask("11110000"));
  EXPECT_TRUE(has(text, "store <4 x i32>")) << text;
  EXPECT_TRUE(has(text, "align 4")) << text;
  EXPECT_FALSE(has(text, "masked")) << text;
}

TEST(ShortMasks, OneLaneIsAScalar) {
  const std::string text = stored(mask("10000000"));
  EXPECT_TRUE(has(text, "extractelement <8 x i32> %v, i64 0")) << text;
  EXPECT_TRUE(has(text, "store i32")) << text;
}

TEST(ShortMasks, OtherMasksStay) {
  for (const char* lanes : {"11100000", "01111000", "10100000", "11111111", "00000000"}) {
    const std::string text = stored(mask(lanes));
    EXPECT_TRUE(has(text, "call void @llvm.masked.store")) << lanes << "\n" << text;
  }
  EXPECT_TRUE(has(stored("<8 x i1> %m"), "call void @llvm.masked.store"));
}

TEST(ShortMasks, LanesThatAreNotLoadedKeepTheirValue) {
  const std::string zeros = loaded(mask("11000000"), "zeroinitializer");
  EXPECT_TRUE(has(zeros, "load <2 x i32>, ptr %p, align 8")) << zeros;
  EXPECT_TRUE(has(zeros, "<2 x i32> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 2")) << zeros;
  const std::string kept = loaded(mask("11000000"), "%v");
  EXPECT_TRUE(has(kept, "<8 x i32> %v, <8 x i32> <i32 0, i32 1, i32 10, i32 11, i32 12")) << kept;
  const std::string one = loaded(mask("10000000"), "%v");
  EXPECT_TRUE(has(one, "load i32, ptr %p, align 8")) << one;
  EXPECT_TRUE(has(one, "insertelement <8 x i32> %v, i32 ")) << one;
}

}  // namespace
}  // namespace heddle::exec::jit
