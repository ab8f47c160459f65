// What lanes that are not there, or not active, must not do: divide by what they never computed.
#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

// Divisions that the program guards itself, as in safe arithmetic of C: LLVM takes out the test that is part
// of a division. Divisors of each lane, of a vector (%tid.y) and of the block; where some lanes come, and in
// a loop that they leave one after another.
constexpr const char* text = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 zero)
{
  .reg .u64 %in, %out, %a, %v, %d, %q, %r, %sum, %e;
  .reg .u32 %i, %x, %y, %n, %k, %u, %w;
  .reg .pred %p;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u64 %e, [zero];
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %i, %y, %n, %x;
  mul.wide.u32 %a, %i, 8;
  add.u64 %in, %in, %a;
  add.u64 %out, %out, %a;
  ld.global.u64 %v, [%in];
  shr.u64 %d, %v, 45;
  and.b64 %d, %d, 3;
  mov.u64 %sum, %d;
  setp.eq.u64 %p, %d, 0;
  @%p bra uniform;
  div.u64 %q, %v, %d;
  rem.s64 %r, %v, %d;
  xor.b64 %sum, %q, %r;
  cvt.u32.u64 %u, %v;
  cvt.u32.u64 %w, %d;
  rem.u32 %u, %u, %w;
  cvt.u64.u32 %q, %u;
  add.u64 %sum, %sum, %q;
uniform:
  setp.eq.u64 %p, %e, 0;
  @%p bra rows;
  div.s64 %q, %v, %e;
  add.u64 %sum, %sum, %q;
rows:
  setp.eq.u32 %p, %y, 0;
  @%p bra turns;
  cvt.u64.u32 %q, %y;
  rem.u64 %q, %v, %q;
  add.u64 %sum, %sum, %q;
turns:
  and.b32 %k, %i, 7;
  cvt.s64.s32 %d, %k;
turn:
  setp.eq.s64 %p, %d, 0;
  @%p bra done;
  div.s64 %q, %v, %d;
  rem.u64 %r, %sum, %d;
  add.u64 %sum, %sum, %q;
  mad.lo.u64 %sum, %r, 3, %sum;
  sub.s64 %d, %d, 1;
  bra turn;
done:
  st.global.u64 [%out], %sum;
  ret;
}
)";

class Masked : public OnEveryHost {};

TEST_P(Masked, LanesThatAreNotThereDoNotDivide) {
  BothSides sides = both_sides(text);
  for (const auto& [x, y] :
       {std::pair{48u, 1u}, {96u, 1u}, {40u, 3u}, {8u, 5u}, {1u, 1u}, {16u, 7u}, {33u, 2u}})
    for (const uint64_t zero : {uint64_t{0}, uint64_t{7}})
      sides.compare(
          [&, x = x, y = y](TestProgram& program) {
            auto in = program.buffer(any_words(512));
            auto out = program.buffer<uint64_t>(256);
            const auto ran = program.run("k", {.grid = {1}, .block = {x, y}}, in, out, zero);
            EXPECT_TRUE(ran.ok()) << ran.error().message();
            return out.values();
          },
          std::to_string(x) + " x " + std::to_string(y));
}

on_every_host(Masked);

}  // namespace
}  // namespace heddle::exec
