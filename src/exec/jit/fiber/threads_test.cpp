#include "exec/jit/fiber/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csetjmp>
#include <numeric>

#include "arch/device.h"
#include "exec/jit/analysis/needs.h"
#include "exec/jit/codegen/machine.h"
#include "exec/jit/fiber/emit.h"
#include "exec/jit/transform/canonical.h"
#include "exec/jit/vectorize/weave.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::exec::jit {
namespace {

using testing::Each;
using testing::ElementsAre;

struct Caught {
  uint32_t kind = 0, site = 0, thread = 0, write = 0;
  uint64_t address = 0;
  std::jmp_buf back;
};
thread_local Caught caught;

void catch_fault(Context*, uint32_t site, uint32_t kind, uint32_t thread, uint64_t address, uint32_t,
                 uint32_t write, uint32_t) {
  caught.kind = kind;
  caught.site = site;
  caught.thread = thread;
  caught.address = address;
  caught.write = write;
  std::longjmp(caught.back, 1);
}

// A step that adds one lane's count of lanes: any instruction, as long as the test knows.
void count_lanes(Context* context, uint32_t, uint32_t, uint32_t lanes) {
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (lanes >> lane & 1) context->step_registers[lane] = lanes;
  }
}

Threads& test_threads() {
  static thread_local Threads threads(ThreadHooks{.step = count_lanes, .fault = catch_fault});
  return threads;
}

extern "C" void run_test_threads(Context* context, uint64_t first, uint64_t count, ThreadEntry entry,
                                 const ThreadKernel* kernel) {
  test_threads().run(*context, first, count, entry, *kernel);
}

// One kernel of a PTX text, run by threads with stacks of their own.
class Program {
 public:
  explicit Program(std::string_view body, std::string_view head = "") {
    std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n" + std::string(head) +
        "\n.visible .entry kernel(.param .u64 out)\n{\n  .reg .u64 %out;\n"
        "  .reg .u32 %t;\n  .reg .u64 %mine;\n"
        "  ld.param.u64 %out, [out];\n  mov.u32 %t, %tid.x;\n  mad.wide.u32 %mine, %t, 4, %out;\n" +
        std::string(body) + "\n}\n";
    auto source = std::make_shared<SourceText>("test.ptx", text);
    Diagnostics diagnostics;
    syntax_ = std::make_unique<ptx::Module>(ptx::read(source, diagnostics));
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.render(*source);
    const ptx::Module* const modules[] = {syntax_.get()};
    auto linked = module::link(modules);
    EXPECT_TRUE(linked.ok());
    image_ = std::move(linked.value());
  }

  // What is in `out` after a launch of one row of blocks.
  std::vector<uint32_t> run(Dim3 block, uint32_t grid = 1, uint32_t words = 0, Tier tier = Tier::quick) {
    const Result<Host, std::string> host = find_host(nullptr);
    Machine machine(*host);
    machine.bind("heddle_jit_want", reinterpret_cast<const void*>(&heddle_jit_want));
    machine.bind("heddle_jit_run_threads", reinterpret_cast<const void*>(&run_test_threads));
    const uint32_t entry = image_->function_index("kernel");
    ThreadProgram program = lower(*image_, entry, meaning_of(*image_, **arch::find_device("h200")));
    EXPECT_FALSE(program.needs.reference) << program.needs.reason;
    canonicalise(program);
    count_barriers(program, block);
    needs_threads = program.needs.independent_threads;
    emit_threads(program, *image_, entry, {.block = block, .word_alignment = {}});
    auto object = machine.compile(*program.module, tier);
    EXPECT_TRUE(object) << object.error();
    if (!object) return {};
    auto code = machine.load(*object);
    EXPECT_TRUE(code) << code.error();
    if (!code) return {};
    std::vector<uint32_t> out(words ? words : block.count() * grid);
    const auto threads = block.count();
    const uint64_t address = reinterpret_cast<uint64_t>(out.data());
    std::vector<std::byte> shared(program.shared_bytes), local(threads * stride);
    std::vector<uint64_t> step_registers(64 * 32);
    Context context;
    context.parameters = reinterpret_cast<const std::byte*>(&address);
    context.shared = shared.data();
    context.shared_bytes = program.shared_bytes;
    context.local = local.data();
    context.local_stride = stride;
    context.grid[0] = grid;
    context.together = together ? 1 : 0;
    context.step_registers = step_registers.data();
    sites_ = program.sites;
    caught.kind = no_fault;
    if (setjmp(caught.back) == 0)
      reinterpret_cast<KernelEntry>((*code)->find(kernel_symbol))(&context, 0, grid);
    return out;
  }
  bool faulted(FaultKind kind) const { return caught.kind == static_cast<uint32_t>(kind); }
  bool fine() const { return caught.kind == no_fault; }

