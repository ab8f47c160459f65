// What a kernel did wrong, as both executors tell it.
#include <cstdlib>
#include <functional>

#include "exec/interp/lanes.h"
#include "exec/interp/test_program.h"
#include "exec/jit/codegen/machine.h"
#include "exec/jit/executor.h"
#include "said.h"

namespace heddle::exec {
namespace {

using interp::Buffer;
using interp::TestProgram;

constexpr const char* text = R"(
.version 8.0
.target sm_70
.address_size 64
.file 1 "k.cu"
.visible .entry store_f32(.param .u64 p, .param .u32 n)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %n, %c, %d;
  .reg .pred %q;
  ld.param.u64 %p, [p];
  ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x;
  mov.u32 %c, %ctaid.x;
  mov.u32 %d, %ntid.x;
  mad.lo.u32 %t, %c, %d, %t;
  setp.ge.u32 %q, %t, %n;
  @%q bra end;
  mad.wide.u32 %a, %t, 4, %p;
  .loc 1 20 3
  st.global.f32 [%a], 0f3f800000;
end:
  ret;
}
.visible .entry load_f64(.param .u64 p, .param .u64 out)
{
  .reg .u64 %p, %a, %o;
  .reg .u32 %t;
  .reg .f64 %v;
  ld.param.u64 %p, [p];
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 8, %p;
  .loc 1 30 3
  ld.global.f64 %v, [%a];
  mad.wide.u32 %a, %t, 8, %o;
  st.global.f64 [%a], %v;
  ret;
}
.visible .entry scatter(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k;
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  mul.lo.u32 %t, %t, %k;
  and.b32 %t, %t, 0xffff;
  mad.wide.u32 %a, %t, 4, %p;
  .loc 1 40 3
  st.global.u32 [%a], %t;
  ret;
}
.visible .entry one(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k;
  .reg .pred %q;
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  setp.ne.u32 %q, %t, %k;
  @%q bra end;
  .loc 1 50 3
  st.global.u32 [%p], %t;
end:
  ret;
}
.visible .entry shared(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p;
  .reg .u32 %t, %k, %v;
  .shared .align 8 .b8 room[512];
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  mad.lo.u32 %t, %t, 4, %k;
  mov.u32 %v, room;
  add.u32 %v, %v, %t;
  .loc 1 60 3
  st.shared.u32 [%v], %t;
  bar.sync 0;
  ld.shared.u32 %t, [room];
  st.global.u32 [%p], %t;
  ret;
}
.visible .entry generic(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a, %b;
  .reg .u32 %t, %k, %v;
  .shared .align 8 .b8 room[512];
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  mov.u64 %a, room;
  cvta.shared.u64 %a, %a;
  mad.wide.u32 %a, %t, 4, %a;
  cvt.u64.u32 %b, %k;
  add.u64 %a, %a, %b;
  .loc 1 70 3
  st.u32 [%a], %t;
  bar.sync 0;
  ld.shared.u32 %t, [room];
  st.global.u32 [%p], %t;
  ret;
}
.visible .entry add(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k, %v;
  ld.param.u64 %p, [p];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 4, %p;
  .loc 1 80 3
  atom.global.add.u32 %v, [%a], 1;
  st.global.u32 [%a], %v;
  ret;
}
.visible .entry trapped(.param .u64 p, .param .u32 k)
{
  .reg .u32 %t, %k;
  .reg .pred %q;
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  setp.ne.u32 %q, %t, %k;
  @%q bra end;
  .loc 1 90 3
  trap;
end:
  ret;
}
.visible .entry run(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a, %b;
  .reg .u32 %t, %k, %v, %w;
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  mul.lo.u32 %k, %t, %k;
  mad.wide.u32 %a, %k, 4, %p;
  .loc 1 100 3
  ld.global.u32 %v, [%a];
  .loc 1 101 3
  ld.global.u32 %w, [%a+4];
  add.u32 %v, %v, %w;
  .loc 1 102 3
  ld.global.u32 %w, [%a+8];
  add.u32 %v, %v, %w;
  .loc 1 103 3
  ld.global.u32 %w, [%a+12];
  add.u32 %v, %v, %w;
  // Each its own place: a load is not needed where another lane writes over what comes of it.
  mad.wide.u32 %b, %t, 4, %p;
  .loc 1 104 3
  st.global.u32 [%b], %v;
  ret;
}
.visible .entry pairs(.param .u64 p, .param .u64 out)
{
  .reg .u64 %p, %a, %o;
  .reg .u32 %t, %v, %w;
  ld.param.u64 %p, [p];
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 8, %p;
  .loc 1 110 3
  ld.global.u32 %v, [%a];
  .loc 1 111 3
  ld.global.u32 %w, [%a+4];
  mad.lo.u32 %v, %v, 3, %w;
  mad.wide.u32 %a, %t, 4, %o;
  .loc 1 112 3
  st.global.u32 [%a], %v;
  ret;
}
.visible .entry spread(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k;
  ld.param.u64 %p, [p];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 20, %p;
  .loc 1 120 3
  st.global.u32 [%a+4], %t;
  .loc 1 121 3
  st.global.u32 [%a], %t;
  .loc 1 122 3
  st.global.u32 [%a+12], %t;
  .loc 1 123 3
  st.global.u32 [%a+8], %t;
  ret;
}
.visible .entry written_pairs(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k, %n;
  .reg .pred %q;
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  setp.ge.u32 %q, %t, %k;
  mad.wide.u32 %a, %t, 8, %p;
  @%q bra end;
  .loc 1 130 3
  st.global.u32 [%a], %t;
  .loc 1 131 3
  st.global.u32 [%a+4], %k;
end:
  ret;
}
// Rows whose lanes change places: all of them, and those of odd threads; a store, and pieces of 16 bytes.
.visible .entry changed(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k, %v;
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  xor.b32 %k, %t, %k;
  mad.wide.u32 %a, %k, 4, %p;
  .loc 1 150 3
  ld.global.u32 %v, [%a];
  add.u32 %v, %v, 1;
  .loc 1 151 3
  st.global.u32 [%a], %v;
  ret;
}
.visible .entry changed_by_some(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k, %v;
  .reg .pred %q;
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  and.b32 %v, %t, 5;
  setp.ne.u32 %q, %v, 5;
  @%q bra end;
  xor.b32 %k, %t, %k;
  mad.wide.u32 %a, %k, 4, %p;
  .loc 1 160 3
  st.global.u32 [%a], %v;
end:
  ret;
}
.visible .entry changed_pieces(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k, %v<4>;
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  xor.b32 %k, %t, %k;
  mad.wide.u32 %a, %k, 16, %p;
  .loc 1 170 3
  ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%a];
  add.u32 %v0, %v0, %v1;
  add.u32 %v0, %v0, %v2;
  add.u32 %v0, %v0, %v3;
  mad.wide.u32 %a, %t, 4, %p;
  .loc 1 171 3
  st.global.u32 [%a], %v0;
  ret;
}
// From the end on, k the last element.
.visible .entry backwards(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k, %v;
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  sub.u32 %k, %k, %t;
  mad.wide.u32 %a, %k, 4, %p;
  .loc 1 175 3
  ld.global.u32 %v, [%a];
  add.u32 %v, %v, 1;
  .loc 1 176 3
  st.global.u32 [%a], %v;
  ret;
}
// Lanes 12 bytes from one another: all that are below k, and odd ones; and in shared memory.
.visible .entry strided(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k, %v;
  .reg .pred %q;
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 12, %p;
  setp.ge.u32 %q, %t, %k;
  @%q bra end;
  .loc 1 180 3
  ld.global.u32 %v, [%a];
  and.b32 %t, %t, 5;
  setp.ne.u32 %q, %t, 5;
  @%q bra end;
  .loc 1 181 3
  st.global.u32 [%a+4], %v;
end:
  ret;
}
.visible .entry strided_shared(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p;
  .reg .u32 %t, %k, %v;
  .shared .align 8 .b8 room[1536];
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  mad.lo.u32 %t, %t, 12, %k;
  mov.u32 %v, room;
  add.u32 %v, %v, %t;
  .loc 1 190 3
  st.shared.u32 [%v], %t;
  bar.sync 0;
  ld.shared.u32 %t, [room];
  st.global.u32 [%p], %t;
  ret;
}
// Rows of up to 10 words, 64 bytes apart, as compilers unroll them.
.visible .entry unrolled(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %n, %rest, %v, %s, %low, %high;
  .reg .pred %c;
  ld.param.u64 %p, [p];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 64, %p;
  rem.u32 %n, %t, 11;
  mov.u32 %s, 0;
  ld.param.u32 %low, [k];
  add.u32 %high, %low, %n;
  setp.ge.u32 %c, %low, %high;
  @%c bra done;
  sub.u32 %n, %high, %low;
  and.b32 %rest, %n, 3;
  setp.eq.u32 %c, %rest, 0;
  @%c bra between;
single:
  .loc 1 205 3
  ld.global.u32 %v, [%a];
  mad.lo.u32 %s, %s, 31, %v;
  add.u64 %a, %a, 4;
  add.u32 %low, %low, 1;
  add.s32 %rest, %rest, -1;
  setp.ne.s32 %c, %rest, 0;
  @%c bra single;
between:
  setp.lt.u32 %c, %n, 4;
  @%c bra done;
several:
  ld.global.u32 %v, [%a];
  mad.lo.u32 %s, %s, 31, %v;
  add.u64 %a, %a, 4;
  ld.global.u32 %v, [%a];
  mad.lo.u32 %s, %s, 31, %v;
  add.u64 %a, %a, 4;
  ld.global.u32 %v, [%a];
  mad.lo.u32 %s, %s, 31, %v;
  add.u64 %a, %a, 4;
  ld.global.u32 %v, [%a];
  mad.lo.u32 %s, %s, 31, %v;
  add.u64 %a, %a, 4;
  add.u32 %low, %low, 4;
  setp.lt.u32 %c, %low, %high;
  @%c bra several;
done:
  mad.wide.u32 %p, %t, 4, %p;
  st.global.u32 [%p], %s;
  ret;
}
// The first four threads alone, 64 bytes apart.
.visible .entry first_ones(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k, %v;
  .reg .pred %c;
  .shared .align 16 .b8 room[1024];
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  setp.ge.u32 %c, %t, 4;
  bar.sync 0;
  @%c bra done;
  mad.wide.u32 %a, %t, 64, %p;
  .loc 1 211 3
  ld.global.u32 %v, [%a];
  mad.lo.u32 %k, %t, 64, %k;
  mov.u32 %t, room;
  add.u32 %k, %k, %t;
  .loc 1 212 3
  st.shared.u32 [%k], %v;
done:
  bar.sync 0;
  mov.u32 %t, room;
  ld.shared.u32 %v, [%t];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %p, %t, 4, %p;
  st.global.u32 [%p], %v;
  ret;
}
// The second of four words.
.visible .entry combed(.param .u64 p, .param .u32 k)
{
  .reg .u64 %p, %a;
  .reg .u32 %t, %k, %v;
  .shared .align 16 .b8 room[2048];
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 16, %p;
  .loc 1 195 3
  ld.global.u32 %v, [%a+4];
  mad.lo.u32 %t, %t, 16, %k;
  mov.u32 %k, room;
  add.u32 %t, %k, %t;
  .loc 1 196 3
  st.shared.u32 [%t+4], %v;
  .loc 1 197 3
  ld.shared.u32 %v, [%t+8];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %p, %t, 4, %p;
  st.global.u32 [%p], %v;
  ret;
}
// Thread k has an odd place in its array.
.visible .entry private_array(.param .u64 p, .param .u32 k)
{
  .local .align 8 .b8 array[64];
  .reg .u64 %p, %a, %l;
  .reg .u32 %t, %k, %n, %o;
  .reg .pred %q;
  ld.param.u64 %p, [p];
  ld.param.u32 %k, [k];
  mov.u32 %t, %tid.x;
  and.b32 %n, %t, 15;
  shl.b32 %n, %n, 2;
  setp.eq.u32 %q, %t, %k;
  selp.u32 %o, 2, 0, %q;
  add.u32 %n, %n, %o;
  cvt.u64.u32 %a, %n;
  mov.u64 %l, array;
  add.u64 %l, %l, %a;
  .loc 1 140 3
  st.local.u32 [%l], %t;
  .loc 1 141 3
  ld.local.u32 %n, [%l];
  mad.wide.u32 %a, %t, 4, %p;
  .loc 1 142 3
  st.global.u32 [%a], %n;
  ret;
}
)";

