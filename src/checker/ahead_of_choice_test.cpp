#include "checker/ahead_of_choice.h"

#include <gtest/gtest.h>

#include <string>

#include "module/test_link.h"

namespace heddle::checker {
namespace {

// Of the loads of local memory in the text, in order: 'a' for one ahead of a choice, 'u' for one that is
// used.
std::string loads(const std::string& body) {
  const auto image = module::link_text(
      ".visible .entry k(.param .u64 x) { .reg .b64 p; .reg .b32 a, b, c; .reg .pred q; .local .b32 t[4]; "
      "ld.param.u64 p, [x]; mov.u32 c, %tid.x; setp.eq.u32 q, c, 3; " +
      body + " ret; }");
  const uint32_t entry = image->function_index("k");
  const module::Function& function = image->functions[entry];
  AheadOfChoice choices(*image);
  std::string text;
  for (uint32_t i = 0; i < function.code.size(); ++i)
    if (function.code[i].opcode == isa::Opcode::ld &&
        function.operands[function.code[i].first_operand + 1].space == module::Space::local)
      text += choices.loads({entry, i}) ? 'a' : 'u';
  return text;
}

TEST(AheadOfChoice, SelectionsAloneReadIt) {
  EXPECT_EQ(loads("ld.local.u32 a, [t]; selp.b32 b, -1, a, q; st.global.u32 [p], b;"), "a");
  EXPECT_EQ(loads("ld.local.u32 a, [t]; st.global.u32 [p], a;"), "u");
  EXPECT_EQ(loads("ld.local.u32 a, [t]; selp.b32 b, -1, a, q; st.global.u32 [p], a;"), "u");
  EXPECT_EQ(loads("ld.local.u32 a, [t]; add.u32 b, a, 1; selp.b32 b, -1, b, q;"), "u");
}

TEST(AheadOfChoice, EachPartOfAVectorCounts) {
  EXPECT_EQ(loads("ld.local.v2.u32 {a, b}, [t]; selp.b32 c, b, a, q;"), "a");
  EXPECT_EQ(loads("ld.local.v2.u32 {a, b}, [t]; selp.b32 c, 0, a, q; st.global.u32 [p], b;"), "u");
}

}  // namespace
}  // namespace heddle::checker