  bool needs_threads = false;
  bool together = false;  // all blocks at once

  static constexpr uint32_t no_fault = 0xffff;
  static constexpr uint64_t stride = 2048;

 private:
  std::unique_ptr<ptx::Module> syntax_;
  std::shared_ptr<const module::Image> image_;
  std::vector<Site> sites_;
};

TEST(Threads, RunEveryThreadOfEveryBlock) {
  Program program(R"(
    .reg .u32 %x, %y, %n, %b, %i; .reg .u64 %p;
    mov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mov.u32 %n, %ntid.x; mov.u32 %b, %ctaid.x;
    mad.lo.u32 %i, %y, %n, %x;
    mad.lo.u32 %i, %b, 40, %i;
    mad.wide.u32 %p, %i, 4, %out;
    add.u32 %i, %i, 1000;
    st.global.u32 [%p], %i;
  )");
  const auto out = program.run({8, 5, 1}, 3);
  std::vector<uint32_t> expected(120);
  std::iota(expected.begin(), expected.end(), 1000u);
  EXPECT_EQ(out, expected);
}

TEST(Threads, MeetAtBarriers) {
  // Reversed through shared memory, block after block: it begins as zeros each time.
  Program program(R"(
    .shared .u32 s[96];
    .reg .u32 %a, %b, %v; .reg .u64 %p;
    shl.b32 %a, %t, 2;
    mov.u32 %v, s; add.u32 %a, %a, %v;
    ld.shared.u32 %v, [%a];
    add.u32 %v, %v, %t;
    st.shared.u32 [%a], %v;
    bar.sync 0;
    mov.u32 %b, 380; sub.u32 %b, %b, %a;
    ld.shared.u32 %v, [%b];
    st.global.u32 [%mine], %v;
  )");
  const auto out = program.run({96, 1, 1}, 2, 96);
  EXPECT_TRUE(program.fine());
  for (uint32_t t = 0; t < 96; ++t) EXPECT_EQ(out[t], 95 - t);
}

TEST(Threads, ExitedOnesAreNotWaitedFor) {
  Program program(R"(
    .reg .pred %p;
    setp.gt.u32 %p, %t, 9;
    @%p exit;
    bar.sync 0;
    st.global.u32 [%mine], 7;
  )");
  const auto out = program.run({64, 1, 1});
  EXPECT_TRUE(program.fine());
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t < 10 ? 7u : 0u);
}

TEST(Threads, ComeAllToABarrierOfAsManyAsThereAre) {
  Program program("  bar.sync 3, 64;\n  st.global.u32 [%mine], 3;\n");
  EXPECT_THAT(program.run({50, 1, 1}), Each(3u));
  EXPECT_FALSE(program.needs_threads);
  (void)program.run({96, 1, 1});
  EXPECT_TRUE(program.needs_threads);
}

