// Addresses with the exclusive or of a thread's place and a number: rows whose lanes change places, at every
// level of vectors, against the reference executor. What memory holds afterwards is compared, all of it.
#include <sstream>

#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

// What one thread loads and stores at once.
struct Element {
  std::string_view type, registers;  // of one part; its register class
  unsigned parts, bytes;
};
constexpr Element elements[] = {
    {"u8", "%h", 1, 1},     {"u16", "%h", 1, 2},   {"u32", "%r", 1, 4},     {"u64", "%d", 1, 8},
    {"v2.u32", "%r", 2, 8}, {"v4.u8", "%h", 4, 4}, {"v4.u32", "%r", 4, 16}, {"v2.u64", "%d", 2, 16},
};
constexpr unsigned places = 1024;  // of elements, in each buffer

std::string filled(std::string text, const Element& element) {
  std::string values;
  for (unsigned e = 0; e < element.parts; ++e)
    values += (e == 0 ? "" : ", ") + std::string(element.registers) + std::to_string(e + 1);
  const std::pair<std::string_view, std::string> words[] = {
      {"$T", std::string(element.type)},
      {"$V", element.parts == 1 ? values : '{' + values + '}'},
      {"$S", std::to_string(element.bytes)},
      {"$ONE", "add." +
                   std::string(element.registers == "%d"   ? "u64"
                               : element.registers == "%h" ? "u16"
                                                           : "u32") +
                   ' ' + std::string(element.registers) + "1, " + std::string(element.registers) + "1, 1;"},
  };
  return with_words(std::move(text), words);
}

// %t is the thread's place in the grid, %x its column, %y its row, %l its place in the block.
constexpr const char* begin = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 m)
{
  .reg .u64 %in, %out, %a, %b, %w;
  .reg .u64 %d<5>;
  .reg .u32 %t, %x, %y, %l, %n, %m, %i, %q<4>;
  .reg .u32 %r<5>;
  .reg .u16 %h<5>;
  .reg .pred %p, %s;
  .shared .align 16 .b8 room[8192];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %n, [n];
  ld.param.u32 %m, [m];
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  mov.u32 %q0, %ntid.x;
  mad.lo.u32 %l, %y, %q0, %x;
  mov.u32 %q1, %ntid.y;
  mul.lo.u32 %q0, %q0, %q1;
  mov.u32 %q1, %ctaid.x;
  mad.lo.u32 %t, %q1, %q0, %l;
)";

// in[t ^ n] to out[t ^ m], by all threads.
constexpr const char* moved = R"(
  xor.b32 %i, %t, %n;
  mad.wide.u32 %a, %i, $S, %in;
  ld.global.$T $V, [%a];
  $ONE
  xor.b32 %i, %t, %m;
  mad.wide.u32 %b, %i, $S, %out;
  st.global.$T [%b], $V;
  ret;
}
)";

// The same by some threads of each warp, and by others to another place; one a 64-bit number.
constexpr const char* some = R"(
  mad.wide.u32 %a, %t, 4, %in;
  ld.global.u32 %q2, [%a];
  and.b32 %q2, %q2, 3;
  setp.ne.u32 %p, %q2, 0;
  @%p bra first;
  and.b32 %q3, %m, 511;
  xor.b32 %i, %t, %q3;
  mad.wide.u32 %b, %i, $S, %in;
  ld.global.$T $V, [%b];
  cvt.u64.u32 %a, %t;
  cvt.u64.u32 %w, %n;
  xor.b64 %a, %a, %w;
  mad.lo.u64 %b, %a, $S, %out;
  st.global.$T [%b], $V;
  bra.uni done;
first:
  setp.eq.u32 %s, %q2, 1;
  @%s bra done;
  xor.b32 %i, %t, %n;
  mad.wide.u32 %a, %i, $S, %in;
  ld.global.$T $V, [%a];
  $ONE
  mad.wide.u32 %b, %i, $S, %out;
  st.global.$T [%b], $V;
done:
  ret;
}
)";

// Rows that begin anywhere: (t + n) ^ m, below the buffers' end.
constexpr const char* anywhere = R"(
  add.u32 %i, %t, %n;
  xor.b32 %i, %i, %m;
  and.b32 %i, %i, 1023;
  mad.wide.u32 %a, %i, $S, %in;
  ld.global.$T $V, [%a];
  $ONE
  mad.wide.u32 %b, %i, $S, %out;
  st.global.$T [%b], $V;
  ret;
}
)";

// Numbers below zero: from the middle of the buffers backwards; stored in the opposite order.
constexpr const char* backwards = R"(
  mul.wide.u32 %w, 512, $S;
  add.u64 %in, %in, %w;
  add.u64 %out, %out, %w;
  xor.b32 %i, %t, %n;
  mul.wide.s32 %a, %i, $S;
  add.u64 %b, %in, %a;
  ld.global.$T $V, [%b];
  $ONE
  sub.u64 %b, %out, %a;
  sub.u64 %b, %b, $S;
  st.global.$T [%b], $V;
  ret;
}
)";

