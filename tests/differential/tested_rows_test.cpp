// Loops in which each thread goes along a row of its own and writes, which have a second version for rows
// that are found apart, at every level of vectors, against the reference executor: rows that lie apart, and
// rows that do not. What memory holds afterwards is compared, all of it.
#include <sstream>

#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

struct Element {
  std::string_view type, bits, registers;
  unsigned bytes;
};
constexpr Element elements[] = {
    {"u8", "16", "%h", 1}, {"u16", "16", "%h", 2}, {"u32", "32", "%r", 4}, {"u64", "64", "%d", 8}};
constexpr unsigned places = 16384;  // of elements of 8 bytes

std::string filled(std::string text, const Element& element) {
  const std::pair<std::string_view, std::string> words[] = {{"$T", std::string(element.type)},
                                                            {"$B", std::string(element.bits)},
                                                            {"$R", std::string(element.registers)},
                                                            {"$S", std::to_string(element.bytes)}};
  return with_words(std::move(text), words);
}

// %row is where the thread's row begins, in elements; a and b are where rows of two kinds do.
constexpr const char* begin = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 room, .param .u32 a, .param .u32 b, .param .u32 pitch, .param .u32 turns)
{
  .reg .u64 %room, %x, %y, %z;
  .reg .u64 %d<9>;
  .reg .u32 %t, %row, %a, %b, %k, %n, %i, %q<4>;
  .reg .u32 %r<9>;
  .reg .u16 %h<9>;
  .reg .pred %p;
  .shared .align 16 .b8 own[16384];
  ld.param.u64 %room, [room];
  ld.param.u32 %a, [a];
  ld.param.u32 %b, [b];
  ld.param.u32 %q2, [pitch];
  ld.param.u32 %n, [turns];
  mov.u32 %t, %tid.x;
  mov.u32 %q0, %ntid.x;
  mov.u32 %q1, %ctaid.x;
  mad.lo.u32 %t, %q1, %q0, %t;
  mul.lo.u32 %row, %t, %q2;
  add.u32 %a, %a, %row;
  add.u32 %b, %b, %row;
)";

// The element before, which the turn before has made.
constexpr const char* up = R"(
  mov.u32 %k, 0;
turn:
  add.u32 %i, %a, %k;
  mul.wide.s32 %x, %i, $S;
  add.u64 %x, %room, %x;
  add.u32 %i, %i, -1;
  mul.wide.s32 %z, %i, $S;
  add.u64 %z, %room, %z;
  add.u32 %i, %b, %k;
  mul.wide.s32 %y, %i, $S;
  add.u64 %y, %room, %y;
  ld.global.$T $R1, [%x];
  ld.global.$T $R2, [%z];
  ld.global.$T $R3, [%y];
  add.u$B $R1, $R1, $R2;
  xor.b$B $R1, $R1, $R3;
  st.global.$T [%x], $R1;
  ld.global.$T $R4, [%y];
  ld.global.$T $R5, [%x];
  add.u$B $R4, $R4, $R5;
  st.global.$T [%y], $R4;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, %n;
  @%p bra turn;
  cvt.u$B.u32 $R4, %k;
  st.global.$T [%x], $R4;
  ret;
}
)";

// Indices that are large: the last of them, 2^31 - 1, is that of element 2000.
constexpr const char* far = R"(
  mov.u64 %z, 2147481647;
  mul.lo.u64 %z, %z, $S;
  sub.u64 %room, %room, %z;
  add.u32 %a, %a, 2147481647;
  add.u32 %b, %b, 2147481647;
)";

// Two indices of which only the difference is the same in all turns.
constexpr const char* difference = R"(
  mov.u32 %k, 0;
turn:
  mul.lo.u32 %i, %k, %q2;
  cvt.u64.u32 %z, %i;
  add.u32 %i, %i, 3;
  cvt.u64.u32 %y, %i;
  sub.u64 %y, %y, %z;
  cvt.s64.s32 %x, %b;
  add.s64 %y, %y, %x;
  mul.lo.u64 %y, %y, $S;
  add.u64 %y, %room, %y;
  add.u32 %i, %a, %k;
  mul.wide.s32 %x, %i, $S;
  add.u64 %x, %room, %x;
  ld.global.$T $R1, [%x];
  ld.global.$T $R2, [%y];
  add.u$B $R1, $R1, $R2;
  st.global.$T [%x], $R1;
  st.global.$T [%y], $R1;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, %n;
  @%p bra turn;
  ret;
}
)";