TEST(Threads, ReduceAtABarrier) {
  Program program(R"(
    .reg .pred %p, %q; .reg .u32 %n, %m;
    setp.lt.u32 %p, %t, 37;
    bar.red.popc.u32 %n, 1, %p;
    bar.red.and.pred %q, 2, %p;
    selp.u32 %m, 1000, 0, %q;
    add.u32 %n, %n, %m;
    bar.red.or.pred %q, 2, %p;
    selp.u32 %m, 500, 0, %q;
    add.u32 %n, %n, %m;
    st.global.u32 [%mine], %n;
  )");
  EXPECT_THAT(program.run({96, 1, 1}), Each(537u));
}

TEST(Threads, HandOverAtBarriersOfSome) {
  // Warp 0 makes values, warp 1 takes them: each waits for the other alone, and warp 2 for nobody.
  Program program(R"(
    .shared .u32 s[32];
    .reg .u32 %w, %i, %v, %a, %sum; .reg .pred %p;
    shr.u32 %w, %t, 5;
    and.b32 %a, %t, 31;
    shl.b32 %a, %a, 2;
    mov.u32 %i, 0; mov.u32 %sum, 0;
    setp.eq.u32 %p, %w, 1; @%p bra take;
    setp.eq.u32 %p, %w, 2; @%p bra end;
  make:
    add.u32 %v, %t, %i;
    st.shared.u32 [%a], %v;
    bar.arrive 1, 64;
    bar.sync 2, 64;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 10; @%p bra make;
    bra end;
  take:
    bar.sync 1, 64;
    ld.shared.u32 %v, [%a];
    add.u32 %sum, %sum, %v;
    bar.arrive 2, 64;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 10; @%p bra take;
  end:
    st.global.u32 [%mine], %sum;
  )");
  const auto out = program.run({96, 1, 1});
  ASSERT_TRUE(program.fine());
  EXPECT_TRUE(program.needs_threads);
  for (uint32_t t = 0; t < 96; ++t) EXPECT_EQ(out[t], t / 32 == 1 ? 10 * (t - 32) + 45 : 0);
}

TEST(Threads, TakeALockOneAfterTheOther) {
  // The lane that holds the lock may stand behind those that spin for it.
  Program program(R"(
    .shared .u32 lock; .shared .u32 count;
    .reg .pred %p; .reg .u32 %old, %n;
  again:
    atom.shared.cas.b32 %old, [lock], 0, 1;
    setp.ne.u32 %p, %old, 0;
    @%p bra again;
    ld.shared.u32 %n, [count];
    add.u32 %n, %n, 1;
    st.shared.u32 [count], %n;
    membar.cta;
    atom.shared.exch.b32 %old, [lock], 0;
    bar.sync 0;
    ld.shared.u32 %n, [count];
    st.global.u32 [%mine], %n;
  )");
  for (Tier tier : {Tier::quick, Tier::best}) EXPECT_THAT(program.run({256, 1, 1}, 1, 0, tier), Each(256u));
}

TEST(Threads, WaitForAFlagThatAWeakLoadSees) {
  Program program(R"(
    .shared .u32 flag;
    .reg .pred %p; .reg .u32 %v;
    setp.eq.u32 %p, %t, 63;
    @%p st.shared.u32 [flag], 41;
  wait:
    ld.shared.u32 %v, [flag];
    setp.eq.u32 %p, %v, 0;
    @%p bra wait;
    st.global.u32 [%mine], %v;
  )");
  EXPECT_THAT(program.run({64, 1, 1}), Each(41u));
}

// The lanes of a warp are always busy with each other, and what they wait for is another warp's to do.
TEST(Threads, OfAWarpThatLooksTogetherGiveWay) {
  for (const char* look : {"vote.sync.any.pred %p, %p, -1;", "bar.warp.sync -1;"}) {
    Program program(R"(
    .shared .u32 flag;
    .reg .pred %p; .reg .u32 %v;
    setp.eq.u32 %p, %t, 95;
    @%p st.volatile.shared.u32 [flag], 41;
  wait:
    ld.volatile.shared.u32 %v, [flag];
    setp.eq.u32 %p, %v, 0;
    )" + std::string(look) +
                    R"(
    @%p bra wait;
    st.global.u32 [%mine], %v;
  )");
    EXPECT_THAT(program.run({96, 1, 1}), Each(41u)) << look;
  }
}