// On every kind of host that this one can be; "": the best.
class Both : public ::testing::TestWithParam<const char*> {
 protected:
  Both() : expected_(text), native_(text) {
    jit::Options options;
    options.cpu = GetParam();
    if (const char* cpu = std::getenv("HEDDLE_JIT_CPU"); cpu != nullptr && options.cpu.empty())
      options.cpu = cpu;
    const auto host = jit::find_host(options.cpu.c_str());
    if (!host) return;  // SetUp() says so
    has_scatters_ = host.value().level == jit::VectorLevel::avx512;
    if (const char* vectors = std::getenv("HEDDLE_JIT_VECTORS"))
      options.vectors = vectors != std::string("0");
    options.threads = 1;
    options.tier = jit::Tier::quick;
    options.trace = said_.listener();
    auto executor =
        jit::make_executor(options, interp::make_executor(), interp::make_reference_lanes_factory());
    if (executor)
      native_.use(std::move(*executor));
    else
      ADD_FAILURE() << executor.error();
  }

  void SetUp() override {
    if (!jit::find_host(GetParam())) GTEST_SKIP() << "this host is none of " << GetParam();
  }

  static constexpr uint64_t base_itself = ~uint64_t{0};
  // `words`: room for the kernel; `offset`: of its first argument from there. `apart`: the bytes between
  // neighbours, where hosts without scatters serve lanes one by one in any order: another lane of the warp
  // may fault first, at its own address.
  void compare(const char* kernel, std::size_t words, int64_t offset, uint64_t second,
               LaunchShape shape = {.block = {128}}, int64_t apart = 0) {
    const auto run = [&](TestProgram& program, uint64_t& base) {
      auto buffer = program.buffer<uint32_t>(words);
      base = reinterpret_cast<uintptr_t>(buffer.data);
      return program.fault(kernel, shape, base + static_cast<uint64_t>(offset),
                           second == base_itself ? base : second);
    };
    uint64_t expected_base = 0, native_base = 0;
    const Fault expected = run(expected_, expected_base), native = run(native_, native_base);
    const std::string what = native.message() + "\nnot " + expected.message() + "\n" + said_.text();
    EXPECT_FALSE(said_.has("reference executor")) << said_.text();
    EXPECT_EQ(native.kind, expected.kind) << what;
    EXPECT_EQ(native.kernel, expected.kernel) << what;
    EXPECT_EQ(native.function, expected.function) << what;
    EXPECT_EQ(native.instruction_text, expected.instruction_text) << what;
    EXPECT_EQ(native.file, expected.file) << what;
    EXPECT_EQ(native.line, expected.line) << what;
    EXPECT_EQ(native.block, expected.block) << what;
    EXPECT_EQ(native.bytes, expected.bytes) << what;
    EXPECT_EQ(native.write, expected.write) << what;
    EXPECT_EQ(native.space, expected.space) << what;
    const bool global = expected.space == module::Space::global;
    const uint32_t behind =
        apart != 0 && !has_scatters_ ? native.thread.x - expected.thread.x : 0;  // 0: the first one
    EXPECT_LT(expected.lane + behind, 32u) << what;
    EXPECT_EQ(native.address - (global ? native_base : 0),
              expected.address - (global ? expected_base : 0) + static_cast<uint64_t>(apart) * behind)
        << what;
    if (native.detail.find("or one of those behind it") == std::string::npos) {
      Dim3 thread = expected.thread;
      thread.x += behind;
      EXPECT_EQ(native.thread, thread) << what;
      EXPECT_EQ(native.lane, expected.lane + behind) << what;
      EXPECT_EQ(native.warp, expected.warp) << what;
    } else {
      EXPECT_LE(native.thread.x, expected.thread.x) << what;
      EXPECT_GT(native.thread.x + 64, expected.thread.x) << what;
    }
  }

