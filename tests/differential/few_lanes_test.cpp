// What the first few threads of a block do between two barriers, each at places of its own, some of them or
// all, when others have left: at every level of vectors against the reference executor.
#include <array>
#include <sstream>

#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

constexpr unsigned words = 4096;

// $K threads do it. Of them those that the data name read from and write to places that the data name, and
// all do at places a step apart; several store to one place. Threads from %m on leave before.
constexpr const char* text = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 m)
{
  .reg .u64 %in, %out, %a, %b, %w;
  .reg .u32 %t, %x, %y, %m, %i, %r<5>, %s, %place;
  .reg .f64 %g;
  .reg .u16 %h;
  .reg .pred %p, %q, %few;
  .shared .align 16 .b8 room[16384];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %m, [m];
  mov.u32 %t, %tid.x;
  mov.u32 %y, %tid.y;
  mov.u32 %x, %ntid.x;
  mad.lo.u32 %t, %y, %x, %t;
  mov.u32 %s, room;
  mad.lo.u32 %i, %t, 4, %s;
  mad.wide.u32 %a, %t, 4, %in;
  mad.wide.u32 %b, %t, 4, %out;
  ld.global.u32 %x, [%a];
  and.b32 %x, %x, 1023;
  st.shared.u32 [%i], %x;
  setp.ge.u32 %p, %t, %m;
  @%p ret;
  setp.lt.u32 %few, %t, $K;
  setp.ge.u32 %p, %t, $K;
  bar.sync 0;
  @%p bra second;
  mad.lo.u32 %place, %t, 44, %s;
  ld.shared.u32 %r0, [%place];
  mad.lo.u32 %place, %t, 36, %s;
  ld.shared.u32 %r1, [%place+4];
  add.u32 %r0, %r0, %r1;
  st.shared.u32 [%place+4], %r0;
second:
  bar.sync 0;
  @%p bra third;
  mad.wide.u32 %a, %x, 4, %in;
  ld.global.u32 %r1, [%a];
  ld.global.v2.u32 {%r2, %r3}, [%in+8];
  and.b32 %r3, %r1, 1;
  setp.eq.u32 %q, %r3, 0;
  @%q bra even;
  mad.lo.u32 %place, %x, 4, %s;
  ld.shared.u32 %r3, [%place];
  add.u32 %r1, %r1, %r3;
  st.shared.u32 [%s+64], %r1;
even:
  add.u32 %r1, %r1, %r2;
  mad.wide.u32 %w, %x, 8, %out;
  st.global.v2.u32 [%w+4096], {%r1, %t};
third:
  bar.sync 0;
  @!%few bra fourth;
  mad.lo.u32 %place, %x, 8, %s;
  ld.shared.f64 %g, [%place];
  add.f64 %g, %g, 0d3ff0000000000000;
  st.shared.f64 [%place], %g;
  mad.lo.u32 %place, %x, 2, %s;
  ld.shared.u16 %h, [%place];
  add.u16 %h, %h, 3;
  st.shared.u16 [%place+512], %h;
fourth:
  bar.sync 0;
  ld.shared.u32 %r0, [%i];
  ld.shared.u32 %r1, [%s+64];
  add.u32 %r0, %r0, %r1;
  st.global.u32 [%b], %r0;
  ret;
}
)";

using FewLanes = OnEveryHost;

TEST_P(FewLanes, OfTheFirstThreads) {
  std::vector<uint32_t> numbers = any_words(words);
  for (uint32_t& number : numbers) number &= 0x3fff'3fff;  // no NaNs
  for (const unsigned few : {1U, 2U, 3U, 4U, 5U, 16U, 17U, 40U}) {
    const std::pair<std::string_view, std::string> with[] = {{"$K", std::to_string(few)}};
    BothSides sides = both_sides(with_words(text, with));
    for (const auto [x, y, stay] :
         {std::array{256U, 1U, 256U}, {256U, 1U, 2U}, {16U, 8U, 100U}, {40U, 1U, 33U}}) {
      const auto run = [&](TestProgram& program) {
        auto in = program.buffer(numbers), out = program.buffer(numbers);
        const auto ran = program.run("k", {.grid = {2}, .block = {x, y}}, in, out, stay);
        EXPECT_TRUE(ran.ok()) << ran.error().message();
        return out.values();
      };
      std::ostringstream what;
      what << few << " of " << x << " x " << y << ", of which " << stay << " stay";
      sides.compare(run, what.str());
    }
  }
}

on_every_host(FewLanes);

}  // namespace
}  // namespace heddle::exec
