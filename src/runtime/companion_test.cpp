#include "runtime/companion.h"

#include "runtime/testing.h"

namespace heddle::runtime {
namespace {

using testing::HasSubstr;

// Functions are taken from the host by the value of `table`.
constexpr const char* program = R"(.version 7.0
.target sm_50
.address_size 64
.visible .global .u32 factor = 3;
.visible .const .u32 summand = 4;
.visible .global .u64 table[2] = {scale, plain};
.func (.param .b32 r) scale(.param .b32 x) {
  .reg .b32 %r<4>;
  ld.param.b32 %r0, [x];
  ld.global.b32 %r1, [factor];
  ld.const.b32 %r2, [summand];
  mad.lo.u32 %r3, %r0, %r1, %r2;
  st.param.b32 [r], %r3;
  ret;
}
.func plain() { ret; }
.visible .entry k() { ret; }
)";

const ProgramText caller{"caller.ptx", R"(.version 6.0
.target sm_50
.address_size 64
.shared .align 4 .b8 own[4];
.visible .entry caller(.param .u64 function, .param .u64 to) {
  .reg .b32 %r<2>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [function];
  ld.param.u64 %rd1, [to];
  ld.global.b32 %r0, [%rd1];
  {
  .param .b32 a; .param .b32 b;
  st.param.b32 [a], %r0;
prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (b), %rd0, (a), prototype;
  ld.param.b32 %r0, [b];
  }
  st.shared.b32 [own], %r0;
  ld.shared.b32 %r1, [own];
  st.global.b32 [%rd1], %r1;
  ret;
}
)"};

uint64_t pointer_in(const Module& module, std::size_t place) {
  return pointer<uint64_t>(module.variable("table")->address)[place];
}

TEST(Companions, CallAProgramsFunctionAmongItsVariables) {
  TestSystem test;
  const auto first = test.load(program);
  ASSERT_NE(first, nullptr);
  const std::shared_ptr<Module> programs[] = {first};
  const auto companion = load_companion(programs, pointer_in(*first, 0), caller, "caller");
  ASSERT_TRUE(companion.ok()) << companion.error().message;
  for (const char* name : {"factor", "summand", "table"})
    EXPECT_EQ((*companion)->variable(name)->address, first->variable(name)->address) << name;
  *pointer<uint32_t>(first->variable("factor")->address) = 10;
  MemoryRequest request;
  request.bytes = 4;
  const auto memory = test.context->allocate(request);
  ASSERT_TRUE(memory.ok()) << said(memory);
  auto* value = pointer<uint32_t>((*memory)->address);
  *value = 7;
  const auto stream = test.context->default_stream();
  EXPECT_DONE(start(*stream, **companion, "caller", {}, {}, {pointer_in(*first, 0), address_of(value)}));
  EXPECT_DONE(stream->synchronize());
  EXPECT_EQ(*value, 74u);
}

TEST(Companions, NeedOneFunctionThatFits) {
  TestSystem test;
  const auto first = test.load(program);
  ASSERT_NE(first, nullptr);
  std::vector<std::shared_ptr<Module>> programs{first};
  const auto said = [&](uint64_t pointer) {
    const auto made = load_companion(programs, pointer, caller, "caller");
    return made.ok() ? "ok" : made.error().message;
  };
  EXPECT_THAT(said(pointer_in(*first, 1)), HasSubstr("no program has a function"));
  EXPECT_THAT(said(0), HasSubstr("no program has a function"));
  EXPECT_THAT(said(80000), HasSubstr("no program has a function"));
  EXPECT_EQ(said(pointer_in(*first, 0)), "ok");
  programs.push_back(test.load(program));
  ASSERT_NE(programs.back(), nullptr);
  EXPECT_THAT(said(pointer_in(*first, 0)), HasSubstr("functions of several programs"));
}

}  // namespace
}  // namespace heddle::runtime
