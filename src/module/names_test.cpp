#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "module/test_link.h"

namespace heddle::module {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Linking, AnExternIsFoundInAnotherModule) {
  const Linked l =
      link_units({".extern .global .u32 x; .visible .global .u64 p = x;", ".visible .global .u32 x = 5;"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  const Symbol* x = l.image->find_symbol("x");
  ASSERT_NE(x, nullptr);
  EXPECT_EQ(x->unit, 1u);
  EXPECT_EQ(x->init.size(), 1u);
  EXPECT_EQ(l.image->find_symbol("p")->relocations.at(0).symbol, l.image->symbol_index("x"));
  EXPECT_EQ(l.image->symbols.size(), 2u);
}

TEST(Linking, NamesWithoutALinkingDirectiveAreTheModulesOwn) {
  const Linked l = link_units({".global .u32 x = 1; .visible .global .u64 p = x;",
                               ".global .u32 x = 2; .visible .global .u64 q = x;"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  const Image& image = *l.image;
  const auto value = [&](const char* pointer) {
    return std::to_integer<int>(
        image.symbols[image.find_symbol(pointer)->relocations.at(0).symbol].init.at(0));
  };
  EXPECT_EQ(value("p"), 1);
  EXPECT_EQ(value("q"), 2);
  EXPECT_EQ(image.find_symbol("x")->unit, 0u);
}

TEST(Linking, AVisibleNameIsFoundBeforeAPrivateOne) {
  const Linked l = link_units({".global .u32 x = 1;", ".visible .global .u32 x = 2;"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  EXPECT_EQ(l.image->find_symbol("x")->unit, 1u);
}

TEST(Linking, TwoDefinitionsAreNamedWithBothPlaces) {
  const Linked l = link_units({".visible .global .u32 x;", "\n.visible .global .u32 x;"});
  EXPECT_EQ(l.image, nullptr);
  EXPECT_THAT(l.messages,
              ElementsAre("b.ptx:5:23: error: 'x' is defined twice; the first definition is at a.ptx:4:23"));
}

TEST(Linking, TwoDefinedFunctionsAreNamed) {
  const Linked l = link_units({".visible .func f() { ret; }", ".visible .func f() { ret; }"});
  EXPECT_THAT(l.messages, ElementsAre(HasSubstr("'f' is defined twice")));
}

TEST(Linking, AWeakDefinitionGivesWay) {
  const Linked l =
      link_units({".weak .global .u32 x = 1;", ".weak .global .u32 x = 2;", ".visible .global .u32 x = 3;"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  EXPECT_EQ(l.image->symbols.size(), 1u);
  EXPECT_EQ(l.image->find_symbol("x")->unit, 2u);
}

TEST(Linking, OfWeakDefinitionsTheFirstIsTaken) {
  const Linked l =
      link_units({".extern .func f();", ".weak .func f() { ret; }", ".weak .func f() { exit; }"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  ASSERT_EQ(l.image->functions.size(), 1u);
  EXPECT_EQ(l.image->functions[0].unit, 1u);
}

TEST(Linking, OfCommonVariablesTheLargestIsTaken) {
  const Linked l = link_units(
      {".common .global .u32 x;", ".common .global .u32 x[4] = {1, 2};", ".extern .global .u32 x[];"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  EXPECT_EQ(l.image->symbols.size(), 1u);
  EXPECT_EQ(l.image->find_symbol("x")->size, 16u);
  EXPECT_EQ(l.image->find_symbol("x")->init.size(), 5u);
}

TEST(Linking, OnlyOneCommonVariableMayHaveAValue) {
  const Linked l = link_units({".common .global .u32 x = 1;", ".common .global .u32 x = 2;"});
  EXPECT_THAT(l.messages, ElementsAre(HasSubstr("has initial values in two modules")));
}

TEST(Linking, AllUndefinedVariablesAreNamed) {
  const Linked l =
      link_units({".extern .global .u32 x; .extern .global .u32 y; .extern .global .u32 unused;\n"
                  ".global .u64 p[2] = {x, y};"});
  EXPECT_EQ(l.image, nullptr);
  EXPECT_THAT(l.messages,
              ElementsAre(HasSubstr("undefined variable 'x'"), HasSubstr("undefined variable 'y'")));
}

TEST(Linking, FunctionsOfTheHostStayUndefined) {
  const std::string text =
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
      ".extern .func unused();\n"
      ".global .u64 p = vprintf;";
  const Linked l = link_units({text});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  const Function* f = l.image->find_function("vprintf");
  ASSERT_NE(f, nullptr);
  EXPECT_FALSE(f->defined);
  EXPECT_TRUE(f->address_taken);
  EXPECT_EQ(f->signature.params.at(1).offset, 8u);
  EXPECT_EQ(l.image->find_function("unused"), nullptr);

  const Linked strict = link_units({text}, {.allow_undefined_functions = false});
  EXPECT_THAT(strict.messages, ElementsAre(HasSubstr("undefined function 'vprintf'")));
}

TEST(Linking, DeclarationsMustAgreeWithTheDefinition) {
  EXPECT_THAT(
      link_units({".extern .global .u32 x[8];", ".visible .global .u32 x[4];"}).messages,
      ElementsAre(
          "a.ptx:4:22: error: 'x' is .global of 32 bytes here and .global of 16 bytes at b.ptx:4:23"));
  EXPECT_THAT(link_units({".extern .const .u32 x;", ".visible .global .u32 x;"}).messages,
              ElementsAre(HasSubstr("'x' is .const of 4 bytes here and .global of 4 bytes")));
  EXPECT_THAT(
      link_units({".extern .func f(.param .b64 a);", ".visible .func f(.param .b32 a) { ret; }"}).messages,
      ElementsAre(
          HasSubstr("'f' is .func with results () and parameters (8 bytes) here and .func with results () "
                    "and parameters (4 bytes)")));
  EXPECT_THAT(link_units({".extern .func x();", ".visible .global .u32 x;"}).messages,
              ElementsAre(HasSubstr("'x' is a function here and a variable at b.ptx:4:23")));
}

TEST(Linking, AnUnsizedOrDifferentlyTypedExternAgrees) {
  EXPECT_NE(link_units({".extern .global .b8 x[]; .extern .global .f32 y;",
                        ".visible .global .u32 x[4]; .visible .global .b32 y;"})
                .image,
            nullptr);
}

TEST(Linking, TheStrictestAlignmentOfAllDeclarationsHolds) {
  const Linked l = link_units({".extern .global .align 64 .b8 x[8];", ".visible .global .align 8 .b8 x[8];"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  EXPECT_EQ(l.image->find_symbol("x")->align, 64u);
}

TEST(Linking, AVisibleDeclarationMakesADefinitionVisible) {
  const Linked l =
      link_units({".visible .func f(); .func f() { ret; }", ".extern .func f(); .global .u64 p = f;"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  EXPECT_EQ(l.image->functions.size(), 1u);
  EXPECT_TRUE(l.image->functions[0].visible);
}

TEST(Linking, AnAliasIsAnotherNameOfItsFunction) {
  const Linked l = link_units(
      {".func b() { ret; } .visible .func a(); .alias a, b;", ".extern .func a(); .global .u64 p = a;"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  EXPECT_EQ(l.image->functions.size(), 1u);
  EXPECT_EQ(l.image->find_function("a"), l.image->find_function("b"));
  EXPECT_EQ(l.image->find_symbol("p")->relocations.at(0).function, 0u);
}

TEST(Linking, AnAliasOfNothingIsNamed) {
  EXPECT_THAT(link_units({".extern .func b(); .visible .func a(); .alias a, b;"}).messages,
              ElementsAre(HasSubstr("'a' is an alias of 'b', which is no function defined in this module")));
}

TEST(Linking, ClangsListOfUsedVariablesIsIgnored) {
  const Linked l =
      link_units({".visible .global .u32 x; .global .align 8 .u64 __clang_gpu_used_external[1] = {x};"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  EXPECT_EQ(l.image->symbols.size(), 1u);
}

TEST(Linking, DynamicSharedArraysOfOneNameAreOne) {
  const std::string k = ".visible .entry %() { .reg .b64 %rd; mov.u64 %rd, s; ret; }";
  const auto unit = [&](const char* name, const char* align) {
    std::string body = k;
    body.replace(body.find('%'), 1, name);
    return ".extern .shared .align " + std::string(align) + " .b8 s[];" + body;
  };
  const Linked l = link_units({unit("k", "16"), unit("l", "128")});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  ASSERT_EQ(l.image->symbols.size(), 1u);
  EXPECT_TRUE(l.image->symbols[0].dynamic_shared);
  EXPECT_EQ(l.image->symbols[0].align, 128u);
  EXPECT_TRUE(l.image->find_function("l")->dynamic_shared);
}

TEST(Linking, ExternSharedVariablesOfKnownSizeNeedNoDefinition) {
  const Linked l = link_units(
      {".extern .shared .align 8 .b8 a[64]; .extern .shared .align 16 .b8 b[96]; .extern .shared .b8 c[8];"
       ".visible .entry k() { .reg .b64 %rd; mov.u64 %rd, a; mov.u64 %rd, b; ret; }"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  const Symbol *a = l.image->find_symbol("a"), *b = l.image->find_symbol("b");
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_FALSE(a->dynamic_shared);
  EXPECT_EQ(a->size, 64u);
  EXPECT_EQ(b->size, 96u);
  EXPECT_EQ(l.image->find_function("k")->static_shared_bytes, 160u);
}

TEST(Linking, ExternSharedVariablesOfKnownSizeAreThoseThatAreDefined) {
  const Linked l = link_units({".extern .shared .b8 a[64];", ".visible .shared .b8 a[64];"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  EXPECT_EQ(l.image->symbols.size(), 1u);
}

TEST(Linking, VersionsAndTargetsTakeTheHighest) {
  const Linked l = link_units({".version 6.0\n.target sm_30\n.address_size 64\n",
                               ".version 7.0\n.target sm_80, debug\n.address_size 64\n",
                               ".version 6.5\n.target sm_50\n.address_size 64\n"});
  ASSERT_NE(l.image, nullptr) << l.all_messages();
  EXPECT_EQ(l.image->version, (isa::Version{7, 0}));
  EXPECT_EQ(l.image->target->name, "sm_80");
  EXPECT_TRUE(l.image->debug);
}

TEST(Linking, AnArchitectureSpecificTargetTakesNoLaterOne) {
  const std::string specific = ".version 8.0\n.target sm_90a\n.address_size 64\n";
  EXPECT_NE(link_units({specific, ".version 8.0\n.target sm_80\n.address_size 64\n"}).image, nullptr);
  EXPECT_EQ(link_units({specific, ".version 8.0\n.target sm_90\n.address_size 64\n"}).image->target->name,
            "sm_90a");
  EXPECT_THAT(link_units({specific, ".version 8.6\n.target sm_100\n.address_size 64\n"}).messages,
              ElementsAre(HasSubstr(".target sm_100 cannot be linked with sm_90a of a.ptx")));
}

TEST(Linking, AddressSizesMustAgree) {
  EXPECT_THAT(link_units({"", ".version 8.0\n.target sm_50\n.address_size 32\n"}).messages,
              ElementsAre(HasSubstr(".address_size 32 cannot be linked with 64 of a.ptx")));
}

TEST(Linking, TexturingModesMatterOnlyWhereTexturesAre) {
  const std::string independent = ".version 8.0\n.target sm_50, texmode_independent\n.address_size 64\n";
  EXPECT_FALSE(link_units({"", independent + ".global .texref t;"}).image->unified_textures);
  EXPECT_THAT(link_units({".global .texref u;", independent + ".global .texref t;"}).messages,
              ElementsAre(HasSubstr("texturing mode differs from that of a.ptx")));
}

TEST(Linking, NothingToLinkIsAnError) { EXPECT_EQ(link_units({}).messages.size(), 1u); }

}  // namespace
}  // namespace heddle::module
