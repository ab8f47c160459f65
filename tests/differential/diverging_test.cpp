// Threads that part: each way that the vectoriser has for them, at every level of vectors, against the
// reference executor. What memory holds afterwards is compared, all of it.
#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

// Each takes `in` and `out`, 4096 words, and a number. `begin` puts a thread's index into %t and the
// addresses of its words into %i and %o.
constexpr const char* header = R"(
.version 8.0
.target sm_70
.address_size 64
)";
constexpr const char* begin = R"((.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .u64 %in, %out, %i, %o, %a, %b, %c;
  .reg .u32 %t, %n, %v<12>;
  .reg .u16 %h<3>;
  .reg .f32 %f<6>;
  .reg .pred %p, %q, %r;
  .shared .align 4 .b8 room[4096];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %n, [n];
  mov.u32 %v0, %ctaid.x;
  mov.u32 %v1, %ntid.x;
  mov.u32 %t, %tid.x;
  mad.lo.u32 %t, %v0, %v1, %t;
  mad.wide.u32 %i, %t, 4, %in;
  mad.wide.u32 %o, %t, 4, %out;
)";

// A row each: from in[t] & 1023 on, in[t + 1] & 15 words, each an index.
constexpr const char* rows = R"(
  setp.ge.u32 %p, %t, %n;
  @%p bra done;
  ld.global.u32 %v2, [%i];
  and.b32 %v2, %v2, 1023;
  ld.global.u32 %v3, [%i+4];
  and.b32 %v3, %v3, 15;
  mov.u32 %v6, 7;
  setp.eq.u32 %p, %v3, 0;
  @%p bra sum;
  mad.wide.u32 %a, %v2, 4, %in;
turn:
  ld.global.u32 %v4, [%a];
  and.b32 %v5, %v4, 2047;
  mad.wide.u32 %b, %v5, 4, %in;
  ld.global.u32 %v5, [%b];
  mad.lo.u32 %v6, %v6, 5, %v5;
  add.u64 %a, %a, 4;
  sub.u32 %v3, %v3, 1;
  setp.ne.u32 %p, %v3, 0;
  @%p bra turn;
sum:
  st.global.u32 [%o], %v6;
done:
  ret;
}
)";

// All threads of a block but its first read, then write, the word of the thread before: rows whose lane 0
// would lie before shared memory.
constexpr const char* shifted = R"(
  mov.u32 %v7, %tid.x;
  ld.global.u32 %v2, [%i];
  mul.wide.u32 %a, %v7, 4;
  mov.u64 %b, room;
  add.u64 %a, %a, %b;
  st.shared.u32 [%a], %v2;
  bar.sync 0;
  mov.u32 %v3, 5;
  setp.eq.u32 %p, %v7, 0;
  @%p bra read;
  ld.shared.u32 %v3, [%a+-4];
read:
  bar.sync 0;
  @%p bra written;
  xor.b32 %v4, %v3, %v2;
  st.shared.u32 [%a+-4], %v4;
written:
  bar.sync 0;
  ld.shared.u32 %v5, [%a];
  add.u32 %v5, %v5, %v3;
  st.global.u32 [%o], %v5;
  ret;
}
)";

// Both ways read rows, of bytes in shared memory and of halves, one of them in a loop of loops; what comes
// out is a predicate, a byte's worth and a sum. The threads' number goes in.
constexpr const char* two_ways = R"(
  mov.u32 %v7, %tid.x;
  ld.global.u32 %v2, [%i];
  mov.u32 %v8, room;
  mad.lo.u32 %v8, %v7, 4, %v8;
  st.shared.u32 [%v8], %v2;
  bar.sync 0;
  and.b32 %v3, %v2, 7;
  add.u32 %v3, %v3, 1;
  setp.lt.u32 %q, %v3, 4;
  mov.u32 %v6, %t;
  mov.u32 %v8, room;
  and.b32 %v9, %v2, 1;
  setp.eq.u32 %p, %v9, 0;
  @%p bra other;
outer:
  and.b32 %v5, %v2, 3;
  and.b32 %v10, %v2, 12;
  add.u32 %v10, %v8, %v10;
