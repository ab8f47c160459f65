// Arithmetic of 32 bits that wraps and is then widened, and of 64 bits that wraps: hashes of the thread's
// number as value, in conditions and as index. What the vector code proves and tests of steps from lane to
// lane, at every level of vectors, against the reference executor.
#include <cstdlib>
#include <random>

#include "native.h"

namespace heddle::exec {
namespace {

using interp::TestProgram;

// Programs of registers a<n> of 32 and w<n> of 64 bits. %i is the thread's number in the grid, %x in its row.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  std::string make() {
    line("mov.u32 %a0, %i;"), line("mov.u32 %a1, %x;");
    line("mad.lo.u32 %a2, %i, " + constant() + ", %n;");
    line("mad.lo.u32 %a3, %x, " + constant() + ", " + constant() + ";");
    line("cvt.u64.u32 %w0, %a2;"), line("cvt.s64.s32 %w1, %a3;");
    line("mul.wide.u32 %w2, %i, 24;"), line("mad.lo.u64 %w3, %w0, " + wide_constant() + ", %w2;");
    for (int count = 0; count < 24; ++count) statement();
    return text_;
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool one_of(uint32_t n) { return below(n) == 0; }
  template <std::size_t n>
  std::string any(const char* const (&choices)[n]) {
    return choices[below(n)];
  }
  std::string narrow() { return "%a" + std::to_string(below(4)); }
  std::string wide() { return "%w" + std::to_string(below(4)); }
  std::string constant() {
    switch (below(6)) {
      case 0: return std::to_string(below(64));
      case 1: return std::to_string(uint32_t{1} << below(32));
      case 2: return std::to_string(-static_cast<int32_t>(below(4096)));
      case 3: return any({"2654435761", "1664525", "1103515245", "-1640531535", "0x7fffffff", "0x80000000"});
      case 4: return std::to_string((uint32_t{1} << below(32)) - 1);
      default: return std::to_string(static_cast<uint32_t>(random_()));
    }
  }
  std::string wide_constant() {
    switch (below(4)) {
      case 0: return std::to_string(uint64_t{1} << below(64));
      case 1:
        return any(
            {"0x9e3779b97f4a7c15", "6364136223846793005", "-7046029254386353131", "0xff51afd7ed558ccd"});
      case 2: return std::to_string(below(1000));
      default: return std::to_string(uint64_t{random_()} << 32 | random_());
    }
  }
  std::string amount(uint32_t width) { return std::to_string(below(width)); }
  void line(const std::string& text) { text_ += "  " + text + '\n'; }

  void statement() {
    const std::string a = narrow(), b = narrow(), w = wide(), v = wide();
    switch (below(13)) {
      case 0:
        return line(any({"add", "sub"}) + ".u32 " + a + ", " + b + ", " +
                    (one_of(2) ? narrow() : constant()) + ";");
      case 1: return line("mul.lo.u32 " + a + ", " + b + ", " + constant() + ";");
      case 2: return line(any({"shl.b32 ", "shr.u32 ", "shr.s32 "}) + a + ", " + b + ", " + amount(32) + ";");
      case 3: return line(any({"and", "or", "xor"}) + ".b32 " + a + ", " + b + ", " + constant() + ";");
      case 4: return line(any({"cvt.u64.u32 ", "cvt.s64.s32 "}) + w + ", " + b + ";");
      case 5: return line(any({"mul.wide.u32 ", "mul.wide.s32 "}) + w + ", " + b + ", " + constant() + ";");
      case 6:
        return line(any({"mad.wide.u32 ", "mad.wide.s32 "}) + w + ", " + b + ", " + constant() + ", " + v +
                    ";");
      case 7:
        return line(any({"add", "sub", "mul.lo"}) + ".u64 " + w + ", " + v + ", " + wide_constant() + ";");
      case 8: return line(any({"shl.b64 ", "shr.u64 ", "shr.s64 "}) + w + ", " + v + ", " + amount(64) + ";");
      case 9: return line("and.b64 " + w + ", " + v + ", " + wide_constant() + ";");
      case 10:
        line(any({"cvt.u16.u32", "cvt.s16.s32"}) + " %h, " + b + ";");
        return line(any({"cvt.u64.u16 ", "cvt.s64.s16 "}) + w + ", %h;");
      case 11: return index(b, a);
      default: return condition(a, b, w, v);
    }
  }