TEST(Threads, ExchangeValuesWithinTheirWarp) {
  Program program(R"(
    .reg .u32 %v, %w; .reg .pred %p;
    shfl.sync.bfly.b32 %v, %t, 5, 31, -1;
    vote.sync.ballot.b32 %w, 1, -1;
    add.u32 %v, %v, %w;
    setp.gt.u32 %p, %t, 40;
    vote.sync.any.pred %p, %p, -1;
    @%p add.u32 %v, %v, 100;
    redux.sync.max.u32 %w, %t, -1;
    add.u32 %v, %v, %w;
    st.global.u32 [%mine], %v;
  )");
  const auto out = program.run({48, 1, 1});
  ASSERT_TRUE(program.fine());
  for (uint32_t t = 0; t < 48; ++t) {
    const uint32_t lanes = t < 32 ? 32 : 16, first = t / 32 * 32;
    uint32_t expected = first + ((t % 32) ^ 5);
    expected += lanes == 32 ? 0xffffffff : 0xffff;
    expected += t >= 32 ? 100 : 0;
    expected += first + lanes - 1;
    EXPECT_EQ(out[t], expected) << t;
  }
}

TEST(Threads, MembersComeFromDifferentPlaces) {
  Program program(R"(
    .reg .u32 %v; .reg .pred %p;
    setp.lt.u32 %p, %t, 16;
    @%p bra low;
    shfl.sync.idx.b32 %v, %t, 3, 31, -1;
    bra join;
  low:
    shfl.sync.idx.b32 %v, %t, 20, 31, -1;
  join:
    st.global.u32 [%mine], %v;
  )");
  const auto out = program.run({32, 1, 1});
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 16 ? 20u : 3u);
}

TEST(Threads, NobodyWaitsForThoseWhoDoNotCome) {
  // activemask names whoever is there: all at first, then those that went this way.
  Program program(R"(
    .reg .u32 %v, %w; .reg .pred %p;
    activemask.b32 %v;
    setp.lt.u32 %p, %t, 4;
    @!%p bra end;
    activemask.b32 %w;
    sub.u32 %v, %v, %w;
  end:
    bar.warp.sync -1;
    st.global.u32 [%mine], %v;
  )");
  const auto out = program.run({32, 1, 1});
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 4 ? 0xfffffff0 : 0xffffffff);
}

TEST(Threads, AddAtomically) {
  Program program(R"(
    .reg .u32 %old; .reg .f32 %f; .reg .u64 %p;
    add.u64 %p, %out, 0;
    atom.global.add.u32 %old, [%p], %t;
    red.global.max.u32 [%p+4], %t;
    atom.global.inc.u32 %old, [%p+8], 9;
    red.global.add.f32 [%p+12], 0f3f000000;
    red.add.f32 [%p+16], 0f00000001;
    red.global.min.s32 [%p+20], -5;
  )");
  const auto out = program.run({50, 1, 1}, 2, 6);
  EXPECT_THAT(out, ElementsAre(49 * 50, 49, 0, std::bit_cast<uint32_t>(50.0f), 0, 0xfffffffb));
}

TEST(Threads, ReachEveryWindowGenerically) {
  Program program(R"(
    .shared .align 8 .u32 s[64]; .local .align 8 .u32 l[2];
    .reg .u64 %p, %q; .reg .u32 %v, %w;
    cvta.shared.u64 %p, s;
    cvta.local.u64 %q, l;
    mad.wide.u32 %p, %t, 4, %p;
    st.u32 [%p], %t;
    add.u32 %v, %t, 50;
    st.v2.u32 [%q], {%v, %t};
    bar.sync 0;
    ld.u32 %v, [%p];
    ld.u32 %w, [%q];
    add.u32 %v, %v, %w;
    st.u32 [%mine], %v;
  )");
  const auto out = program.run({64, 1, 1});
  ASSERT_TRUE(program.fine());
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], 2 * t + 50);
}