inner:
  ld.shared.u8 %v4, [%v10];
  mad.lo.u32 %v6, %v6, 3, %v4;
  add.u32 %v10, %v10, 1;
  sub.u32 %v5, %v5, 1;
  setp.lt.s32 %p, %v5, 0;
  @!%p bra inner;
  sub.u32 %v3, %v3, 1;
  setp.ne.u32 %p, %v3, 0;
  @%p bra outer;
  setp.gt.u32 %q, %v6, 1000000;
  bra.uni meet;
other:
  mul.wide.u32 %a, %v3, 64;
  add.u64 %a, %a, %in;
back:
  ld.global.u16 %h1, [%a];
  cvt.u32.u16 %v4, %h1;
  xor.b32 %v6, %v6, %v4;
  mul.lo.u32 %v6, %v6, 33;
  add.u64 %a, %a, 2;
  sub.u32 %v3, %v3, 1;
  setp.ne.u32 %p, %v3, 0;
  @%p bra back;
meet:
  selp.u32 %v4, 1, 0, %q;
  mad.lo.u32 %v6, %v6, 2, %v4;
  st.global.u32 [%o], %v6;
  ret;
}
)";

// A step of a sorting network: a choice in a choice, places that are the lanes' own the other way round.
constexpr const char* exchange = R"(
  xor.b32 %v2, %t, %n;
  setp.le.u32 %p, %v2, %t;
  @%p bra done;
  mad.wide.u32 %a, %v2, 4, %out;
  ld.global.u32 %v3, [%o];
  ld.global.u32 %v4, [%a];
  setp.le.u32 %q, %v3, %v4;
  @%q bra done;
  st.global.u32 [%o], %v4;
  st.global.u32 [%a], %v3;
done:
  ret;
}
)";

// Both ways do something, one of them no more than some lanes need; what they found is used behind them.
// Besides: one place for all lanes, which the last one writes, bytes, and a pair.
constexpr const char* both = R"(
  ld.global.u32 %v2, [%i];
  mov.u32 %v6, %t;
  and.b32 %v3, %v2, 3;
  setp.eq.u32 %p, %v3, 0;
  @%p bra zero;
  ld.global.u32 %v4, [%i+4];
  add.u32 %v6, %v4, %v3;
  cvt.u64.u32 %b, %t;
  add.u64 %b, %b, %out;
  st.global.u8 [%b+12288], %v4;
  setp.ne.u32 %q, %v3, %n;
  @%q bra meet;
  shl.b32 %v5, %v2, 2;
  and.b32 %v5, %v5, 252;
  cvt.u64.u32 %a, %v5;
  add.u64 %a, %a, %in;
  ld.global.u32 %v5, [%a];
  ld.global.u32 %v7, [%in+16];
  st.global.u32 [%out+8192], %t;
  add.u32 %v6, %v5, %v7;
  bra.uni meet;
zero:
  shl.b32 %v5, %t, 3;
  cvt.u64.u32 %a, %v5;
  add.u64 %a, %a, %in;
  and.b64 %a, %a, -8;
  ld.global.v2.u32 {%v5, %v7}, [%a];
  sub.u32 %v6, %v5, %v7;
meet:
  add.u32 %v6, %v6, 1;
  st.global.u32 [%o], %v6;
  ret;
}
)";

// In a loop, and between barriers: only some lanes of a warp go on halving.
constexpr const char* tree = R"(
  mov.u32 %v7, %tid.x;
  mov.u32 %v8, room;
  mad.lo.u32 %v8, %v7, 4, %v8;
  ld.global.u32 %v2, [%i];
  st.shared.u32 [%v8], %v2;
  mov.u32 %v3, 16;
again:
  bar.sync 0;
  setp.ge.u32 %p, %v7, %v3;
  @%p bra next;
  shl.b32 %v4, %v3, 2;
  add.u32 %v4, %v4, %v8;
  ld.shared.u32 %v5, [%v4];
  ld.shared.u32 %v6, [%v8];
  mad.lo.u32 %v5, %v5, 3, %v6;
  st.shared.u32 [%v8], %v5;
