// What a program must not do, and where the fast executor has no memory that refuses: the fault is the
// reference executor's.
#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

constexpr const char* text = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry null(.param .u64 out, .param .u32 lane, .param .u32 n)
{
  .reg .u64 %out, %a;
  .reg .u32 %t, %l, %v;
  .reg .pred %p;
  ld.param.u64 %out, [out];
  ld.param.u32 %l, [lane];
  mov.u32 %t, %tid.x;
  setp.eq.u32 %p, %t, %l;
  mov.u64 %a, 0;
  @%p st.global.u32 [%a], %t;
  mad.wide.u32 %a, %t, 4, %out;
  st.global.u32 [%a], 7;
  ret;
}
.visible .entry null_read(.param .u64 out, .param .u32 lane, .param .u32 n)
{
  .reg .u64 %out, %a;
  .reg .u32 %t, %l, %v;
  .reg .pred %p;
  ld.param.u64 %out, [out];
  ld.param.u32 %l, [lane];
  mov.u32 %t, %tid.x;
  mov.u32 %v, 3;
  setp.eq.u32 %p, %t, %l;
  mov.u64 %a, 0;
  @%p ld.u32 %v, [%a];
  mad.wide.u32 %a, %t, 4, %out;
  st.global.u32 [%a], %v;
  ret;
}
.visible .entry number(.param .u64 out, .param .u32 id, .param .u32 n)
{
  .reg .u32 %i;
  ld.param.u32 %i, [id];
  bar.sync %i;
  ret;
}
.visible .entry number_of_warps(.param .u64 out, .param .u32 id, .param .u32 n)
{
  .reg .u32 %i, %t;
  .reg .u64 %out;
  .reg .pred %p, %q;
  ld.param.u32 %i, [id];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  setp.ge.u32 %p, %t, 0;
  barrier.red.and.pred %q, %i, %p;
  selp.u32 %t, 7, 1, %q;
  st.global.u32 [%out], %t;
  ret;
}
.visible .entry counted(.param .u64 out, .param .u32 id, .param .u32 n)
{
  .reg .u32 %i, %n;
  ld.param.u32 %i, [id];
  ld.param.u32 %n, [n];
  bar.sync %i, %n;
  ret;
}
.visible .entry arrived(.param .u64 out, .param .u32 id, .param .u32 n)
{
  .reg .u32 %i, %n;
  ld.param.u32 %i, [id];
  ld.param.u32 %n, [n];
  bar.arrive %i, %n;
  ret;
}
.visible .entry whole(.param .u64 out, .param .u32 id, .param .u32 n)
{
  .reg .u32 %i;
  ld.param.u32 %i, [id];
  bar.sync %i, 64;
  ret;
}
)";

class Illegal : public OnEveryHost {
 protected:
  // The fault's kind, or nothing: the same of both. Without a fault every word has what the kernel stores.
  std::vector<FaultKind> kinds(const char* kernel, uint32_t a, uint32_t b, uint32_t stored = 0) {
    BothSides sides = both_sides(text);
    std::vector<FaultKind> all;
    for (TestProgram* program : {&sides.expected, &sides.native}) {
      auto out = program->buffer<uint32_t>(64);
      const auto ran = program->run(kernel, {.grid = {1}, .block = {64}}, out, a, b);
      if (!ran.ok())
        all.push_back(ran.error().kind);
      else if (stored != 0)
        EXPECT_EQ(out.values(), std::vector<uint32_t>(64, stored)) << kernel;
    }
    return all;
  }
};

std::vector<FaultKind> both(FaultKind kind) { return {kind, kind}; }

TEST_P(Illegal, TheNullAddress) {
  for (const char* kernel : {"null", "null_read"})
    for (const uint32_t lane : {0u, 5u, 31u, 63u})
      EXPECT_EQ(kinds(kernel, lane, 0), both(FaultKind::illegal_address)) << kernel << " lane " << lane;
  // A store to a literal null that is in the program and not done takes nothing with it.
  EXPECT_TRUE(kinds("null", 64, 0, 7).empty());
  EXPECT_TRUE(kinds("null_read", 64, 0, 3).empty());
}

TEST_P(Illegal, NumbersOfBarriers) {
  const auto illegal = both(FaultKind::illegal_barrier);
  for (const char* kernel : {"number", "number_of_warps", "whole"}) {
    EXPECT_TRUE(kinds(kernel, 15, 0).empty()) << kernel;
    for (const uint32_t id : {16u, 17u, 0x10000u, 0xffffffffu})
      EXPECT_EQ(kinds(kernel, id, 0), illegal) << kernel;
  }
}

TEST_P(Illegal, CountsOfBarriers) {
  const auto illegal = both(FaultKind::illegal_barrier);
  for (const char* kernel : {"counted", "arrived"}) {
    EXPECT_TRUE(kinds(kernel, 1, 64).empty()) << kernel;
    EXPECT_EQ(kinds(kernel, 16, 64), illegal) << kernel;
    for (const uint32_t count : {0u, 1u, 33u, 63u, 65u, 96u, 0xffffffe0u})
      EXPECT_EQ(kinds(kernel, 1, count), illegal) << kernel << " of " << count;
  }
}

on_every_host(Illegal);

}  // namespace
}  // namespace heddle::exec
