#include "exec/jit/codegen/wide_halves.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::exec::jit {
namespace {

// A function with this body, as text.
std::string widened(const std::string& result, const std::string& body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic wrong;
  const auto module = llvm::parseAssemblyString(
      "define " + result + " @f(<8 x half> %a, <8 x half> %b, <8 x i32> %n, half %s, i1 %c) {\n" + body +
          "}\ndeclare <8 x half> @llvm.floor.v8f16(<8 x half>)\n"
          "declare <8 x half> @llvm.fma.v8f16(<8 x half>, <8 x half>, <8 x half>)\n",
      wrong, context);
  if (!module) return wrong.getMessage().str() + "\n" + body;
  llvm::Function& function = *module->getFunction("f");
  widen_halves(function);
  std::string text;
  llvm::raw_string_ostream out(text);
  if (llvm::verifyFunction(function, &out)) return out.str();
  for (const llvm::Instruction& i : llvm::instructions(function)) out << i << '\n';
  return out.str();
}

TEST(WideHalves, ComparisonsAreOfFloats) {
  EXPECT_EQ(widened("<8 x i1>", "%r = fcmp fast olt <8 x half> %a, %b\nret <8 x i1> %r\n"),
            "  %1 = fpext <8 x half> %b to <8 x float>\n"
            "  %2 = fpext <8 x half> %a to <8 x float>\n"
            "  %3 = fcmp fast olt <8 x float> %2, %1\n"
            "  ret <8 x i1> %3\n");
}

TEST(WideHalves, AConversionThatIsThereIsTheOnlyOne) {
  EXPECT_EQ(widened("<8 x float>",
                    "%f = fpext <8 x half> %a to <8 x float>\n"
                    "%r = fcmp uno <8 x half> %a, zeroinitializer\n"
                    "%t = select <8 x i1> %r, <8 x float> zeroinitializer, <8 x float> %f\n"
                    "ret <8 x float> %t\n"),
            "  %1 = fpext <8 x half> %a to <8 x float>\n"
            "  %2 = fcmp uno <8 x float> %1, zeroinitializer\n"
            "  %t = select <8 x i1> %2, <8 x float> zeroinitializer, <8 x float> %1\n"
            "  ret <8 x float> %t\n");
}

TEST(WideHalves, RoundingsAndSumsAreRoundedBack) {
  EXPECT_EQ(widened("<8 x half>",
                    "%r = call <8 x half> @llvm.floor.v8f16(<8 x half> %a)\n"
                    "ret <8 x half> %r\n"),
            "  %1 = fpext <8 x half> %a to <8 x float>\n"
            "  %2 = call <8 x float> @llvm.floor.v8f32(<8 x float> %1)\n"
            "  %3 = fptrunc <8 x float> %2 to <8 x half>\n"
            "  ret <8 x half> %3\n");
  EXPECT_EQ(widened("half", "%r = fadd half %s, %s\nret half %r\n"),
            "  %1 = fpext half %s to float\n"
            "  %2 = fadd float %1, %1\n"
            "  %3 = fptrunc float %2 to half\n"
            "  ret half %3\n");
}

TEST(WideHalves, ARoundingIsAHalfAsItIs) {
  EXPECT_EQ(widened("<8 x i32>",
                    "%r = call <8 x half> @llvm.floor.v8f16(<8 x half> %a)\n"
                    "%t = fptosi <8 x half> %r to <8 x i32>\nret <8 x i32> %t\n"),
            "  %1 = fpext <8 x half> %a to <8 x float>\n"
            "  %2 = call <8 x float> @llvm.floor.v8f32(<8 x float> %1)\n"
            "  %3 = fptrunc <8 x float> %2 to <8 x half>\n"
            "  %4 = fptosi <8 x float> %2 to <8 x i32>\n"
            "  ret <8 x i32> %4\n");
}

TEST(WideHalves, IntegersGoThroughFloats) {
  EXPECT_EQ(widened("<8 x half>", "%r = sitofp <8 x i32> %n to <8 x half>\nret <8 x half> %r\n"),
            "  %1 = sitofp <8 x i32> %n to <8 x float>\n"
            "  %2 = fptrunc <8 x float> %1 to <8 x half>\n"
            "  ret <8 x half> %2\n");
  EXPECT_EQ(widened("i16", "%r = fptosi half %s to i16\nret i16 %r\n"),
            "  %1 = fpext half %s to float\n"
            "  %2 = fptosi float %1 to i16\n"
            "  ret i16 %2\n");
}

// A value of a loop, used by a comparison before it is made.
TEST(WideHalves, GoRoundLoops) {
  EXPECT_EQ(widened("half",
                    "br label %l\nl:\n%p = phi half [ %s, %0 ], [ %q, %l ]\n%r = fcmp olt half %p, 0xH3C00\n"
                    "%q = fadd half %p, 0xH3800\nbr i1 %r, label %l, label %e\ne:\nret half %q\n"),
            "  br label %l\n"
            "  %p = phi half [ %s, %0 ], [ %4, %l ]\n"
            "  %1 = fpext half %p to float\n"
            "  %2 = fcmp olt float %1, 1.000000e+00\n"
            "  %3 = fadd float %1, 5.000000e-01\n"
            "  %4 = fptrunc float %3 to half\n"
            "  br i1 %2, label %l, label %e\n"
            "  ret half %4\n");
}

// A float's product and sum, rounded once to a half, is not the half's.
TEST(WideHalves, WhatWouldBeRoundedTwiceStays) {
  EXPECT_EQ(widened("<8 x half>",
                    "%r = call <8 x half> @llvm.fma.v8f16(<8 x half> %a, <8 x half> %b, <8 x half> %a)\n"
                    "ret <8 x half> %r\n"),
            "  %r = call <8 x half> @llvm.fma.v8f16(<8 x half> %a, <8 x half> %b, <8 x half> %a)\n"
            "  ret <8 x half> %r\n");
}

}  // namespace
}  // namespace heddle::exec::jit
