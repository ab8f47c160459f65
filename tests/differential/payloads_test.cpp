// Which NaN f64 arithmetic gives, and sums of all lanes to one place: at every level of vectors against the
// reference executor, to the bit. Numbers without any NaN, with few and with many.
#include <bit>
#include <random>

#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

constexpr unsigned most = 256;  // threads

// Chains within a turn, results that are stored in the middle, compared and carried around the loop.
constexpr const char* arithmetic = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 turns)
{
  .reg .u64 %in, %out, %a;
  .reg .u32 %t, %turns;
  .reg .f64 %f<12>, %s, %c;
  .reg .pred %p, %less;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %turns, [turns];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %in, %t, 8, %in;
  mad.wide.u32 %out, %t, 8, %out;
  mov.f64 %s, 0d0000000000000000;
  mov.f64 %c, 0d3ff0000000000000;
turn:
  ld.global.f64 %f0, [%in];
  ld.global.f64 %f1, [%in+2048];
  ld.global.f64 %f2, [%in+4096];
  mul.f64 %f3, %f0, %f1;
  sub.f64 %f4, %f2, %f3;
  neg.f64 %f5, %f4;
  fma.rn.f64 %f6, %f5, %f0, %f1;
  add.f64 %f7, %f6, %f2;
  st.global.f64 [%out], %f7;
  mul.f64 %f8, %f7, 0d3ff0000000000000;
  add.f64 %f9, %f8, %f4;
  div.rn.f64 %f10, %f9, %f0;
  sqrt.rn.f64 %f11, %f10;
  fma.rz.f64 %f11, %f11, %f1, %f10;
  setp.lt.f64 %less, %f11, %f9;
  selp.f64 %f5, %f9, %f11, %less;
  min.f64 %f6, %f10, %f8;
  st.global.f64 [%out+2048], %f6;
  add.f64 %s, %s, %f5;
  fma.rn.f64 %c, %c, %f6, %s;
  st.global.f64 [%out+4096], %s;
  st.global.f64 [%out+6144], %c;
  add.u64 %in, %in, 6144;
  add.u64 %out, %out, 8192;
  sub.u32 %turns, %turns, 1;
  setp.ne.u32 %p, %turns, 0;
  @%p bra turn;
  ret;
}
)";

// Everybody to one place, all and some; global and shared, doubles and floats.
constexpr const char* sums = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 turns)
{
  .reg .u64 %in, %out;
  .reg .u32 %t, %x, %room;
  .reg .f64 %d;
  .reg .f32 %f, %g;
  .reg .pred %some, %first;
  .shared .align 8 .b8 room[32];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mov.u32 %room, room;
  mad.wide.u32 %in, %t, 8, %in;
  ld.global.f64 %d, [%in];
  ld.global.v2.f32 {%f, %g}, [%in+2048];
  ld.global.u32 %x, [%in+4096];
  setp.eq.u32 %first, %t, 0;
  @%first st.shared.f64 [%room], %d;
  @%first st.shared.f64 [%room+8], %d;
  @%first st.shared.v2.f32 [%room+16], {%f, %g};
  bar.sync 0;
  red.global.add.f64 [%out], %d;
  red.global.add.f32 [%out+16], %f;
  red.shared.add.f64 [%room], %d;
  red.shared.add.f32 [%room+16], %g;
  red.global.add.f64 [%out+24], 0d3fb999999999999a;
  and.b32 %x, %x, 5;
  setp.ne.u32 %some, %x, 0;
  @%some red.global.add.f64 [%out+8], %d;
  @%some red.global.add.f32 [%out+20], %g;
  @%some red.shared.add.f64 [%room+8], %d;
  @%some red.shared.add.f32 [%room+20], %f;
  bar.sync 0;
  ld.shared.f64 %d, [%room];
  st.global.f64 [%out+32], %d;
  ld.shared.f64 %d, [%room+8];
  st.global.f64 [%out+40], %d;
  ld.shared.f64 %d, [%room+16];
  st.global.f64 [%out+48], %d;
  ret;
}
)";

// Each in 64 is a NaN that the lane can be told by, quiet or signalling; others are infinite, zero or
// subnormal now and then.
std::vector<uint64_t> numbers(unsigned nans_of_64, std::size_t count, bool small = false) {
  std::mt19937_64 random(nans_of_64 + 1);
  std::vector<uint64_t> all(count);
  for (uint64_t& number : all) {
    const uint64_t any = random(), kind = random() % 64;
    if (kind < nans_of_64)
      number = (any & 0x800f'ffff'ffff'ffff) | 0x7ff0'0000'0000'0001;
    else if (nans_of_64 != 0 && kind > 60)
      number = kind == 63 ? 0x7ff0'0000'0000'0000 : kind == 62 ? any & 0x8000'0000'0000'0000 : any >> 12;
    else
      number = std::bit_cast<uint64_t>((static_cast<double>(any >> 40) + 1) * (small ? 0x1p-24 : 0x1p-12));
  }
  return all;
}

// Halves of doubles are floats of all kinds too, NaNs among them.
std::vector<uint64_t> ran(TestProgram& program, unsigned nans_of_64, unsigned threads, unsigned turns) {
  auto in = program.buffer<uint64_t>(numbers(nans_of_64, std::size_t{3} * most * turns));
  auto out = program.buffer<uint64_t>(numbers(0, std::size_t{4} * most * turns, true));
  const auto report = program.run("k", {{1, 1, 1}, {threads, 1, 1}}, in.data, out.data, turns);
  EXPECT_TRUE(report.ok());
  return out.values();
}

class Payloads : public OnEveryHost {
 protected:
  void compare(const char* text, unsigned threads, unsigned turns) {
    for (const unsigned nans : {0U, 1U, 24U, 64U}) {
      BothSides sides = both_sides(text);
      sides.compare([&](TestProgram& program) { return ran(program, nans, threads, turns); },
                    std::to_string(nans) + " of 64");
    }
  }
};

TEST_P(Payloads, OfArithmetic) {
  compare(arithmetic, most, 5);
  compare(arithmetic, 40, 5);
}
// One warp: in which order several come, nobody says.
TEST_P(Payloads, OfSumsToOnePlace) {
  compare(sums, 32, 1);
  compare(sums, 20, 1);
}

on_every_host(Payloads);

}  // namespace
}  // namespace heddle::exec
