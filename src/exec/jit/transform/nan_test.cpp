// Where canonical NaNs are put in, and which programs run in the mode without subnormals.
#include "exec/jit/transform/nan.h"

#include <gtest/gtest.h>

#include "exec/jit/ir/ops.h"
#include "exec/jit/ir/program.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::exec::jit {
namespace {

class Thread {
 public:
  explicit Thread(const std::string& body, const Meaning& meaning = {}) {
    const std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        "  .reg .u64 %out; .reg .f32 %a, %b, %c; .reg .f64 %x, %y, %z; .reg .u32 %i; .reg .pred %p;\n"
        "  ld.param.u64 %out, [out];\n" +
        body + "\n}\n";
    auto source = std::make_shared<const SourceText>("k.ptx", text);
    Diagnostics diagnostics;
    const ptx::Module syntax = ptx::read(source, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.render(*source);
    const ptx::Module* modules[] = {&syntax};
    auto linked = module::link(modules);
    EXPECT_TRUE(linked.ok());
    image_ = std::move(linked.value());
    program = lower(*image_, 0, meaning);
    llvm::FunctionAnalysisManager analyses;
    llvm::PassBuilder passes;
    passes.registerFunctionAnalyses(analyses);
    llvm::PromotePass().run(*program.entry, analyses);
    canonicalise_nans(*program.entry);
  }

  // Tests for NaN, those inside a loop, and operations of a kind.
  unsigned tests() const {
    return count([](const llvm::Instruction& i) { return is_test(i); });
  }
  unsigned tests_in_loops() const {
    llvm::DominatorTree dominators(*program.entry);
    const llvm::LoopInfo loops(dominators);
    return count(
        [&](const llvm::Instruction& i) { return is_test(i) && loops.getLoopFor(i.getParent()) != nullptr; });
  }
  unsigned operations(Op op) const {
    return count([&](const llvm::Instruction& i) { return is_op(&i, op); });
  }
  ThreadProgram program;

 private:
  static bool is_test(const llvm::Instruction& i) {
    const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&i);
    return compare != nullptr && compare->getPredicate() == llvm::CmpInst::FCMP_UNO;
  }
  template <class F>
  unsigned count(F&& f) const {
    unsigned n = 0;
    for (const llvm::Instruction& i : llvm::instructions(*program.entry)) n += f(i) ? 1 : 0;
    return n;
  }
  std::shared_ptr<const module::Image> image_;
};

constexpr const char* loop_from = R"(
    mov.u32 %i, 0;
  LOOP:
    ld.global.f32 %b, [%out+4];
    fma.rn.f32 %a, %b, %b, %a;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 9;
    @%p bra LOOP;
    st.global.f32 [%out], %a;
)";

TEST(Nans, AreCanonicalWhereBitsAreStoredAndNotBetween) {
  EXPECT_EQ(Thread("ld.global.f32 %a, [%out]; mul.f32 %b, %a, %a; add.f32 %b, %b, %a; add.f32 %b, %b, %a; "
                   "st.global.f32 [%out], %b;")
                .tests(),
            1u);
}

TEST(Nans, OfLoadedAndMovedValuesKeepTheirBits) {
  EXPECT_EQ(Thread("ld.global.f32 %a, [%out]; mov.f32 %b, %a; st.global.f32 [%out+4], %b;").tests(), 0u);
}

TEST(Nans, OfConstantsAndIntegersAreNone) {
  EXPECT_EQ(Thread("ld.global.u32 %i, [%out]; cvt.rn.f32.u32 %a, %i; st.global.f32 [%out], %a;").tests(), 0u);
}

TEST(Nans, OfAnAccumulatorCostNothingInsideTheLoop) {
  const Thread constant(std::string("mov.f32 %a, 0f00000000;") + loop_from);
  EXPECT_EQ(constant.tests(), 1u);
  EXPECT_EQ(constant.tests_in_loops(), 0u);
  // One that was loaded: whether it went through the loop goes around with it, no test does.
  const Thread loaded(std::string("ld.global.f32 %a, [%out];") + loop_from);
  EXPECT_EQ(loaded.tests(), 1u);
  EXPECT_EQ(loaded.tests_in_loops(), 0u);
}