TEST(Threads, FaultWhereTheyAre) {
  Program misaligned(R"(
    .reg .pred %p; .reg .u64 %q;
    add.u64 %q, %out, 2;
    setp.eq.u32 %p, %t, 5;
    @%p st.global.u32 [%q], 1;
  )");
  (void)misaligned.run({32, 1, 1});
  EXPECT_TRUE(misaligned.faulted(FaultKind::misaligned_address));
  EXPECT_EQ(caught.thread, 5u);
  EXPECT_EQ(caught.write, 1u);
  EXPECT_EQ(caught.address % 4, 2u);

  Program outside(R"(
    .shared .u32 s[8];
    .reg .u32 %a, %v;
    shl.b32 %a, %t, 2;
    ld.shared.u32 %v, [%a];
  )");
  (void)outside.run({32, 1, 1});
  EXPECT_TRUE(outside.faulted(FaultKind::illegal_address));
  EXPECT_EQ(caught.thread, 8u);
  EXPECT_EQ(caught.address, 32u);

  Program trapped("  bar.sync 0;\n  trap;\n");
  (void)trapped.run({32, 1, 1});
  EXPECT_TRUE(trapped.faulted(FaultKind::trap));
}

TEST(Threads, ThatCannotGoOnAreAnIllegalBarrier) {
  Program half(R"(
    .reg .pred %p;
    setp.lt.u32 %p, %t, 7;
    @%p bar.sync 0;
    @!%p bar.sync 1;
  )");
  (void)half.run({32, 1, 1});
  EXPECT_TRUE(half.faulted(FaultKind::illegal_barrier));

  Program number("  bar.sync %t;\n");
  (void)number.run({32, 1, 1});
  EXPECT_TRUE(number.faulted(FaultKind::illegal_barrier));
  // And the next launch begins anew.
  Program fine("  bar.sync 0;\n  st.global.u32 [%mine], 3;\n");
  EXPECT_THAT(fine.run({32, 1, 1}), Each(3u));
}

// fib(n) calls itself twice; depth(n) goes n deep and exits the thread there when n is odd.
constexpr std::string_view recursive = R"(
.func (.param .u32 r) fib(.param .u32 n)
{
  .reg .u32 %n, %a, %b; .reg .pred %p;
  ld.param.u32 %n, [n];
  setp.lt.u32 %p, %n, 2;
  @%p bra small;
  { .param .u32 x; .param .u32 y;
    sub.u32 %a, %n, 1;
    st.param.u32 [x], %a;
    call (y), fib, (x);
    ld.param.u32 %a, [y]; }
  { .param .u32 x; .param .u32 y;
    sub.u32 %b, %n, 2;
    st.param.u32 [x], %b;
    call (y), fib, (x);
    ld.param.u32 %b, [y]; }
  add.u32 %n, %a, %b;
small:
  st.param.u32 [r], %n;
  ret;
}
.func depth(.param .u32 n)
{
  .reg .u32 %n; .reg .pred %p;
  .local .u32 l[8];
  ld.param.u32 %n, [n];
  st.local.u32 [l+4], %n;
  setp.ne.u32 %p, %n, 0;
  @!%p exit;
  { .param .u32 x;
    sub.u32 %n, %n, 1;
    st.param.u32 [x], %n;
    call depth, (x); }
  ret;
}
)";

TEST(Threads, CallThemselves) {
  Program program(R"(
    .reg .u32 %v;
    { .param .u32 x; .param .u32 y;
      st.param.u32 [x], %t;
      call (y), fib, (x);
      ld.param.u32 %v, [y]; }
    bar.sync 0;
    st.global.u32 [%mine], %v;
  )",
                  recursive);
  for (Tier tier : {Tier::quick, Tier::best}) {
    const auto out = program.run({16, 1, 1}, 1, 0, tier);
    ASSERT_TRUE(program.fine());
    EXPECT_THAT(out, ElementsAre(0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610));
  }
}

