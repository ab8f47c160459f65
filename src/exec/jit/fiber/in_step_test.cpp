// Where threads on their own wait for the others of their warp. What comes out: tests/differential.
#include "exec/jit/fiber/in_step.h"

#include <gtest/gtest.h>

#include <string>

#include "arch/device.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/transform/canonical.h"
#include "exec/jit/vectorize/weave.h"
#include "llvm/IR/InstIterator.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::exec::jit {
namespace {

// %s is a thread's own word of shared memory, %v one of global memory that no other parameter leads to.
unsigned places(const std::string& body, const Dim3& block = {.x = 128}) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry kernel(.param .u64 out, .param .u32 count)\n{\n  .reg .u64 %out, %o;\n"
      "  .reg .u32 %t, %y, %n, %s, %a, %b, %c, %v, %base;\n  .reg .pred %p;\n  .shared .align 4 .b8 "
      "room[4096];\n"
      "  ld.param.u64 %out, [out];\n  ld.param.u32 %n, [count];\n  mov.u32 %t, %tid.x;\n  mov.u32 %y, "
      "%tid.y;\n"
      "  mov.u32 %base, room;\n  shl.b32 %a, %t, 2;\n  add.u32 %s, %a, %base;\n"
      "  mad.wide.u32 %o, %t, 4, %out;\n  add.u32 %v, %t, 3;\n" +
      body + "\n  ret;\n}\n";
  auto source = std::make_shared<SourceText>("test.ptx", text);
  Diagnostics diagnostics;
  const ptx::Module syntax = ptx::read(source, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.render(*source);
  const ptx::Module* const modules[] = {&syntax};
  auto linked = module::link(modules);
  EXPECT_TRUE(linked.ok());
  if (!linked.ok()) return ~0u;
  const module::Image& image = *linked.value();
  ThreadProgram program =
      lower(image, image.function_index("kernel"), meaning_of(image, **arch::find_device("h200")));
  specialise(program, {.block = block, .word_alignment = {}});
  canonicalise(program);
  // As where passes made the jumps anew.
  for (llvm::BasicBlock& b : *program.entry) b.getTerminator()->setDebugLoc({});
  const unsigned count = keep_in_step(program, image, block);
  for (const llvm::Instruction& i : llvm::instructions(*program.entry))
    if (is_op(&i, Op::in_step)) EXPECT_TRUE(i.getDebugLoc()) << body;
  return count;
}

constexpr const char* store = "  st.shared.u32 [%s], %v;\n";
constexpr const char* own = "  ld.shared.u32 %v, [%s];\n";
constexpr const char* next = "  ld.shared.u32 %v, [%s+4];\n";
constexpr const char* use = "  st.global.u32 [%o], %v;\n";

TEST(InStep, IsKeptWhereALaneReadsWhatAnotherWrote) {
  EXPECT_EQ(places(std::string(store) + next + use), 1u);
  EXPECT_EQ(places(std::string(store) + own + use), 0u);
  EXPECT_EQ(places(std::string(next) + store + own + use), 1u);
  EXPECT_EQ(places(std::string(store) + "  st.shared.u32 [%base], %t;\n"), 1u);
}

TEST(InStep, IsKeptByBarriersAndByWhatWholeWarpsDo) {
  for (const char* together :
       {"  bar.sync 0;\n", "  bar.warp.sync -1;\n", "  shfl.sync.down.b32 %c, %t, 1, 31, -1;\n",
        "  vote.sync.any.pred %p, %p, -1;\n"})
    EXPECT_EQ(places(std::string(store) + together + next + use), 0u) << together;
  EXPECT_EQ(places(std::string(store) + "  bar.warp.sync 15;\n" + next + use), 1u);
  EXPECT_EQ(places(std::string(store) + "  bar.arrive 1, 128;\n" + next + use), 1u);
}

TEST(InStep, SpacesDoNotMeet) {
  EXPECT_EQ(places(std::string(store) + "  ld.global.u32 %v, [%out];\n  st.shared.u32 [%s], %v;\n"), 0u);
  EXPECT_EQ(places(std::string(store) + "  ld.u32 %v, [%out];\n  st.shared.u32 [%s], %v;\n"), 2u);
}

TEST(InStep, RowsOfAThreadsOwnDoNotMeet) {
  const std::string loop =
      "  mov.u32 %c, 0;\nturn:\n  st.shared.u32 [%s], %v;\n  ld.shared.u32 %b, [%s];\n  add.u32 %v, %v, %b;\n"
      "  add.u32 %s, %s, STEP;\n  add.u32 %c, %c, 1;\n  setp.lt.u32 %p, %c, %n;\n  @%p bra turn;\n";
  const auto by = [&](const std::string& step) {
    std::string text = loop;
    return places(text.replace(text.find("STEP"), 4, step));
  };
  EXPECT_EQ(by("128"), 0u);
  EXPECT_EQ(by("512"), 0u);
  EXPECT_GE(by("4"), 1u);
}

TEST(InStep, OfARowOfABlockGoesByTheThreadsNumber) {
  const std::string by_row = "  mad.lo.u32 %s, %y, 64, %s;\n";
  EXPECT_EQ(places(by_row + store + own, {.x = 16, .y = 8}), 0u);
  // Before the store as well, whose lanes may meet.
  EXPECT_EQ(places(by_row + store + own, {.x = 8, .y = 8}), 2u);
  EXPECT_EQ(places(std::string(store) + own, {.x = 16, .y = 8}), 2u);
  EXPECT_EQ(places(std::string(store) + own + use, {.x = 32, .y = 8}), 0u);
}

// Before a loop that only reads, not in each of its turns.
TEST(InStep, IsKeptBeforeALoopThatOnlyReads) {
  const std::string reads =
      "  mov.u32 %c, 0;\n  mov.u32 %b, %base;\nturn:\n  ld.shared.u32 %a, [%b];\n  add.u32 %v, %v, %a;\n"
      "  add.u32 %b, %b, 4;\n  add.u32 %c, %c, 1;\n  setp.lt.u32 %p, %c, %n;\n  @%p bra turn;\n";
  EXPECT_EQ(places(store + reads + use), 1u);
}

// The branch of one lane writes; behind it all read.
TEST(InStep, IsKeptWherePartsMeet) {
  const std::string one =
      "  setp.ne.u32 %p, %t, 0;\n  @%p bra meet;\n  st.shared.u32 [%base], %v;\n  st.shared.u32 [%base+8], "
      "%n;\n"
      "meet:\n  ld.shared.u32 %v, [%base];\n";
  EXPECT_EQ(places(one + use), 3u);  // and before the two stores, which are to one place of all lanes
}

TEST(InStep, LanesThatStoreToOnePlaceHaveAnOrder) {
  EXPECT_EQ(places("  st.shared.u32 [%base], %v;\n"), 1u);
  EXPECT_EQ(places("  st.shared.u32 [%base], %n;\n"), 0u);  // all the same
  EXPECT_EQ(places("  atom.shared.exch.b32 %v, [%base], %t;\n" + std::string(use)), 0u);
  EXPECT_EQ(places("  st.shared.u32 [%base], %v;\n  atom.shared.add.u32 %v, [%base+4], %t;\n"), 2u);
  EXPECT_EQ(places("  red.shared.add.u32 [%base], %t;\n  red.shared.add.u32 [%base], %v;\n"), 0u);
  EXPECT_EQ(places("  red.shared.add.u32 [%base], %t;\n  red.shared.max.u32 [%base], %v;\n"), 1u);
}

// Lanes that waited among themselves come later to what has an order than those that did not.
TEST(InStep, OrderIsKeptBehindWhatPartsWaitedFor) {
  const std::string odd = "  and.b32 %c, %t, 1;\n  setp.ne.u32 %p, %c, 0;\n  @%p bra meet;\n";
  const std::string far = "  st.global.u32 [%o], %v;\n  ld.global.u32 %v, [%o+8];\n";
  const std::string ordered = "  atom.shared.exch.b32 %v, [%base], %t;\n" + std::string(use);
  EXPECT_EQ(places(far + ordered), 2u);  // before the load, and before what is stored at last
  EXPECT_EQ(places(odd + far + "meet:\n" + ordered), 3u);
  EXPECT_EQ(places(odd + "meet:\n" + ordered), 0u);
  EXPECT_EQ(places(odd + "  bar.warp.sync 0x55555555;\nmeet:\n" + ordered), 1u);
  EXPECT_EQ(places("  bar.warp.sync 0x55555555;\n" + ordered), 1u);
  EXPECT_EQ(places(odd + "  bar.warp.sync 0x55555555;\nmeet:\n  bar.warp.sync -1;\n" + ordered), 0u);
}

// Who wants a lock comes after who has it.
TEST(InStep, IsNotKeptUnderALock) {
  const std::string locked =
      "again:\n  atom.global.cas.b32 %a, [%out], 0, 1;\n  setp.ne.u32 %p, %a, 0;\n  @%p bra again;\n" +
      std::string(store) + next + use + "  atom.global.exch.b32 %a, [%out], 0;\n";
  EXPECT_EQ(places(locked), 0u);
  EXPECT_EQ(places(locked + store + next), 0u);
  // Before, and when all have come together behind.
  EXPECT_EQ(places(store + (next + locked)), 1u);
  EXPECT_EQ(places(locked + "  bar.sync 0;\n" + store + next), 1u);
  EXPECT_EQ(places(locked + "  bar.warp.sync -1;\n" + store + next), 1u);
}

}  // namespace
}  // namespace heddle::exec::jit
