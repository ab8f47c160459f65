// Random jumps among blocks with registers of their own, against the same program with all registers declared
// at its top: what shares a slot must not be seen to.
#include <random>
#include <sstream>

#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

constexpr unsigned outer = 4, most_inner = 3, jumps = 60;

// `scoped`: inner registers stand in their blocks; else at the top, under the same names.
std::string random_program(unsigned seed, bool scoped) {
  std::mt19937 random(seed);
  const auto choose = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::ostringstream top, code;
  unsigned names = 0, labels = 0;
  std::vector<std::string> visible;
  for (unsigned i = 0; i < outer; ++i) visible.push_back("o" + std::to_string(i));
  const auto any = [&] { return visible[choose(static_cast<unsigned>(visible.size()))]; };
  const auto operation = [&] {
    switch (choose(5)) {
      case 0: code << "@p "; [[fallthrough]];
      case 1: code << "mov.u32 " << any() << ", " << choose(100) << ";\n"; break;
      case 2: code << "mad.lo.u32 " << any() << ", " << any() << ", 3, " << any() << ";\n"; break;
      case 3: code << "setp.lt.u32 p, " << any() << ", " << any() << ";\n"; break;
      default: code << "xor.b32 " << any() << ", " << any() << ", " << any() << ";\n";
    }
  };
  const std::function<void(unsigned)> block = [&](unsigned depth) {
    const unsigned first_label = labels;
    labels += 3;
    const std::size_t before = visible.size();
    code << (depth == 0 ? "" : "{\n");
    if (depth != 0)
      for (unsigned i = choose(most_inner); i <= most_inner; ++i) {
        const std::string name = "i" + std::to_string(names++);
        (scoped ? code : top) << ".reg .u32 " << name << ";\n";
        // Registers are not known before they are written.
        code << "mov.u32 " << name << ", " << choose(100) << ";\n";
        visible.push_back(name);
      }
    for (unsigned part = 0; part < 3; ++part) {
      code << "L" << first_label + part << ":\n";
      for (unsigned i = choose(4); i > 0; --i) operation();
      if (depth < 3 && choose(3) != 0) block(depth + 1);
      for (unsigned i = choose(3); i > 0; --i) operation();
      // To a label of this block, as long as there are jumps left.
      code << "sub.u32 left, left, 1;\nsetp.gt.s32 q, left, 0;\n"
           << (choose(2) == 0 ? "and.pred q, q, p;\n" : "") << "@q bra L" << first_label + choose(3) << ";\n";
    }
    code << (depth == 0 ? "" : "}\n");
    visible.resize(before);
  };
  block(0);
  std::ostringstream text;
  text << ".version 8.0 .target sm_70 .address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
          ".reg .u64 a; .reg .u32 left; .reg .pred p, q; .reg .u32 o<"
       << outer << ">;\n"
       << top.str() << "ld.param.u64 a, [out];\nmov.u32 left, " << jumps << ";\nsetp.eq.u32 p, left, 0;\n";
  // One that is first named behind the blocks is what a slot would be taken from.
  for (unsigned i = 0; i < outer - 1; ++i) text << "mov.u32 o" << i << ", " << i + 1 << ";\n";
  text << "bra A;\nB:\n" << code.str();
  for (unsigned i = 0; i < outer; ++i) text << "st.global.u32 [a+" << 4 * i << "], o" << i << ";\n";
  text << "ret;\nA: mov.u32 o" << outer - 1 << ", 77;\nbra B;\n}\n";
  return text.str();
}

TEST(Scopes, BlocksOfTheirOwnChangeNothing) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::vector<uint32_t> values[2];
    for (const bool scoped : {false, true}) {
      const std::string text = random_program(seed, scoped);
      TestProgram program(text);
      auto out = program.buffer<uint32_t>(outer);
      const auto ran = program.run("k", {.block = {1}}, out);
      ASSERT_TRUE(ran.ok()) << ran.error().message() << text;
      values[scoped] = out.values();
    }
    EXPECT_EQ(values[1], values[0]) << "seed " << seed << '\n' << random_program(seed, true);
  }
}

}  // namespace
}  // namespace heddle::exec::interp
