// Bodies: statements, mnemonics, operands (PTX ISA 4.3, 6, 9, 11.3).
#include "ptx/parse_testing.h"

namespace heddle::ptx {
namespace {

using testing::parse_body;
using testing::parse_text;
using testing::Parsed;

// The operands of the one instruction in the text.
std::vector<Operand> operands_of(const std::string& text) {
  const Parsed parsed = parse_body(text);
  EXPECT_TRUE(parsed.errors.empty()) << parsed.rendered;
  EXPECT_EQ(parsed.module.functions.at(0).body.size(), 1u) << text;
  return parsed.module.functions.at(0).operands;
}

std::string error_of(const std::string& text) {
  const Parsed parsed = parse_text(std::string(testing::header()) + ".entry k() {\n" + text + "\nret;\n}\n");
  EXPECT_EQ(parsed.errors.size(), 1u) << parsed.rendered;
  return parsed.errors.empty() ? "" : parsed.errors[0];
}

// The one instruction as it is printed.
std::string printed(const std::string& text) {
  const Parsed parsed = parse_body(text);
  EXPECT_TRUE(parsed.errors.empty()) << parsed.rendered;
  const Function& k = parsed.module.functions.at(0);
  return k.body.empty() ? "" : print(parsed.module, k, k.body[0]);
}

TEST(ParseStatement, KindsInTheirOrder) {
  const Parsed parsed = parse_body(
      ".reg .b32 a, b;\n{\nL1: L2:\n.loc 1 2 3\nadd.s32 a, a, 1;\n}\n.pragma \"x\", \"y\";\n"
      "ts: .branchtargets L1, L2;\ncs: .calltargets f;\ncp: .callprototype (.param .b32 _) _ (.param .b32 _) "
      ".noreturn;\n"
      "brx.idx a, ts;");
  ASSERT_TRUE(parsed.errors.empty()) << parsed.rendered;
  const Function& k = parsed.module.functions[0];
  std::vector<StatementKind> kinds;
  for (const Statement& s : k.body) kinds.push_back(s.kind);
  using K = StatementKind;
  EXPECT_EQ(kinds, (std::vector{K::declaration, K::declaration, K::open, K::label, K::label, K::location,
                                K::instruction, K::close, K::pragma, K::pragma, K::branch_targets,
                                K::call_targets, K::call_prototype, K::instruction}));
  EXPECT_EQ(parsed.module.text(k.body[4].name), "L2");
  EXPECT_EQ(k.body[10].operand_count, 2);
  EXPECT_TRUE(k.prototypes.at(0).noreturn);
  EXPECT_EQ(k.prototypes.at(0).params.size(), 1u);
}

TEST(ParseStatement, Guards) {
  const Parsed parsed = parse_body("@p ret; @!q ret; @ ! q ret;");
  ASSERT_TRUE(parsed.errors.empty()) << parsed.rendered;
  const std::vector<Statement>& body = parsed.module.functions[0].body;
  EXPECT_EQ(parsed.module.text(body[0].name), "p");
  EXPECT_FALSE(body[0].guard_negated);
  EXPECT_TRUE(body[1].guard_negated);
  EXPECT_TRUE(body[2].guard_negated);
}

TEST(ParseStatement, Locations) {
  const Parsed parsed = parse_body(
      ".loc 1 5 0 add.s32 a, b, c;\n.loc 2 6 7, function_name $L__info_string0+8, inlined_at 1 3 4");
  ASSERT_TRUE(parsed.errors.empty()) << parsed.rendered;
  const std::vector<Location>& locations = parsed.module.functions[0].locations;
  ASSERT_EQ(locations.size(), 2u);
  EXPECT_EQ(locations[0].line, 5u);
  EXPECT_FALSE(locations[0].inlined);
  EXPECT_TRUE(locations[1].inlined);
  EXPECT_EQ(locations[1].function_offset, 8u);
  EXPECT_EQ(parsed.module.text(locations[1].function_name), "$L__info_string0");
  EXPECT_EQ(locations[1].at_line, 3u);
}

TEST(ParseMnemonic, IsKeptOnceAndMayHaveBlanks) {
  const Parsed parsed =
      parse_body("add.s32 a, b, c; add .s32 a, b, c; add /**/ .s32 a,b,c; add\n.s32\na\n,b,c\n;");
  ASSERT_TRUE(parsed.errors.empty()) << parsed.rendered;
  ASSERT_EQ(parsed.module.mnemonics.size(), 1u);
  EXPECT_EQ(parsed.module.mnemonics[0].text, "add.s32");
  EXPECT_EQ(parsed.module.mnemonics[0].words, std::vector{isa::Word::s32});
  ASSERT_EQ(parsed.module.mnemonics[0].candidates.size(), 1u);
  EXPECT_EQ(isa::info(parsed.module.mnemonics[0].candidates[0].form).id, "add_int");
}

TEST(ParseMnemonic, NamesOfInstructionsAreNoKeywords) {
  const Parsed parsed = parse_body(".reg .b32 add, mov; add.s32 add, mov, add; ret: bra ret;");
  EXPECT_TRUE(parsed.errors.empty()) << parsed.rendered;
}

TEST(ParseMnemonic, MistakesSayWhatStandsThere) {
  EXPECT_EQ(error_of("ad.s32 a, b, c;"), "5:1 unknown instruction 'ad'; did you mean 'add'?");
  EXPECT_EQ(error_of("ADD.s32 a, b, c;"), "5:1 unknown instruction 'ADD'");
  EXPECT_EQ(error_of("add.s3 a, b, c;"), "5:4 'add' has no modifier '.s3'; did you mean '.s32'?");
  EXPECT_EQ(error_of("add.wide.s32 a, b, c;"), "5:4 'add' has no modifier '.wide'");
  EXPECT_EQ(error_of("mad.s32 a, b, c, d;").substr(0, 44), "5:4 '.s32' may not stand after 'mad'; expect");
  EXPECT_EQ(error_of("mul.wide a, b, c;").substr(0, 41), "5:1 'mul.wide' is not complete; expected ");
  EXPECT_EQ(error_of("add.s32.s32 a, b, c;"), "5:8 '.s32' may not stand after 'add.s32'");
}

TEST(ParseOperand, NamesWithParts) {
  EXPECT_EQ(operands_of("mov.u32 a, %tid.x;")[1].component, isa::Word::x);
  EXPECT_EQ(operands_of("mov.u32 a, %tid .x;")[1].component, isa::Word::x);
  const std::vector<Operand> offset = operands_of("mov.u64 a, v+4;");
  EXPECT_EQ(offset[1].value, 4u);
  EXPECT_FALSE(offset[1].subscript);
  const std::vector<Operand> element = operands_of("mov.u64 a, v[WARP_SZ-1];");
  EXPECT_TRUE(element[1].subscript);
  EXPECT_EQ(element[1].value, 31u);
  EXPECT_EQ(element[1].child_count, 0);
}

TEST(ParseOperand, Constants) {
  const auto second = [](const std::string& constant) {
    return operands_of("mov.b64 a, " + constant + ";")[1];
  };
  EXPECT_EQ(second("5").kind, OperandKind::integer);
  EXPECT_EQ(static_cast<int64_t>(second("-5").value), -5);
  EXPECT_TRUE(second("5U").is_unsigned);
  EXPECT_EQ(second("(1<<3)|2").value, 10u);
  EXPECT_EQ(second("2*WARP_SZ").value, 64u);
  EXPECT_EQ(second("WARP_SZ").value, 32u);
  EXPECT_EQ(second("!0").value, 1u);
  EXPECT_EQ(second("0f3F800000").kind, OperandKind::float32);
  EXPECT_EQ(second("0f3F800000").value, 0x3f800000u);
  EXPECT_EQ(second("-1.5").kind, OperandKind::float64);
  EXPECT_EQ(second("-1.5").value, 0xbff8000000000000u);
  EXPECT_EQ(second("0d3FF8000000000000").value, 0x3ff8000000000000u);
}

TEST(ParseOperand, VectorsAndSinks) {
  const std::vector<Operand> unpack = operands_of("mov.b64 {a, _}, b;");
  ASSERT_EQ(unpack.size(), 4u);
  EXPECT_EQ(unpack[0].kind, OperandKind::vector);
  EXPECT_EQ(unpack[0].child_count, 2);
  EXPECT_EQ(unpack[2].kind, OperandKind::sink);
  const std::vector<Operand> pack = operands_of("mov.b64 b, {a.x, -5+3};");
  EXPECT_EQ(pack[2].component, isa::Word::x);
  EXPECT_EQ(static_cast<int64_t>(pack[3].value), -2);
}

TEST(ParseOperand, BarsAndNegation) {
  const std::vector<Operand> two = operands_of("setp.eq.and.s32 p|q, a, 5, !r;");
  ASSERT_EQ(two.size(), 5u);
  EXPECT_TRUE(two[0].piped);
  EXPECT_FALSE(two[1].piped);
  EXPECT_TRUE(two[4].negated);
}

TEST(ParseOperand, CallLists) {
  const std::vector<Operand> call = operands_of("call.uni (r), f, (a, 5+3, 0f00000000);");
  ASSERT_EQ(call.size(), 7u);
  EXPECT_EQ(call[0].kind, OperandKind::list);
  EXPECT_EQ(call[0].child_count, 1);
  EXPECT_EQ(call[3].kind, OperandKind::list);
  EXPECT_EQ(call[3].child_count, 3);
  EXPECT_EQ(call[5].value, 8u);
  EXPECT_EQ(operands_of("call (), f, ();").size(), 3u);
  EXPECT_EQ(operands_of("call f;").size(), 1u);
}

TEST(ParseOperand, TheFormFollowsTheShapes) {
  const auto form = [](const std::string& text) {
    const Parsed parsed = parse_body(text);
    EXPECT_TRUE(parsed.errors.empty()) << parsed.rendered;
    const Statement& statement = parsed.module.functions.at(0).body.at(0);
    const Mnemonic& mnemonic = parsed.module.mnemonics.at(statement.mnemonic);
    return std::string(isa::info(mnemonic.candidates.at(statement.candidate).form).id);
  };
  EXPECT_EQ(form("call f, (a);"), "call_direct");
  EXPECT_EQ(form("call f, (a), p;"), "call_indirect");
  EXPECT_NE(form("mov.b64 a, b;"), form("mov.b64 a, {b, c};"));
  EXPECT_NE(form("mov.b64 {b, c}, a;"), form("mov.b64 a, {b, c};"));
}

TEST(ParseOperand, MistakesSayWhatIsExpected) {
  EXPECT_EQ(error_of("add.s32 a, b;"), "5:13 operand 'b' of 'add.s32' is missing: a register or a constant");
  EXPECT_EQ(error_of("add.s32 a, b, c, d;"), "5:18 'add.s32' takes 3 operands");
  EXPECT_EQ(error_of("add.s32 5, b, c;"),
            "5:9 operand 'd' of 'add.s32' must be a register, found an integer");
  EXPECT_EQ(error_of("add.s32 a, [b], c;"),
            "5:12 operand 'a' of 'add.s32' must be a register or a constant, found an address");
  EXPECT_EQ(error_of("add.s32 a, -b, c;"),
            "5:12 operand 'a' of 'add.s32' must be a register or a constant, found a negated operand");
  EXPECT_EQ(error_of("add.s32 a|b, c, d;"), "5:11 operand 'a' of 'add.s32' stands after a comma, not a bar");
  EXPECT_EQ(error_of("add.s32 a b, c;"), "5:10 expected ';' or ',' behind an operand, found 'b'");
  EXPECT_EQ(error_of("add.s32 a, , c;"), "5:12 expected an operand, found ','");
  EXPECT_EQ(error_of("add.s32 a, b, c,;"), "5:17 expected an operand, found ';'");
  EXPECT_EQ(error_of("add.s32, a, b, c;"), "5:8 expected an operand, found ','");
  EXPECT_EQ(error_of("mov.u32 a, %tid.q;"), "5:16 '.q' is no part of an operand");
  EXPECT_EQ(error_of("mov.u32 a, {{b}, c};"), "5:13 expected an operand, found '{'");
  EXPECT_EQ(error_of("call f, (a+4);"), "5:10 an element is a name or a constant, no address");
  EXPECT_EQ(error_of("bra 5;"), "5:5 operand 'label' of 'bra' must be a label, found an integer");
}

TEST(ParseStatement, MistakesAreNamed) {
  EXPECT_EQ(error_of(";"), "5:1 a ';' that ends no statement");
  EXPECT_EQ(error_of("@5 ret;"), "5:2 expected a predicate behind '@', found '5'");
  EXPECT_EQ(error_of("@p { ret; }"), "5:4 expected an instruction behind a predicate, found '{'");
  EXPECT_EQ(error_of("@p .reg .b32 a;"), "5:4 expected an instruction behind a predicate, found '.reg'");
  EXPECT_EQ(error_of(".branchtargets L;"), "5:1 '.branchtargets' needs a label before it");
  EXPECT_EQ(error_of(".maxnreg 5;"), "5:1 '.maxnreg' may not stand in a body");
  EXPECT_EQ(error_of(".section .debug_str { .b8 1 }"), "5:1 '.section' may not stand in a body");
  EXPECT_EQ(error_of("p: .callprototype f ();"), "5:19 expected '_' for the function, found 'f'");
  EXPECT_EQ(error_of(".loc 1 5"), "6:1 expected a column, found 'ret'");
  EXPECT_EQ(error_of(".loc 1 5 0, inlined_at 1 2 3"), "5:13 expected function_name, found 'inlined_at'");
}

TEST(ParseRecovery, EveryMistakeOfABodyIsReported) {
  const Parsed parsed = parse_text(
      ".version 8.0\n.target sm_80\n.entry k() {\n"
      "ad.s32 a, b, c;\n"
      "mov.b64 a, {b, c;\n"  // the ';' ends it, open brace or not
      "add.s32 a, b, c\n"
      "sub.s32 a, b, c;\n"  // eaten by the line before
      ".reg .q32 x;\n"
      "{ add.s32 a, b; }\n"
      "@ ret;\n"
      "add.s32 a, b, c\n"
      ".reg .b32 z;\n"
      "sub.s32 a b;\n"
      "}\n"
      ".entry l() { rte; }\n");
  EXPECT_EQ(parsed.errors, (std::vector<std::string>{
                               "4:1 unknown instruction 'ad'; did you mean 'add'?",
                               "5:17 expected '}' or ',' behind an element, found ';'",
                               "6:16 expected ';' or ',' behind an operand, found 'sub'",
                               "8:6 '.q32' is no type; did you mean '.b32'?",
                               "9:15 operand 'b' of 'add.s32' is missing: a register or a constant",
                               "10:6 expected an instruction behind a predicate, found ';'",
                               "11:16 expected ';' or ',' behind an operand, found '.reg'",
                               "13:10 expected ';' or ',' behind an operand, found 'b'",
                               "15:14 unknown instruction 'rte'; did you mean 'ret'?",
                           }))
      << parsed.rendered;
  EXPECT_EQ(parsed.module.functions.size(), 2u);
}

TEST(ParseRecovery, WhatIsOpenAtTheEndOfTheFile) {
  const Parsed parsed = parse_text(std::string(testing::header()) + ".entry k() {\n{ ret;");
  ASSERT_EQ(parsed.errors.size(), 1u) << parsed.rendered;
  EXPECT_EQ(parsed.errors[0], "5:7 the file ends inside of a body");
  EXPECT_NE(parsed.rendered.find("t.ptx:5:1: note: this '{' is never closed"), std::string::npos)
      << parsed.rendered;
}

TEST(ParseLimits, BlocksOperandsAndStatements) {
  const Parsed deep = parse_body(std::string(100'000, '{') + std::string(100'000, '}'));
  ASSERT_EQ(deep.errors.size(), 1u);
  EXPECT_NE(deep.errors[0].find("more than 256 nested blocks"), std::string::npos);
  std::string wide = "mov.b32 a, {b";
  for (int i = 0; i < 70'000; ++i) wide += ",b";
  const Parsed many = parse_body(wide + "};");
  ASSERT_EQ(many.errors.size(), 1u);
  EXPECT_NE(many.errors[0].find("more than 65535 operands"), std::string::npos);
}

TEST(PrintStatement, OneOfEveryKindOfOperand) {
  EXPECT_EQ(printed("@!p add.s32 a , b,-5 ;"), "@!p add.s32 a, b, -5;");
  EXPECT_EQ(printed("mov.b64 a, 5U;"), "mov.b64 a, 5U;");
  EXPECT_EQ(printed("mov.b64 a, 0xFFFFFFFFFFFFFFFF;"), "mov.b64 a, 0xFFFFFFFFFFFFFFFF;");
  EXPECT_EQ(printed("mov.b64 a, -9223372036854775807-1;"), "mov.b64 a, (.s64)0x8000000000000000;");
  EXPECT_EQ(printed("mov.f32 a, 1.0;"), "mov.f32 a, 0d3FF0000000000000;");
  EXPECT_EQ(printed("mov.f32 a, 0f3f800000;"), "mov.f32 a, 0f3F800000;");
  EXPECT_EQ(printed("mov.u64 a, v + -8;"), "mov.u64 a, v+-8;");
  EXPECT_EQ(printed("mov.u64 a, v[3];"), "mov.u64 a, v[3];");
  EXPECT_EQ(printed("mov.b64 {a,_},b;"), "mov.b64 {a, _}, b;");
  EXPECT_EQ(printed("setp.eq.and.s32 p|q,a,b,!r;"), "setp.eq.and.s32 p|q, a, b, !r;");
  EXPECT_EQ(printed("call (r),f,(a,b),c;"), "call (r), f, (a, b), c;");
  EXPECT_EQ(printed("t:.branchtargets a,b;"), "t: .branchtargets a, b;");
  EXPECT_EQ(printed("c:.callprototype _(.param .b32 _);"), "c: .callprototype _ (.param .b32 _);");
  EXPECT_EQ(printed(".loc 1 2 3,function_name f+4,inlined_at 4 5 6"),
            ".loc 1 2 3, function_name f+4, inlined_at 4 5 6");
}

}  // namespace
}  // namespace heddle::ptx