next:
  shr.u32 %v3, %v3, 1;
  setp.ne.u32 %q, %v3, 0;
  @%q bra again;
  bar.sync 0;
  ld.shared.u32 %v6, [room];
  ld.shared.u32 %v5, [%v8];
  add.u32 %v6, %v6, %v5;
  st.global.u32 [%o], %v6;
  ret;
}
)";

// Bytes and halves of words that lie side by side, all lanes and some; counters in shared memory, by all
// lanes and by some, with and without operands of their own.
constexpr const char* counters = R"(
  mov.u32 %v7, %tid.x;
  mov.u32 %v8, room;
  mad.lo.u32 %v9, %v7, 4, %v8;
  mov.u32 %v2, 0;
  st.shared.u32 [%v9], %v2;
  bar.sync 0;
  ld.global.u8 %v2, [%i+1];
  ld.global.u16 %h1, [%i+2];
  cvt.u32.u16 %v3, %h1;
  mul.wide.u32 %a, %t, 8;
  add.u64 %a, %a, %in;
  ld.global.s8 %v4, [%a+6];
  mul.wide.u32 %b, %t, 2;
  add.u64 %b, %b, %in;
  ld.global.u8 %v5, [%b];
  xor.b32 %v6, %v3, %v4;
  mad.lo.u32 %v6, %v6, 7, %v5;
  and.b32 %v10, %v2, 28;
  add.u32 %v10, %v10, %v8;
  red.shared.add.u32 [%v10], 1;
  red.shared.max.u32 [%v10+32], %v5;
  red.shared.inc.u32 [%v10+64], 5;
  atom.shared.cas.b32 %v4, [%v9+1024], 0, %v3;
  and.b32 %v11, %v2, 3;
  setp.eq.u32 %p, %v11, %n;
  @%p bra some;
  red.shared.xor.b32 [%v10+96], %v3;
  ld.global.u8 %v11, [%i+3];
  add.u32 %v6, %v6, %v11;
some:
  bar.sync 0;
  ld.shared.u32 %v2, [%v9];
  add.u32 %v6, %v6, %v2;
  ld.shared.u32 %v2, [%v9+1024];
  mad.lo.u32 %v6, %v2, 3, %v6;
  st.global.u32 [%o], %v6;
  ret;
}
)";

class Diverging : public OnEveryHost {
 protected:
  void compare(const char* kernel, uint32_t n, std::initializer_list<uint32_t> blocks) {
    const std::string text = std::string(header) + ".visible .entry k" + begin + kernel;
    BothSides sides = both_sides(text);
    for (const uint32_t block : blocks) {
      const auto run = [&](TestProgram& program) {
        const auto words = any_words(4096);
        auto in = program.buffer(words), out = program.buffer(words);
        const auto ran = program.run("k", {.grid = {1024 / block}, .block = {block}}, in, out, n);
        EXPECT_TRUE(ran.ok()) << ran.error().message();
        std::vector<uint32_t> both = in.values(), written = out.values();
        both.insert(both.end(), written.begin(), written.end());
        return both;
      };
      sides.compare(run, "blocks of " + std::to_string(block));
    }
    EXPECT_FALSE(sides.said.has("reference executor")) << sides.said.text();
  }
};

TEST_P(Diverging, RowsOfTheirOwn) { compare(rows, 937, {32, 128, 100, 7}); }
TEST_P(Diverging, RowsThatBeginBeforeSharedMemory) { compare(shifted, 0, {32, 256, 50}); }
TEST_P(Diverging, RowsBothWays) { compare(two_ways, 0, {32, 256, 50}); }
TEST_P(Diverging, Exchanges) {
  for (const uint32_t distance : {1, 16, 64}) compare(exchange, distance, {128});
}
TEST_P(Diverging, BothWays) {
  for (const uint32_t n : {1, 3}) compare(both, n, {128, 100});
}
TEST_P(Diverging, ATree) { compare(tree, 0, {32, 64, 128}); }
TEST_P(Diverging, BytesAndCounters) { compare(counters, 1, {32, 128, 256}); }

on_every_host(Diverging);

}  // namespace
}  // namespace heddle::exec