  // Of 1000 words: the hash's high part, or its low bits.
  void index(const std::string& from, const std::string& to) {
    if (one_of(2)) {
      line("cvt.u64.u32 %k, " + from + ";"), line("mul.lo.u64 %k, %k, 1000;"), line("shr.u64 %k, %k, 32;");
    } else {
      line("and.b32 %j, " + from + ", 511;"), line("cvt.u64.u32 %k, %j;");
    }
    line("shl.b64 %k, %k, 2;"), line("add.u64 %p, %in, %k;");
    line("ld.global.u32 " + to + ", [%p];");
    line("add.u64 %p, %counts, %k;"), line("red.global.add.u32 [%p], 1;");
  }

  void condition(const std::string& a, const std::string& b, const std::string& w, const std::string& v) {
    const bool of_64 = one_of(2);
    line("setp." + any({"lt", "le", "gt", "ge", "eq", "ne"}) + (one_of(2) ? ".u" : ".s") +
         (of_64 ? "64" : "32") + " %q, " + (of_64 ? v : b) + ", " + (of_64 ? wide_constant() : constant()) +
         ";");
    if (one_of(2)) {
      line("selp.b32 " + a + ", " + b + ", " + narrow() + ", %q;");
      return line("selp.b64 " + w + ", " + v + ", " + wide() + ", %q;");
    }
    const std::string label = "L" + std::to_string(labels_++);
    line("@%q bra " + label + ";");
    line("mad.lo.u32 " + a + ", " + b + ", " + constant() + ", 5;"),
        line("cvt.u64.u32 " + w + ", " + a + ";");
    text_ += label + ":\n";
  }

  std::mt19937 random_;
  std::string text_;
  unsigned labels_ = 0;
};

std::string program_of(uint32_t seed) {
  return R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 counts, .param .u32 n)
{
  .reg .u64 %in, %out, %counts, %p, %k, %w<4>;
  .reg .u32 %i, %x, %n, %j, %t, %a<4>;
  .reg .u16 %h;
  .reg .pred %q;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u64 %counts, [counts];
  ld.param.u32 %n, [n];
  mov.u32 %x, %tid.x;
  mov.u32 %i, %ctaid.x;
  mov.u32 %j, %ntid.y;
  mov.u32 %t, %tid.y;
  mad.lo.u32 %i, %i, %j, %t;
  mov.u32 %j, %ntid.x;
  mad.lo.u32 %i, %i, %j, %x;
)" + Generator(seed).make() +
         R"(
  mul.wide.u32 %p, %i, 48;
  add.u64 %p, %out, %p;
  st.global.v4.u32 [%p], {%a0, %a1, %a2, %a3};
  st.global.v2.u64 [%p+16], {%w0, %w1};
  st.global.v2.u64 [%p+32], {%w2, %w3};
  ret;
}
)";
}

// HEDDLE_WIDENED_PROGRAMS: more of them, by hand.
uint32_t programs() {
  const char* number = std::getenv("HEDDLE_WIDENED_PROGRAMS");
  return number == nullptr ? 16 : static_cast<uint32_t>(std::strtoul(number, nullptr, 10));
}

class Widened : public OnEveryHost {};

TEST_P(Widened, WrapsAsNumbersOf32Bits) {
  struct Shape {
    uint32_t blocks, x, y;
  };
  constexpr Shape shapes[] = {{8, 256, 1}, {3, 96, 1}, {2, 48, 1}, {4, 16, 8}, {2, 64, 4}};
  for (uint32_t seed = 0; seed < programs(); ++seed) {
    const std::string text = program_of(seed);
    BothSides sides = both_sides(text);
    const Shape& shape = shapes[seed % std::size(shapes)];
    sides.compare(
        [&](TestProgram& program) {
          auto in = program.buffer(any_words(1024));
          auto out = program.buffer<uint32_t>(std::size_t{shape.blocks} * shape.x * shape.y * 12);
          auto counts = program.buffer<uint32_t>(1024);
          const auto ran = program.run("k", {.grid = {shape.blocks}, .block = {shape.x, shape.y}}, in, out,
                                       counts, seed * 0x10001);
          EXPECT_TRUE(ran.ok()) << ran.error().message();
          auto all = out.values();
          const auto counted = counts.values();
          all.insert(all.end(), counted.begin(), counted.end());
          return all;
        },
        "seed " + std::to_string(seed) + '\n' + text);
    if (HasFailure()) return;
  }
}

on_every_host(Widened);

}  // namespace
}  // namespace heddle::exec