TEST(Nans, OfDoublesAreOrderedWhereTwoSourcesMayBeNan) {
  EXPECT_EQ(Thread("ld.global.f64 %x, [%out]; ld.global.f64 %y, [%out+8]; add.f64 %z, %x, %y; "
                   "st.global.f64 [%out], %z;")
                .operations(Op::first_nan),
            1u);
  EXPECT_EQ(Thread("ld.global.f64 %x, [%out]; fma.rn.f64 %z, %x, 0d4000000000000000, 0d4008000000000000; "
                   "st.global.f64 [%out], %z;")
                .operations(Op::first_nan),
            0u);
  // LLVM takes x * 1 for x, but that must make a NaN quiet.
  EXPECT_EQ(Thread("ld.global.f64 %x, [%out]; mul.f64 %z, %x, 0d3ff0000000000000; st.global.f64 [%out], %z;")
                .operations(Op::first_nan),
            1u);
}

TEST(Approximations, OfArgumentsThatAreNeverSubnormalNeedNotScaleThem) {
  const auto flushes = [](const char* body) {
    const Thread thread(body);
    for (const llvm::Instruction& i : llvm::instructions(*thread.program.entry))
      if (is_op(&i, Op::approximate)) return immediate(llvm::cast<llvm::CallInst>(i), 1) != 0;
    return false;
  };
  EXPECT_TRUE(
      flushes("ld.global.f32 %a, [%out]; mul.f32 %b, %a, %a; add.f32 %b, %b, 0f3c23d70a; "
              "rsqrt.approx.f32 %c, %b; st.global.f32 [%out], %c;"));
  EXPECT_FALSE(
      flushes("ld.global.f32 %a, [%out]; add.f32 %b, %a, 0f3c23d70a; rsqrt.approx.f32 %c, %b; "
              "st.global.f32 [%out], %c;"));
  EXPECT_FALSE(
      flushes("ld.global.f32 %a, [%out]; mul.f32 %b, %a, %a; rsqrt.approx.f32 %c, %b; "
              "st.global.f32 [%out], %c;"));
}

TEST(FlushMode, IsForProgramsThatFlushEverywhere) {
  const auto mode = [](const char* body, const Meaning& meaning = {}) {
    return Thread(body, meaning).program.flush_mode;
  };
  EXPECT_TRUE(mode("ld.global.f32 %a, [%out]; fma.rn.ftz.f32 %b, %a, %a, %a; st.global.f32 [%out], %b;"));
  EXPECT_FALSE(mode("ld.global.f32 %a, [%out]; fma.rn.f32 %b, %a, %a, %a; st.global.f32 [%out], %b;"));
  EXPECT_FALSE(
      mode("ld.global.f32 %a, [%out]; mul.ftz.f32 %b, %a, %a; add.f32 %b, %b, %a; "
           "st.global.f32 [%out], %b;"));
  EXPECT_FALSE(
      mode("ld.global.f32 %a, [%out]; mul.ftz.f32 %b, %a, %a; st.global.f32 [%out], %b; "
           "ld.global.f64 %x, [%out+8]; add.f64 %x, %x, %x; st.global.f64 [%out+8], %x;"));
  EXPECT_FALSE(mode("ld.global.f32 %a, [%out]; mul.ftz.f32 %b, %a, %a; red.global.add.f32 [%out], %b;"));
  // What only moves bits does not count.
  EXPECT_TRUE(
      mode("ld.global.f32 %a, [%out]; mul.ftz.f32 %b, %a, %a; neg.f32 %b, %b; abs.f32 %a, %a; "
           "st.global.f32 [%out], %b; st.global.f32 [%out+4], %a;"));
  EXPECT_TRUE(mode("ld.global.f32 %a, [%out]; fma.rn.f32 %b, %a, %a, %a; st.global.f32 [%out], %b;",
                   {.flushes_f32 = true}));
}

TEST(FlushMode, FlushesOnceMoreWhatLlvmWouldNotCompute) {
  const Thread thread("ld.global.f32 %a, [%out]; mul.ftz.f32 %b, %a, 0f3f800000; st.global.f32 [%out], %b;");
  ASSERT_TRUE(thread.program.flush_mode);
  bool selected = false;
  for (const llvm::Instruction& i : llvm::instructions(*thread.program.entry))
    selected |= llvm::isa<llvm::SelectInst>(i) && i.getType()->isFloatTy();
  EXPECT_TRUE(selected);
}

}  // namespace
}  // namespace heddle::exec::jit
