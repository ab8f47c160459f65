#include "exec/jit/transform/canonical.h"

#include <gtest/gtest.h>

#include "exec/jit/ir/ops.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "module/link.h"
#include "ptx/parse.h"
#include "ptx/random_program.h"

namespace heddle::exec::jit {
namespace {

std::string broken(const ThreadProgram& program) {
  std::string text;
  llvm::raw_string_ostream out(text);
  return llvm::verifyModule(*program.module, &out) ? text : std::string();
}

std::unique_ptr<module::Image> link(const std::string& text) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const SourceText>("program.ptx", text);
  const ptx::Module syntax = ptx::read(source, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.render(*source);
  const ptx::Module* modules[] = {&syntax};
  auto linked = module::link(modules);
  return linked ? std::move(linked.value()) : nullptr;
}

void check_form(llvm::Function& thread) {
  unsigned returns = 0;
  for (const llvm::Instruction& i : llvm::instructions(thread)) {
    EXPECT_FALSE(llvm::isa<llvm::SwitchInst>(i));
    EXPECT_FALSE(llvm::isa<llvm::AllocaInst>(i));
    if (i.getType()->isStructTy()) {
      EXPECT_TRUE(llvm::isa<llvm::CallInst>(i));
      for (const llvm::User* user : i.users())
        EXPECT_EQ(llvm::cast<llvm::Instruction>(user)->getParent(), i.getParent());
    }
    returns += llvm::isa<llvm::ReturnInst>(i) ? 1 : 0;
  }
  EXPECT_LE(returns, 1u);
  llvm::DominatorTree dominators(thread);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    EXPECT_TRUE(loop->isLoopSimplifyForm());
    EXPECT_TRUE(loop->isLCSSAForm(dominators));
  }
}

// Steps find their instruction by their debug location; every access must be found when it faults.
void check_places(const ThreadProgram& program) {
  for (const llvm::Instruction& i : llvm::instructions(*program.entry)) {
    const auto op = op_of(&i);
    if (!op || effect(*op) == Effect::none) continue;
    ASSERT_TRUE(i.getDebugLoc()) << name(*op);
    EXPECT_GT(i.getDebugLoc().getLine(), 0u) << name(*op);
    EXPECT_LE(i.getDebugLoc().getLine(), program.sites.size()) << name(*op);
  }
}

TEST(Canonical, RandomProgramsAreValidAndInOrder) {
  unsigned native = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    const auto text = ptx::testing::random_program(seed).text;
    const auto image = link(text);
    ASSERT_NE(image, nullptr);
    ThreadProgram program = lower(*image, image->function_index("k"), Meaning{});
    ASSERT_EQ(broken(program), "") << "seed " << seed << '\n' << text;
    if (program.needs.reference) continue;
    canonicalise(program);
    ASSERT_EQ(broken(program), "") << "seed " << seed << '\n' << text;
    check_form(*program.entry);
    check_places(program);
    ++native;
    // Once more changes little, and breaks nothing: a stage between may have made something constant.
    canonicalise(program);
    ASSERT_EQ(broken(program), "") << "seed " << seed << '\n' << text;
    check_form(*program.entry);
  }
  EXPECT_GT(native, 60u);
}

TEST(Canonical, OperationsAreFoundByTheirNames) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                          llvm::GlobalValue::ExternalLinkage, "f", module);
  llvm::IRBuilder<> ir(llvm::BasicBlock::Create(context, "", function));
  const llvm::CallInst* load =
      call_op(ir, Op::load, ir.getInt32Ty(), {ir.getInt64(64), ir.getInt32(1), ir.getInt32(access_strong)});
  EXPECT_EQ(load->getCalledFunction()->getName(), "heddle.load.i32.i64");
  EXPECT_TRUE(is_op(load, Op::load));
  EXPECT_EQ(immediate(*load, 2), uint64_t{access_strong});
  EXPECT_TRUE(load->mayWriteToMemory());  // ordered with the other operations
  const llvm::CallInst* tid = call_op(ir, Op::tid, ir.getInt32Ty(), {ir.getInt32(0)});
  EXPECT_TRUE(is_op(tid, Op::tid));
  EXPECT_FALSE(tid->mayReadOrWriteMemory());
  EXPECT_TRUE(call_op(ir, Op::barrier, ir.getVoidTy(), {ir.getInt32(0)})->isConvergent());
  EXPECT_FALSE(op_of(function).has_value());
}

}  // namespace
}  // namespace heddle::exec::jit
