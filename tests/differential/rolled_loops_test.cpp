// Loops as compilers unroll them, a rest of single turns before several at a time, over rows of each thread's
// own: at every level of vectors against the reference executor. Among them loops that are nearly so.
#include <array>
#include <sstream>

#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

// How the program says what both loops do.
struct Form {
  unsigned times;
  bool is_signed, by_index;  // else by pointers, which the second loop begins anew
  bool by_count = false;     // the second loop counts down to 0, else its index goes up to the end
  int64_t wrong = 0;         // bytes that the last turn of the second loop reads further on
  unsigned skips = 0;        // fewer turns than so many the second loop leaves out; 0: `times`
  bool is_asked = true;      // whether the row has any turn at all
};
constexpr Form forms[] = {
    {4, false, false},
    {4, true, false},
    {4, false, true},
    {4, true, true},
    {4, false, false, true},
    {2, true, true, true},
    {8, false, true, true},
    {16, true, false, true},
    {4, false, false, false, 4},
    {4, true, true, true, -8},
    {4, false, true, true, 0, 0, false},
};

constexpr unsigned threads = 96, longest = 21;

// One turn: `at` is the element's address, `j` its index. What it loads, and where it stands, goes into both
// sums; the order of turns shows in the second.
void turn(std::ostream& out, const std::string& address, const std::string& index) {
  out << "  ld.global.u32 %v, [" << address << "];\n"
      << "  mul.wide.u32 %d2, %v, 4;\n"
      << "  add.s64 %a2, %table, %d2;\n"
      << "  ld.global.f32 %f1, [%a2];\n"
      << "  cvt.rn.f32.u32 %f2, %v;\n"
      << "  fma.rn.f32 %f, %f1, %f2, %f;\n"
      << "  mad.lo.u32 %s, %s, 31, %v;\n"
      << "  xor.b32 %s, %s, " << index << ";\n";
}

std::string program(const Form& form) {
  const std::string type = form.is_signed ? "s32" : "u32", times = std::to_string(form.times);
  std::ostringstream out;
  out << R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 rows, .param .u64 values, .param .u64 numbers, .param .u64 results)
{
  .reg .u64 %p, %q, %table, %base, %d, %d2, %a, %a2, %out;
  .reg .u32 %t, %low, %high, %n, %rest, %k, %j, %left, %v, %s, %g;
  .reg .f32 %f<3>, %f;
  .reg .pred %c;
  ld.param.u64 %p, [rows];
  ld.param.u64 %base, [values];
  ld.param.u64 %table, [numbers];
  ld.param.u64 %out, [results];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %p, %t, 8, %p;
  ld.global.u32 %low, [%p];
  ld.global.u32 %high, [%p+4];
  mov.f32 %f, 0f3f800000;
  mov.u32 %s, %t;
  mov.u32 %k, %low;
)";
  if (form.is_asked) out << "  setp.ge." << type << " %c, %low, %high;\n  @%c bra done;\n";
  if (form.by_index)
    out << "  add.s32 %g, %low, 1;\n  max." << type << " %n, %high, %g;\n  sub.s32 %n, %n, %low;\n";
  else
    out << "  sub.s32 %n, %high, %low;\n";
  out << "  and.b32 %rest, %n, " << form.times - 1 << ";\n"
      << "  setp.eq.s32 %c, %rest, 0;\n  @%c bra between;\n";
  if (!form.by_index) out << "  mul.wide." << type << " %d, %low, 4;\n  add.s64 %p, %base, %d;\n";
  out << "single:\n";
  if (form.by_index) out << "  mul.wide." << type << " %d, %k, 4;\n  add.s64 %p, %base, %d;\n";
  turn(out, "%p", "%k");
  out << "  add.s32 %k, %k, 1;\n";
  if (!form.by_index) out << "  add.s64 %p, %p, 4;\n";
  out << "  add.s32 %rest, %rest, -1;\n  setp.ne.s32 %c, %rest, 0;\n  @%c bra single;\nbetween:\n";
  const unsigned skips = form.skips != 0 ? form.skips : form.times;
  if (form.by_index)
    out << "  add.s32 %g, %n, -1;\n  setp.lt.u32 %c, %g, " << skips - 1 << ";\n";
  else
    out << "  sub.s32 %g, %low, %high;\n  setp.gt.u32 %c, %g, -" << skips << ";\n";
  out << "  @%c bra done;\n  sub.s32 %left, %high, %k;\n";
  if (!form.by_index)
    out << "  mul.wide." << type << " %d, %k, 4;\n  add.s64 %q, %base, %d;\n  add.s64 %q, %q, 8;\n";
  out << "several:\n";
  for (unsigned n = 0; n < form.times; ++n) {
    const int64_t more = n + 1 == form.times ? form.wrong : 0;
    out << "  add.s32 %j, %k, " << n << ";\n";
    if (form.by_index) {
      out << "  mul.wide." << type << " %d, %j, 4;\n  add.s64 %a, %base, %d;\n";
      turn(out, "%a+" + std::to_string(more), "%j");
    } else {
      turn(out, "%q+" + std::to_string(4 * int64_t{n} - 8 + more), "%j");
    }
  }
  out << "  add.s32 %k, %k, " << times << ";\n";
  if (!form.by_index) out << "  add.s64 %q, %q, " << 4 * form.times << ";\n";
  if (form.by_count)
    out << "  add.s32 %left, %left, -" << times << ";\n  setp.ne.s32 %c, %left, 0;\n";
  else
    out << "  setp.lt." << type << " %c, %k, %high;\n";
  out << R"(  @%c bra several;
