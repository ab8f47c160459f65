// Functions that stay functions: their parameters are memory of each thread, and may be indexed. Registers of
// blocks within a function and those around them.
#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

// `pick` is also called with what it was given before, changed; `change` writes its own copy.
constexpr const char* by_value = R"(
.version 8.0
.target sm_70
.address_size 64
.func (.param .b32 result) pick(.param .align 8 .b8 s[32], .param .b32 at)
{
  .reg .u64 %p, %q;
  .reg .u32 %t, %v;
  mov.u64 %p, s;
  ld.param.u32 %t, [at];
  mul.wide.u32 %q, %t, 4;
  add.u64 %p, %p, %q;
  ld.param.u32 %v, [%p];
  st.param.b32 [result], %v;
  ret;
}
.func (.param .b32 result) change(.param .align 8 .b8 s[32], .param .b32 at)
{
  .reg .u64 %p, %q, %g;
  .reg .u32 %t, %v, %w;
  mov.u64 %p, s;
  ld.param.u32 %t, [at];
  mul.wide.u32 %q, %t, 4;
  add.u64 %p, %p, %q;
  ld.param.u32 %v, [%p];
  mad.lo.u32 %v, %v, 3, 1;
  cvta.param.u64 %g, %p;
  st.u32 [%g], %v;
  ld.param.u32 %v, [%p];
  ld.param.u32 %w, [s+8];
  add.u32 %v, %v, %w;
  st.param.b32 [result], %v;
  ret;
}
.visible .entry k(.param .u64 in, .param .u64 out, .param .align 8 .b8 s[32])
{
  .reg .u64 %in, %out, %a, %s;
  .reg .u32 %t, %at, %k, %v, %w, %x<8>;
  .reg .pred %p;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4;
  add.u64 %in, %in, %a;
  add.u64 %out, %out, %a;
  ld.global.u32 %at, [%in];
  and.b32 %at, %at, 7;
  ld.param.v4.u32 {%x0, %x1, %x2, %x3}, [s];
  ld.param.v4.u32 {%x4, %x5, %x6, %x7}, [s+16];
  mov.u64 %s, s;
  mov.u32 %w, 0;
  mov.u32 %k, 0;
turn:
  {
    .param .align 8 .b8 copy[32];
    .param .b32 place, got;
    st.param.v4.u32 [copy], {%x0, %x1, %x2, %t};
    st.param.v4.u32 [copy+16], {%x4, %w, %x6, %x7};
    st.param.b32 [place], %at;
    call (got), pick, (copy, place);
    ld.param.b32 %v, [got];
  }
  mad.lo.u32 %w, %w, 31, %v;
  {
    .param .align 8 .b8 copy[32];
    .param .b32 place, got;
    st.param.v4.u32 [copy], {%x0, %x1, %w, %x3};
    st.param.v4.u32 [copy+16], {%x4, %x5, %x6, %t};
    st.param.b32 [place], %at;
    call (got), change, (copy, place);
    ld.param.b32 %v, [got];
  }
  mad.lo.u32 %w, %w, 31, %v;
  mul.wide.u32 %a, %at, 4;
  add.u64 %a, %s, %a;
  ld.param.u32 %v, [%a];
  mad.lo.u32 %w, %w, 31, %v;
  add.u32 %at, %at, 3;
  and.b32 %at, %at, 7;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 4;
  @%p bra turn;
  st.global.u32 [%out], %w;
  ret;
}
)";

constexpr const char* scoped = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r4, %tid.x;
  mul.wide.u32 %rd2, %r4, 8;
  add.u64 %rd1, %rd1, %rd2;
  mov.u64 %rd2, 0x100000002;
  bra A;
B:
  { .reg .b32 tmp; mov.b64 {tmp, %r2}, %rd2; }
  st.global.u32 [%rd1], %r3;
  st.global.u32 [%rd1+4], %r2;
  ret;
A:
  add.u32 %r3, %r4, 7;
  bra B;
}
)";

struct Struct {
  uint32_t words[8] = {11, 22, 33, 44, 55, 66, 77, 88};
};

class Functions : public OnEveryHost {};

TEST_P(Functions, ParametersByValueAreIndexed) {
  BothSides sides = both_sides(by_value);
  for (const uint32_t threads : {1u, 48u, 64u})
    sides.compare([&](TestProgram& program) {
      auto in = program.buffer(any_words(64)), out = program.buffer<uint32_t>(64);
      const auto ran = program.run("k", {.grid = {1}, .block = {threads}}, in, out, Struct());
      EXPECT_TRUE(ran.ok()) << ran.error().message();
      return out.values();
    });
}

TEST_P(Functions, ARegisterLivesOnThroughAJumpBack) {
  BothSides sides = both_sides(scoped);
  for (TestProgram* program : {&sides.native, &sides.expected}) {
    auto in = program->buffer<uint32_t>(1), out = program->buffer<uint32_t>(64);
    ASSERT_TRUE(program->run("k", {.grid = {1}, .block = {32}}, in, out).ok());
    for (uint32_t t = 0; t < 32; ++t) {
      EXPECT_EQ(out[2 * t], t + 7);
      EXPECT_EQ(out[2 * t + 1], 1u);
    }
  }
}

on_every_host(Functions);

}  // namespace
}  // namespace heddle::exec
