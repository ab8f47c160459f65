#include "exec/jit/codegen/locked_fences.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

namespace heddle::exec::jit {
namespace {

// Of a function with this body as many fences are left.
int fences_of(const std::string& body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic wrong;
  const auto module = llvm::parseAssemblyString("define void @f(ptr %lock, ptr %p, i1 %c) {\n" + body + "}\n",
                                                wrong, context);
  if (!module) {
    ADD_FAILURE() << wrong.getMessage().str() << "\n" << body;
    return -1;
  }
  llvm::Function& function = *module->getFunction("f");
  drop_locked_fences(function);
  int left = 0;
  for (const llvm::Instruction& i : llvm::instructions(function))
    left += llvm::isa<llvm::FenceInst>(i) ? 1 : 0;
  return left;
}

const std::string exchange = "%r = cmpxchg ptr %lock, i32 0, i32 1 monotonic monotonic\n",
                  release = "%o = atomicrmw xchg ptr %lock, i32 0 monotonic\n", fence = "fence seq_cst\n",
                  store = "store volatile i32 1, ptr %p\n";

TEST(LockedFences, GoBesideAnAtomicOperation) {
  EXPECT_EQ(fences_of(exchange + fence + store + fence + release + "ret void\n"), 0);
  EXPECT_EQ(fences_of(exchange + fence + fence + store + "ret void\n"), 0);
}

TEST(LockedFences, StayWhereMemoryIsBetween) {
  EXPECT_EQ(fences_of(store + fence + store + "ret void\n"), 1);
  EXPECT_EQ(fences_of(exchange + store + fence + store + release + "ret void\n"), 1);
  EXPECT_EQ(fences_of("call void @f(ptr %p, ptr %p, i1 0)\n" + fence + "ret void\n"), 1);
}

TEST(LockedFences, GoAcrossBlocksThatOneWayLeadsTo) {
  EXPECT_EQ(
      fences_of(exchange + "br i1 %c, label %a, label %b\na:\n" + fence + store + "ret void\nb:\nret void\n"),
      0);
  EXPECT_EQ(fences_of(store + fence + "br label %a\na:\n" + release + "ret void\n"), 0);
  // Behind one of two ways there is no lock.
  EXPECT_EQ(fences_of("br i1 %c, label %a, label %b\na:\n" + exchange + "br label %b\nb:\n" + fence + store +
                      "ret void\n"),
            1);
  EXPECT_EQ(
      fences_of(store + fence + "br i1 %c, label %a, label %b\na:\n" + release + "ret void\nb:\nret void\n"),
      1);
}

TEST(LockedFences, GoBesideWhatNobodyElseSees) {
  const std::string
      own = "%n = load i32, ptr %q\nstore i32 %n, ptr %q\n",
      where = "%q = getelementptr i8, ptr %p, i64 8\n",
      turn =
          "br i1 %c, label %give, label %on\ngive:\ncall void @f(ptr %p, ptr %p, i1 0) \"gives-way\"\n"
          "br label %on\non:\n";
  EXPECT_EQ(fences_of(where + exchange + own + turn + fence + store + "ret void\n"), 0);
  EXPECT_EQ(fences_of(where + exchange + "store volatile i32 1, ptr %q\n" + fence + store + "ret void\n"), 1);
  // What a number points to is anybody's.
  EXPECT_EQ(
      fences_of("%a = inttoptr i64 64 to ptr\n" + exchange + "store i32 1, ptr %a\n" + fence + "ret void\n"),
      1);
}

// A loop without memory has an end for who looks.
TEST(LockedFences, GoRoundNoLoop) { EXPECT_EQ(fences_of("br label %a\na:\n" + fence + "br label %a\n"), 1); }

}  // namespace
}  // namespace heddle::exec::jit