done:
  mad.wide.u32 %out, %t, 12, %out;
  st.global.f32 [%out], %f;
  st.global.u32 [%out+4], %s;
  st.global.u32 [%out+8], %k;
  ret;
}
)";
  return out.str();
}

using RolledLoops = OnEveryHost;

// From where the first element's index is `first` on.
std::vector<uint32_t> rows(uint32_t first, bool empty_ones) {
  std::vector<uint32_t> result;
  const std::vector<uint32_t> any = any_words(2 * std::size_t{threads});
  for (unsigned t = 0; t < threads; ++t) {
    const uint32_t low = first + any[2 * t] % 64, turns = any[2 * t + 1] % longest;
    result.push_back(low);
    // Some rows end before they begin.
    result.push_back(turns == 0 && !empty_ones ? low + 1 : turns == 1 && empty_ones ? low - 1 : low + turns);
  }
  return result;
}

TEST_P(RolledLoops, RowsOfEachThreadsOwn) {
  constexpr std::size_t most = 64 + longest + 16;
  std::vector<uint32_t> values = any_words(most);
  for (uint32_t& value : values) value %= 128;
  for (const Form& form : forms) {
    BothSides sides = both_sides(program(form));
    // The last indices there are, of either kind, and across 0.
    for (const uint32_t first : {uint32_t{8}, form.is_signed ? 0U - 40 : 0U - 128, 0x7fff'ff80U}) {
      const auto run = [&](TestProgram& one) {
        auto of = one.buffer(rows(first, form.is_asked)), in = one.buffer(values),
             numbers = one.buffer(any_words(128)), out = one.buffer<uint32_t>(3 * std::size_t{threads});
        const int64_t begin = form.is_signed ? static_cast<int32_t>(first) : int64_t{first};
        const uint64_t base = reinterpret_cast<uintptr_t>(in.data) - static_cast<uint64_t>(4 * (begin - 8));
        const auto ran = one.run("k", {.grid = {1}, .block = {threads}}, of, base, numbers, out);
        EXPECT_TRUE(ran.ok()) << ran.error().message();
        return out.values();
      };
      std::ostringstream what;
      what << form.times << " at a time, " << (form.is_signed ? "signed" : "unsigned") << ", by "
           << (form.by_index ? "index" : "pointers") << ", wrong by " << form.wrong << ", from " << first;
      sides.compare(run, what.str());
    }
  }
}

on_every_host(RolledLoops);

}  // namespace
}  // namespace heddle::exec