// Element 0 in the middle of the memory.
constexpr const char* below = R"(
  mov.u64 %z, 8192;
  mad.lo.u64 %room, %z, $S, %room;
)";

// From the last element to the first; the element before is of before the loop.
constexpr const char* down = R"(
  mov.u32 %k, %n;
turn:
  add.u32 %k, %k, -1;
  add.u32 %i, %a, %k;
  mul.wide.s32 %x, %i, $S;
  add.u64 %x, %room, %x;
  add.u32 %i, %b, %k;
  mul.wide.s32 %y, %i, $S;
  add.u64 %y, %room, %y;
  ld.global.$T $R1, [%x];
  ld.global.$T $R2, [%y];
  ld.global.$T $R3, [%y+-$S];
  mad.lo.u$B $R1, $R2, $R3, $R1;
  st.global.$T [%y], $R1;
  setp.ne.u32 %p, %k, 0;
  @%p bra turn;
  ret;
}
)";

// A sum that lies in memory all the time: lanes of it lie side by side.
constexpr const char* sum = R"(
  mad.wide.u32 %y, %t, $S, %room;
  mul.wide.s32 %x, %a, $S;
  add.u64 %x, %room, %x;
  mov.u32 %k, 0;
turn:
  ld.global.$T $R1, [%x];
  ld.global.$T $R2, [%y];
  add.u$B $R2, $R2, $R1;
  st.global.$T [%y], $R2;
  add.u64 %x, %x, $S;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, %n;
  @%p bra turn;
  ret;
}
)";

// Stores alone, two a turn.
constexpr const char* fill = R"(
  mov.u32 %k, 0;
turn:
  shl.b32 %q3, %k, 1;
  add.u32 %i, %a, %q3;
  mul.wide.u32 %x, %i, $S;
  add.u64 %x, %room, %x;
  add.u32 %q3, %t, %k;
  cvt.u$B.u32 $R1, %q3;
  cvt.u$B.u32 $R2, %k;
  st.global.$T [%x+$S], $R2;
  st.global.$T [%x], $R1;
  st.global.$T [%x+$S], $R1;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, %n;
  @%p bra turn;
  ret;
}
)";

// Rows in shared memory, and others in global memory.
constexpr const char* shared = R"(
  mov.u32 %q3, own;
  mov.u32 %i, %tid.x;
  and.b32 %i, %i, 31;
  ld.param.u32 %q1, [b];
  mul.lo.u32 %i, %i, %q1;
  mad.lo.u32 %q3, %i, $S, %q3;
  mul.wide.s32 %x, %a, $S;
  add.u64 %x, %room, %x;
  mov.u32 %k, 0;
turn:
  ld.global.$T $R1, [%x];
  ld.shared.$T $R2, [%q3+$S];
  add.u$B $R2, $R2, $R1;
  st.shared.$T [%q3], $R2;
  st.global.$T [%x], $R2;
  add.u32 %q3, %q3, $S;
  add.u64 %x, %x, $S;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, %n;
  @%p bra turn;
  ret;
}
)";

struct Case {
  uint32_t a, b, pitch, turns, block = 64, grid = 2;
};

class TestedRows : public OnEveryHost {
 protected:
  void compare(const char* kernel, std::initializer_list<Case> cases) {
    for (const Element& element : elements) {
      const std::string text = begin + filled(kernel, element);
      BothSides sides = both_sides(text);
      for (const Case& c : cases) {
        const auto run = [&](TestProgram& program) {
          std::vector<uint64_t> words(places);
          uint64_t x = 12345;
          for (uint64_t& word : words) word = x = x * 6364136223846793005 + 1442695040888963407;
          auto room = program.buffer(words);
          const auto ran =
              program.run("k", {.grid = {c.grid}, .block = {c.block}}, room, c.a, c.b, c.pitch, c.turns);
          return std::pair(ran.ok() ? "" : ran.error().message(), room.values());
        };
        std::ostringstream what;
        what << element.type << ", rows at " << c.a << " and " << c.b << ", " << c.pitch << " apart, "
             << c.turns << " turns";
        sides.compare(run, what.str());
      }
      EXPECT_FALSE(sides.said.has("reference executor")) << sides.said.text();
    }
  }