  TestProgram expected_, native_;
  Said said_;
  bool has_scatters_ = false;
};
INSTANTIATE_TEST_SUITE_P(, Both, ::testing::Values("", "avx2", "x86-64-v2"), [](const auto& info) {
  const std::string name = info.param;
  return name.empty() ? "This" : name == "avx2" ? "Avx2" : "V2";
});

TEST_P(Both, ARowThatEndsTooLate) { compare("store_f32", 1024, 0, 5000, {.grid = {40}, .block = {128}}); }
TEST_P(Both, ARowThatEndsInTheMiddleOfAVector) {
  compare("store_f32", 1024, 4 * 3, 5000, {.grid = {40}, .block = {128}});
}
TEST_P(Both, ATailThatIsTooLong) { compare("store_f32", 1024, 4 * 1000, 27); }
TEST_P(Both, ARowOfDoubles) { compare("load_f64", 1024, 8 * (512 - 100), base_itself); }
TEST_P(Both, AStoreToEverywhere) { compare("scatter", 1024, 0, 37, {.block = {128}}, 148); }
TEST_P(Both, ALane) { compare("one", 1024, 4096, 77); }
TEST_P(Both, ALaneOfAnOddBlock) { compare("one", 1024, 4096, 45, {.block = {50}}); }
TEST_P(Both, SharedMemory) { compare("shared", 1024, 0, 256); }
TEST_P(Both, SharedMemoryFarAway) { compare("shared", 1024, 0, 0x80000000); }
TEST_P(Both, SharedMemoryMisaligned) { compare("shared", 1024, 0, 2); }
TEST_P(Both, AGenericAddressOfSharedMemory) { compare("generic", 1024, 0, 256); }
TEST_P(Both, AnAtomic) { compare("add", 1024, 4096 - 4 * 70, 0); }
TEST_P(Both, AMisalignedRow) { compare("store_f32", 1024, 2, 5000); }
TEST_P(Both, ATrap) { compare("trapped", 1024, 0, 99); }
// Loads that the fast executor puts together: which of them, and by which lane.
TEST_P(Both, ARunOfALane) { compare("run", 1024, 0, 9); }
TEST_P(Both, ARunThatEndsInTheMiddle) { compare("run", 1024, 4 * 6, 8); }
TEST_P(Both, ARunThatEndsBeforeItsLast) { compare("run", 1024, 4 * 5, 8); }
TEST_P(Both, RunsAcrossAPage) { compare("run", 1024, 4 * 330, 7); }
TEST_P(Both, ARunOfLanesSideBySide) { compare("run", 1024, 4096 - 4 * 129, 1); }
TEST_P(Both, AMisalignedRun) { compare("run", 1024, 2, 9); }
TEST_P(Both, ARunOfNothing) { compare("run", 1024, int64_t{1} << 62, 9); }
TEST_P(Both, PairsSideBySide) { compare("pairs", 1024, 4096 - 8 * 70, base_itself); }
TEST_P(Both, APairInTwoPages) { compare("pairs", 1024, 4096 - 8 * 127 - 4, base_itself); }
// Stores that the fast executor puts together.
TEST_P(Both, AStoredRun) { compare("spread", 1024, 4096 - 20 * 70, 0); }
TEST_P(Both, AStoredRunThatEndsInTheMiddle) { compare("spread", 1024, 4096 - 20 * 70 - 8, 0); }
TEST_P(Both, AStoredRunThatEndsBeforeItsLast) { compare("spread", 1024, 4096 - 20 * 70 - 12, 0); }
TEST_P(Both, AStoredRunOfAnOddBlock) { compare("spread", 1024, 4096 - 20 * 45, 0, {.block = {50}}, 20); }
TEST_P(Both, AMisalignedStoredRun) { compare("spread", 1024, 2, 0); }
TEST_P(Both, AStoredRunOfNothing) { compare("spread", 1024, int64_t{1} << 62, 0); }
TEST_P(Both, WrittenPairsSideBySide) { compare("written_pairs", 1024, 4096 - 8 * 70, 1000); }
TEST_P(Both, AWrittenPairInTwoPages) { compare("written_pairs", 1024, 4096 - 8 * 90 - 4, 1000); }
TEST_P(Both, WrittenPairsOfSomeLanes) {
  compare("written_pairs", 1024, 4096 - 8 * 70, 77, {.block = {128}}, 8);
}
TEST_P(Both, AMisalignedPlaceOfALanesArray) { compare("private_array", 1024, 0, 70); }
TEST_P(Both, ChangedPlaces) {
  for (const uint32_t k : {0, 5, 13, 16, 64, 75}) compare("changed", 1024, 4096 - 4 * 70, k);
}
TEST_P(Both, ChangedPlacesOfSomeLanes) {
  for (const uint32_t k : {0, 5, 13, 16, 64, 75}) compare("changed_by_some", 1024, 4096 - 4 * 70, k);
}
TEST_P(Both, ChangedPlacesOfPieces) {
  for (const uint32_t k : {0, 5, 13, 16, 64, 75}) compare("changed_pieces", 1024, 4096 - 16 * 70, k);
}
TEST_P(Both, ChangedPlacesThatAreMisaligned) { compare("changed", 1024, 2, 5); }
TEST_P(Both, ChangedPlacesOfNothing) { compare("changed", 1024, int64_t{1} << 62, 5); }
TEST_P(Both, ARowBackwards) {
  for (const uint32_t k : {1030U, 1100U, 1500U}) compare("backwards", 1024, 0, k);
  compare("backwards", 1024, 2, 500);
}
TEST_P(Both, PlacesAStepApart) { compare("strided", 1024, 4096 - 12 * 70, 1000); }
TEST_P(Both, PlacesAStepApartOfSomeLanes) {
  compare("strided", 1024, 4096 - 12 * 69 - 4, 70);
  compare("strided", 1024, 4096 - 12 * 70, 75);
}
TEST_P(Both, PlacesAStepApartOfNothing) {
  compare("strided", 1024, int64_t{1} << 62, 1000, {.block = {128}}, 12);
}
TEST_P(Both, PlacesAStepApartInSharedMemory) {
  for (const uint32_t k : {20U, 1536U, 0x80000000U, 0U - 12 * 40, 0U - 4})
    compare("strided_shared", 1024, 0, k, {.block = {128}}, 12);
}
TEST_P(Both, EveryFourthWord) {
  compare("combed", 1024, 4096 - 16 * 70, 0);
  compare("combed", 1024, 4096 - 16 * 70 - 8, 0);
  compare("combed", 1024, 2, 0);
  for (const uint32_t k : {8U, 20U, 2048U, 0x80000000U, 0U - 16 * 40, 0U - 8})
    compare("combed", 1024, 0, k, {.block = {128}}, 16);
}
TEST_P(Both, TheFirstThreads) {
  for (const int64_t first : {0, 1, 3}) compare("first_ones", 1024, 4096 - 64 * first, 0);
  compare("first_ones", 1024, 2, 0);
  for (const uint32_t k : {1024U, 1024U - 64, 1024U - 192, 0x80000000U, 2U, 0U - 64, 0U - 128})
    compare("first_ones", 1024, 0, k);
}
// Thread 39 makes two turns, then four.
TEST_P(Both, AnUnrolledRow) {
  for (const int64_t read : {0, 4, 8, 16, 20}) {
    compare("unrolled", 1024, 4096 - 64 * 39 - read, 0, {.block = {40}});
    const Fault fault = native_.fault("unrolled", {.block = {40}}, uint64_t{64}, 0U);
    EXPECT_NE(fault.detail.find("in this turn of an unrolled loop or one of 4 like it"), std::string::npos)
        << fault.message();
  }
}
TEST_P(Both, NothingThere) { compare("store_f32", 1024, int64_t{1} << 62, 5000); }

}  // namespace
}  // namespace heddle::exec