// Rows that go backwards, by all threads and by some; rows of 16 threads may lie on one another.
constexpr const char* reversed = R"(
  sub.u32 %i, 511, %t;
  mul.wide.s32 %a, %i, $S;
  add.u64 %b, %in, %a;
  ld.global.$T $V, [%b];
  $ONE
  sub.u32 %i, %m, %x;
  mad.lo.u32 %i, %y, %n, %i;
  mul.wide.u32 %a, %i, $S;
  add.u64 %b, %out, %a;
  st.global.$T [%b], $V;
  and.b32 %q2, %t, 5;
  setp.ne.u32 %p, %q2, 1;
  @%p bra done;
  sub.u32 %i, 1000, %t;
  mul.wide.u32 %a, %i, $S;
  add.u64 %b, %in, %a;
  ld.global.$T $V, [%b];
  add.u64 %b, %out, %a;
  st.global.$T [%b], $V;
done:
  ret;
}
)";

// A swizzled tile: row y has its columns x at x ^ (y & 7), or x ^ y; read by the place that the thread's
// number says, written by rows. Then a butterfly in it.
constexpr const char* tile = R"(
  mov.u32 %q0, %ntid.x;
  and.b32 %q2, %y, %n;
  xor.b32 %q2, %q2, %x;
  mad.lo.u32 %q2, %y, %q0, %q2;
  mov.u32 %q3, room;
  mad.lo.u32 %q2, %q2, $S, %q3;
  mad.wide.u32 %a, %t, $S, %in;
  ld.global.$T $V, [%a];
  st.shared.$T [%q2], $V;
  bar.sync 0;
  mad.lo.u32 %q3, %l, $S, %q3;
  ld.shared.$T $V, [%q3];
  mad.wide.u32 %b, %t, $S, %out;
  st.global.$T [%b], $V;
  bar.sync 0;
  mov.u32 %m, 1;
turn:
  xor.b32 %i, %l, %m;
  mov.u32 %q3, room;
  mad.lo.u32 %q3, %i, $S, %q3;
  ld.shared.$T $V, [%q3];
  bar.sync 0;
  $ONE
  st.shared.$T [%q2], $V;
  bar.sync 0;
  shl.b32 %m, %m, 1;
  setp.lt.u32 %p, %m, 64;
  @%p bra turn;
  mad.wide.u32 %b, %t, $S, %out;
  st.global.$T [%b], $V;
  ret;
}
)";

// Warps that store to each other's places: the first lane wins, whichever vector it is in.
constexpr const char* same_place = R"(
  shr.u32 %q2, %t, 4;
  and.b32 %q2, %q2, %m;
  xor.b32 %i, %x, %q2;
  and.b32 %i, %i, 15;
  shr.u32 %q3, %t, 5;
  shl.b32 %q3, %q3, 4;
  add.u32 %i, %i, %q3;
  mad.wide.u32 %a, %t, $S, %in;
  ld.global.$T $V, [%a];
  mad.wide.u32 %b, %i, $S, %out;
  st.global.$T [%b], $V;
  ret;
}
)";

struct Shape {
  uint32_t x, y;
};

class Xored : public OnEveryHost {
 protected:
  void compare(const char* kernel, std::initializer_list<std::pair<uint32_t, uint32_t>> numbers,
               std::initializer_list<Shape> blocks) {
    for (const Element& element : elements) compare(element, kernel, numbers, blocks);
  }

 private:
  void compare(const Element& element, const char* kernel,
               std::initializer_list<std::pair<uint32_t, uint32_t>> numbers,
               std::initializer_list<Shape> blocks) {
    const std::string text = begin + filled(kernel, element);
    BothSides sides = both_sides(text);
    for (const Shape block : blocks)
      for (const auto& [n, m] : numbers) {
        const auto run = [&](TestProgram& program) {
          const auto words = any_words(std::size_t{places} * 4);
          auto in = program.buffer(words), out = program.buffer(words);
          const uint32_t threads = block.x * block.y;
          const auto ran =
              program.run("k", {.grid = {512 / threads}, .block = {block.x, block.y}}, in, out, n, m);
          EXPECT_TRUE(ran.ok()) << ran.error().message();
          return out.values();
        };
        std::ostringstream what;
        what << element.type << ", blocks of " << block.x << " x " << block.y << ", " << n << ", " << m;
        sides.compare(run, what.str());
      }
    EXPECT_FALSE(sides.said.has("reference executor")) << sides.said.text();
  }
};

TEST_P(Xored, ByAllThreads) {
  compare(moved, {{0, 0}, {1, 6}, {15, 16}, {31, 64}, {37, 3}}, {{128, 1}, {16, 4}, {8, 8}});
}
TEST_P(Xored, BySomeThreads) {
  compare(some, {{5, 3}, {16, 33}, {0, 31}}, {{128, 1}, {16, 4}, {8, 4}, {24, 1}});
}
TEST_P(Xored, FromAnywhere) { compare(anywhere, {{0, 5}, {3, 5}, {16, 17}, {8, 9}}, {{64, 1}, {16, 2}}); }
TEST_P(Xored, BelowZero) { compare(backwards, {{~0U, 0}, {~5U, 0}, {0U - 512, 0}}, {{64, 1}}); }
TEST_P(Xored, Backwards) { compare(reversed, {{16, 200}, {5, 200}, {0, 200}}, {{32, 1}, {16, 2}, {8, 4}}); }
TEST_P(Xored, Tiles) { compare(tile, {{7, 0}, {31, 0}}, {{32, 8}, {16, 16}, {8, 8}, {64, 1}}); }
TEST_P(Xored, TheFirstLaneWins) { compare(same_place, {{0, 0}, {0, 1}, {0, 15}}, {{64, 1}, {16, 4}}); }

on_every_host(Xored);

}  // namespace
}  // namespace heddle::exec
