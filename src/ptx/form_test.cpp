// Every form of the tables can be written, is read back, and is the one that its operands choose.
#include <algorithm>

#include "ptx/parse_testing.h"
#include "ptx/random_text.h"
#include "ptx/syntax.h"

namespace heddle::ptx {
namespace {

using testing::expect_round_trip;
using testing::InstructionWriter;
using testing::parse_body;
using testing::Parsed;
using testing::Random;

TEST(Forms, NoneHasMoreRulesThanPlaces) {
  for (const isa::FormInfo& form : isa::all_forms())
    EXPECT_LE(form.operands.size(), OperandPlaces::most) << form.id;
}

TEST(Forms, EachIsReadBackAsItself) {
  Random random(20);
  for (const isa::FormInfo& form : isa::all_forms()) {
    for (int i = 0; i < 12; ++i) {
      const std::string text = InstructionWriter(form, std::ref(random)).write();
      if (text.empty()) continue;
      const Parsed parsed = parse_body(text + ';');
      ASSERT_TRUE(parsed.errors.empty()) << form.id << ": " << form.syntax << '\n' << parsed.rendered;
      const Statement& statement = parsed.module.functions.at(0).body.at(0);
      const Mnemonic& mnemonic = parsed.module.mnemonics.at(statement.mnemonic);
      const Mnemonic::Candidate& chosen = mnemonic.candidates.at(statement.candidate);
      EXPECT_EQ(isa::info(chosen.form).id, form.id)
          << text << '\n'
          << isa::forms(form.opcode)[chosen.alternative].syntax << '\n'
          << form.syntax;
    }
  }
}

TEST(Forms, ModulesOfRandomInstructionsRoundTrip) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n";
    for (int i = 0; i < 200; ++i) {
      const std::span<const isa::FormInfo> forms = isa::all_forms();
      const isa::FormInfo& form = forms[random(static_cast<uint32_t>(forms.size()))];
      const std::string instruction = InstructionWriter(form, std::ref(random)).write();
      if (instruction.empty()) continue;
      if (random(4) == 0) text += random(2) == 0 ? "@%p1 " : "@!%p2 ";
      text += instruction + ";\n";
    }
    expect_round_trip(text + "}\n", "seed " + std::to_string(seed));
  }
}

TEST(Forms, TheSyntaxInMessagesIsReadable) {
  const auto syntax_of = [](std::string_view id) {
    const auto found = std::ranges::find(isa::all_forms(), id, &isa::FormInfo::id);
    return found != isa::all_forms().end() ? syntax(*found) : "none";
  };
  EXPECT_EQ(syntax_of("add_int"), "add.type d, a, b");
  EXPECT_EQ(syntax_of("bar_sync"), "bar{.cta}.sync a{, b}");
  EXPECT_EQ(syntax_of("tex"), "tex{.base}.geom.v4.dtype.f32 d{|p}, [t{, s}, c]{, e}{, f}");
  EXPECT_EQ(syntax_of("shfl_sync"), "shfl.sync.shuffle.b32 d{|p}, a, b, c, membermask");
  EXPECT_EQ(syntax_of("call_direct"), "call{.uni} {(results), }func{, (params)}");
  for (const isa::FormInfo& form : isa::all_forms()) {
    const std::string text = syntax(form);
    EXPECT_EQ(std::ranges::count(text, '{'), std::ranges::count(text, '}')) << text;
    EXPECT_EQ(text.find(",,"), text.npos) << text;
  }
}

}  // namespace
}  // namespace heddle::ptx