TEST(Threads, ExitFromTheDepthsAndFindTheEndOfTheStack) {
  Program program(R"(
    .reg .u32 %v;
    st.global.u32 [%mine], 5;
    { .param .u32 x;
      st.param.u32 [x], %t;
      call depth, (x); }
    st.global.u32 [%mine], 6;
  )",
                  recursive);
  EXPECT_THAT(program.run({8, 1, 1}), Each(5u));
  EXPECT_TRUE(program.fine());
  (void)program.run({256, 1, 1});
  EXPECT_TRUE(program.faulted(FaultKind::stack_overflow));
  EXPECT_GT(caught.thread, 20u);
}

TEST(Threads, OfSeveralBlocksWaitForOneAnother) {
  // A barrier of the grid: each block counts itself in and waits until all have.
  Program program(R"(
    .shared .u32 sum;
    .reg .u32 %b, %n, %v, %w; .reg .pred %p; .reg .u64 %q;
    mov.u32 %b, %ctaid.x; mov.u32 %n, %nctaid.x;
    add.u32 %v, %b, 1;
    atom.shared.add.u32 %w, [sum], %v;
    bar.sync 0;
    setp.ne.u32 %p, %t, 0;
    @%p bra wait;
    membar.gl;
    atom.global.add.u32 %w, [%out], 1;
  wait:
    ld.volatile.global.u32 %w, [%out];
    setp.lt.u32 %p, %w, %n;
    @%p bra wait;
    bar.sync 0;
    ld.shared.u32 %v, [sum];
    mad.wide.u32 %q, %b, 4, %out;
    st.global.u32 [%q+4], %v;
  )");
  program.together = true;
  const auto out = program.run({64, 1, 1}, 20, 21);
  ASSERT_TRUE(program.fine());
  EXPECT_EQ(out[0], 20u);
  for (uint32_t b = 0; b < 20; ++b) EXPECT_EQ(out[b + 1], 64 * (b + 1));
}

TEST(Barriers, CountThreads) {
  Barriers barriers;
  Barriers::Opened opened;
  barriers.reset(64);
  for (uint32_t t = 0; t < 31; ++t) EXPECT_FALSE(barriers.arrive(t, {.barrier = 3, .count = 32}));
  EXPECT_FALSE(barriers.open(opened));
  barriers.exit(31);  // counts for its warp
  ASSERT_TRUE(barriers.open(opened));
  EXPECT_EQ(opened.waited.size(), 31u);
  EXPECT_FALSE(barriers.open(opened));
  EXPECT_TRUE(barriers.arrive(0, {.barrier = 16}));
  EXPECT_TRUE(barriers.arrive(0, {.barrier = 0, .count = 33}));
  EXPECT_TRUE(barriers.arrive(0, {.barrier = 0, .count = 96}));
  EXPECT_FALSE(barriers.arrive(0, {.barrier = 0, .count = 32}));
  EXPECT_TRUE(barriers.arrive(1, {.barrier = 0, .count = 64}));
}

TEST(Stacks, EndInAPageThatNobodyMayTouch) {
  Stacks stacks;
  ASSERT_TRUE(stacks.reserve(4, 10000));
  for (size_t i = 0; i < 4; ++i) {
    std::byte* top = stacks.top(i);
    top[-1] = std::byte{1};
    top[-10000] = std::byte{1};
    EXPECT_FALSE(stacks.is_guard(reinterpret_cast<uintptr_t>(top - 10000)));
    bool found = false;
    for (uintptr_t below = 10000; below < 24000; below += 1000)
      found |= stacks.is_guard(reinterpret_cast<uintptr_t>(top) - below);
    EXPECT_TRUE(found);
  }
}

}  // namespace
}  // namespace heddle::exec::jit
