// Every second, fourth or eighth element of a row: loads and stores that take what lies between along, at
// every level of vectors against the reference executor. All of the memory is compared, what lies between
// above all.
#include <array>
#include <sstream>

#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

struct Element {
  std::string_view type, registers, sum;
  unsigned bytes;
};
constexpr Element u32{"u32", "%r", "add.u32", 4}, f32{"f32", "%f", "add.f32", 4},
    f64{"f64", "%g", "add.f64", 8};
// Elements `first` and `second` of each `group`.
struct Comb {
  const Element& element;
  unsigned group, first, second;
};
constexpr Comb combs[] = {{u32, 2, 0, 1}, {u32, 4, 3, 1}, {u32, 8, 7, 3},
                          {f32, 4, 1, 3}, {f64, 2, 1, 0}, {f64, 4, 2, 0}};
constexpr unsigned most = 256, longest = 8;  // threads, elements of a group

// $L is the first element of the thread's group, in bytes; $P and $Q are bytes from it on, and %n are more.
// The room is filled by everybody with what stands in memory, and written there in the end.
constexpr const char* frame = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 m)
{
  .reg .u64 %in, %out, %a, %w;
  .reg .f32 %f<5>;
  .reg .f64 %g<5>;
  .reg .u32 %t, %l, %n, %m, %i, %all, %from, %to, %x;
  .reg .u32 %r<5>;
  .reg .pred %p, %more;
  .shared .align 8 .b8 before[$SHIFT];
  .shared .align 8 .b8 room[$ROOM];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %n, [n];
  ld.param.u32 %m, [m];
  mov.u32 %t, %tid.x;
  mov.u32 %x, %ntid.x;
  mul.lo.u32 %all, %x, 4;
  mul.lo.u32 %i, %t, 4;
fill:
  cvt.u64.u32 %w, %i;
  add.u64 %a, %in, %w;
  ld.global.u32 %r1, [%a];
  mov.u32 %to, room;
  add.u32 %to, %to, %i;
  st.shared.u32 [%to], %r1;
  add.u32 %i, %i, %all;
  setp.lt.u32 %more, %i, $ROOM;
  @%more bra fill;
  mul.lo.u32 %l, %t, $L;
  add.u32 %l, %l, %n;
  mov.u32 %from, room;
  add.u32 %from, %from, %l;
  mad.lo.u32 %i, %t, 4, 0;
  cvt.u64.u32 %w, %i;
  add.u64 %a, %in, %w;
  ld.global.u32 %x, [%a];
  and.b32 %x, %x, 3;
  bar.sync 0;
$BODY
  bar.sync 0;
  mul.lo.u32 %i, %t, 4;
copy:
  mov.u32 %to, room;
  add.u32 %to, %to, %i;
  ld.shared.u32 %r1, [%to];
  cvt.u64.u32 %w, %i;
  add.u64 %a, %out, %w;
  st.global.u32 [%a], %r1;
  add.u32 %i, %i, %all;
  setp.lt.u32 %more, %i, $ROOM;
  @%more bra copy;
  ret;
}
)";

// A step up a tree, and one down.
constexpr const char* tree = R"(
  ld.shared.$T $R1, [%from+$P];
  ld.shared.$T $R2, [%from+$Q];
  $SUM $R3, $R1, $R2;
  st.shared.$T [%from+$Q], $R3;
  bar.sync 0;
  ld.shared.$T $R1, [%from+$P];
  ld.shared.$T $R2, [%from+$Q];
  st.shared.$T [%from+$P], $R2;
  $SUM $R3, $R1, $R2;
  st.shared.$T [%from+$Q], $R3;
)";

// Of the first %m threads, which end within a vector, and of some that the data name.
constexpr const char* some = R"(
  setp.ge.u32 %p, %t, %m;
  @%p bra few;
  ld.shared.$T $R1, [%from+$P];
  ld.shared.$T $R2, [%from+$Q];
  $SUM $R3, $R1, $R2;
  st.shared.$T [%from+$Q], $R3;
few:
  bar.sync 0;
  setp.eq.u32 %p, %x, 0;
  @%p bra none;
  ld.shared.$T $R1, [%from+$Q];
  $SUM $R3, $R1, $R1;
  st.shared.$T [%from+$P], $R3;
none:
)";

// From global memory, which is only read so.
constexpr const char* members = R"(
  cvt.u64.u32 %w, %l;
  add.u64 %a, %in, %w;
  ld.global.$T $R1, [%a+$P];
  ld.global.$T $R2, [%a+$Q];
  $SUM $R3, $R1, $R2;
  setp.ge.u32 %p, %t, %m;
  @%p bra rest;
  ld.global.$T $R1, [%a+$P];
  $SUM $R3, $R1, $R3;
rest:
  bar.sync 0;
  mov.u32 %to, room;
  mad.lo.u32 %to, %t, $S, %to;
  st.shared.$T [%to], $R3;
)";

std::string filled(const Comb& comb) {
  const unsigned size = comb.element.bytes;
  const std::pair<std::string_view, std::string> words[] = {
      {"$BODY", std::string(tree) + some + members},    {"$SUM", std::string(comb.element.sum)},
      {"$SHIFT", std::to_string(8 * (comb.first + 1))}, {"$ROOM", std::to_string(most * longest * 8 + 256)},
      {"$T", std::string(comb.element.type)},           {"$R", std::string(comb.element.registers)},
      {"$L", std::to_string(comb.group * size)},        {"$P", std::to_string(comb.first * size)},
      {"$Q", std::to_string(comb.second * size)},       {"$S", std::to_string(size)},
  };
  return with_words(frame, words);
}

// Small numbers in every half of a word: they are no NaNs, of whatever type they are taken to be.
std::vector<uint32_t> numbers() {
  std::vector<uint32_t> words = any_words(std::size_t{most} * longest * 2 + 64);
  for (uint32_t& word : words) word &= 0x3fff'3fff;
  return words;
}

using Combed = OnEveryHost;

TEST_P(Combed, RowsOfAllAndOfSomeThreads) {
  for (const Comb& comb : combs) {
    BothSides sides = both_sides(filled(comb));
    for (const auto [threads, more, count] : {std::array{256U, 0U, 256U}, {256U, 1U, 100U}, {40U, 3U, 33U}}) {
      const auto run = [&](TestProgram& program) {
        auto in = program.buffer(numbers()), out = program.buffer(numbers());
        const auto ran =
            program.run("k", {.grid = {1}, .block = {threads}}, in, out, more * comb.element.bytes, count);
        EXPECT_TRUE(ran.ok()) << ran.error().message();
        return out.values();
      };
      std::ostringstream what;
      what << comb.element.type << ", element " << comb.first << " of " << comb.group << ", " << threads
           << " threads, " << more << ", " << count;
      sides.compare(run, what.str());
    }
  }
}

on_every_host(Combed);

}  // namespace
}  // namespace heddle::exec