  void faults(const char* kernel, std::initializer_list<Case> cases) {
    for (const Element& element : elements) {
      BothSides sides = both_sides(begin + filled(kernel, element));
      for (const Case& c : cases) {
        for (TestProgram* program : {&sides.expected, &sides.native}) {
          auto room = program->buffer(std::vector<uint64_t>(places));
          const auto ran =
              program->run("k", {.grid = {c.grid}, .block = {c.block}}, room, c.a, c.b, c.pitch, c.turns);
          EXPECT_FALSE(ran.ok()) << element.type << ", rows at " << c.a << " and " << c.b;
        }
      }
    }
  }
};

constexpr uint32_t minus(uint32_t n) { return 0U - n; }

// Rows that lie apart, of all lengths; side by side without a gap; from the last thread's to the first's.
constexpr std::initializer_list<Case> apart = {
    {1, 8192, 60, 50},        {1, 8192, 60, 1},         {1, 8192, 60, 16},
    {1, 8192, 60, 17},        {8200, 7, 60, 59},        {1, 8192, 33, 32, 40, 3},
    {1, 31, 60, 30},          {2, 8192, 50, 49, 96, 1}, {7800, 15900, minus(60), 50},
    {1, 8192, 60, 40, 32, 4}, {3, 8192, 60, 60, 64, 2}, {1, 8192, 48, 47, 17, 2}};
// Rows that lie on one another: of other lanes, of the same one, all of them, at the ends.
constexpr std::initializer_list<Case> mixed = {{1, 8192, 20, 50, 32, 1},
                                               {1, 4, 60, 50, 32, 1},
                                               {4, 1, 60, 50, 32, 1},
                                               {1, 8192, 0, 50, 32, 1},
                                               {1, 8192, 1, 50, 32, 1},
                                               {1, 1, 60, 50, 32, 1},
                                               {1, 60 * 31 + 40, 60, 50, 32, 1},
                                               {1, 50, 60, 50, 32, 1},
                                               {2000, 2020, minus(20), 50, 32, 1},
                                               {1, 2, 60, 16, 32, 1},
                                               {1, 8192, 49, 50, 32, 1}};

TEST_P(TestedRows, Upwards) { compare(up, apart); }
TEST_P(TestedRows, UpwardsOnOneAnother) { compare(up, mixed); }
TEST_P(TestedRows, Downwards) { compare(down, apart); }
TEST_P(TestedRows, DownwardsOnOneAnother) { compare(down, mixed); }
TEST_P(TestedRows, DifferencesOfIndices) {
  compare(difference, {{1, 8192, 60, 50}, {1, 8192, 60, 50, 32, 1}, {8192, 1, 60, 17, 32, 1}});
}
TEST_P(TestedRows, SumsInMemory) { compare(sum, {{200, 0, 60, 50}, {200, 0, 60, 3}, {129, 0, 50, 50}}); }
TEST_P(TestedRows, SumsThatAreReadAsRows) {
  compare(sum, {{0, 0, 60, 50, 32, 1}, {31, 0, 60, 50, 32, 1}, {5, 0, 0, 50, 32, 1}});
}
TEST_P(TestedRows, StoresAlone) { compare(fill, {{0, 0, 100, 50}, {5, 0, 101, 50}, {7, 0, 100, 9}}); }
TEST_P(TestedRows, StoresOnOneAnother) {
  compare(fill, {{0, 0, 99, 50, 32, 1}, {5, 0, 1, 50, 32, 1}, {7, 0, 0, 20, 32, 1}});
}
TEST_P(TestedRows, InSharedMemory) {
  compare(shared, {{0, 51, 60, 50}, {0, 18, 60, 17}, {0, 49, 60, 50, 32, 1}, {0, 3, 60, 50, 32, 1}});
}
// Indices of up to 2^31: those that wrap lead to nobody's memory.
TEST_P(TestedRows, IndicesWrap) {
  const std::string kernel = std::string(far) + up;
  compare(kernel.c_str(), {{1, 1000, 30, 29, 32, 1}});
  faults(kernel.c_str(), {{1, 1060, 30, 29, 32, 1}, {1060, 1, 30, 29, 32, 1}, {1, 1045, 30, 29, 32, 1}});
}
TEST_P(TestedRows, IndicesBelowZero) {
  const std::string kernel = std::string(below) + up;
  compare(kernel.c_str(), {{1, minus(4000), 60, 50, 64, 1}, {minus(1000), 6000, 60, 50, 32, 1}});
}

on_every_host(TestedRows);

}  // namespace
}  // namespace heddle::exec
