// Module level: header, variables, functions, debug information (PTX ISA 5.4, 7.1, 11).
#include "ptx/parse_testing.h"

namespace heddle::ptx {
namespace {

using testing::parse_module;
using testing::parse_text;
using testing::Parsed;

std::string first_error(const Parsed& parsed) { return parsed.errors.empty() ? "" : parsed.errors[0]; }

Variable only_variable(const Parsed& parsed) {
  EXPECT_EQ(parsed.module.variables.size(), 1u) << parsed.rendered;
  EXPECT_TRUE(parsed.errors.empty()) << parsed.rendered;
  return parsed.module.variables.empty() ? Variable{} : parsed.module.variables[0];
}

Function only_function(const Parsed& parsed) {
  EXPECT_EQ(parsed.module.functions.size(), 1u) << parsed.rendered;
  EXPECT_TRUE(parsed.errors.empty()) << parsed.rendered;
  return parsed.module.functions.empty() ? Function{} : parsed.module.functions[0];
}

TEST(ParseHeader, VersionTargetOptionsAndAddressSize) {
  const Parsed parsed =
      parse_text("// c\n.version 7.8\n.target sm_90a, debug, texmode_independent\n.address_size 64\n");
  EXPECT_TRUE(parsed.errors.empty()) << parsed.rendered;
  EXPECT_EQ(parsed.module.version, (isa::Version{7, 8}));
  ASSERT_NE(parsed.module.target, nullptr);
  EXPECT_EQ(parsed.module.target->name, "sm_90a");
  EXPECT_EQ(parsed.module.target_options, (std::vector<std::string>{"debug", "texmode_independent"}));
  EXPECT_EQ(parsed.module.address_bits, 64u);
}

TEST(ParseHeader, AddressesHave32BitsWhereNothingIsSaid) {
  const Parsed parsed = parse_text(".version 1.4\n.target sm_10, map_f64_to_f32\n");
  EXPECT_TRUE(parsed.errors.empty()) << parsed.rendered;
  EXPECT_EQ(parsed.module.address_bits, 32u);
  EXPECT_FALSE(parsed.module.has_address_size);
}

TEST(ParseHeader, ModulesFromBeforeAddressSizeHaveTheSizeOfTheirAddressRegisters) {
  const auto bits = [](const std::string& version, const std::string& body) {
    const Parsed parsed =
        parse_text(".version " + version + "\n.target sm_13\n.entry k(.param .u64 p)\n{" + body + "}");
    EXPECT_TRUE(parsed.errors.empty()) << parsed.rendered;
    return parsed.module.address_bits;
  };
  const std::string wide = ".reg .u64 %rd<4>; .reg .u32 %r<2>; ld.global.u32 %r1, [%rd3+4];";
  EXPECT_EQ(bits("1.4", wide), 64u);
  EXPECT_EQ(bits("2.2", ".reg .b64 a; .reg .u32 b; ld.global.u32 b, [a];"), 64u);
  // A 64-bit number makes no address.
  EXPECT_EQ(
      bits("1.4", ".reg .u64 %rd<4>; .reg .u32 %r<2>; ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%r1];"),
      32u);
  EXPECT_EQ(bits("2.3", wide), 32u);
}

TEST(ParseHeader, EveryVersionOfTheTableIsKnown) {
  for (const isa::Version version : isa::versions()) {
    const std::string text = std::to_string(version.major) + '.' + std::to_string(version.minor);
    EXPECT_TRUE(parse_text(".version " + text + "\n.target sm_10\n").errors.empty()) << text;
  }
  EXPECT_EQ(isa::versions().front(), (isa::Version{1, 0}));
  EXPECT_EQ(isa::versions().back(), (isa::Version{9, 0}));
}

TEST(ParseHeader, MistakesAreNamed) {
  EXPECT_EQ(first_error(parse_text("")),
            "1:1 expected .version at the beginning of the module, found the end of the file");
  EXPECT_EQ(first_error(parse_text(".target sm_80")),
            "1:1 expected .version at the beginning of the module, found '.target'");
  EXPECT_EQ(first_error(parse_text(".version 8.0\n.func f;")),
            "2:1 expected .target behind .version, found '.func'");
  EXPECT_EQ(first_error(parse_text(".version 99.1\n.target sm_80")),
            "1:10 PTX version 99.1 is not known; the newest is 9.0");
  EXPECT_EQ(first_error(parse_text(".version 8\n.target sm_80")),
            "1:10 expected a version as 8.0, found '8'");
  EXPECT_EQ(first_error(parse_text(".version 8.0\n.target sm_81")),
            "2:9 unknown target 'sm_81'; did you mean 'sm_80'?");
  EXPECT_EQ(first_error(parse_text(".version 8.0\n.target debug")), "2:14 .target names no target as sm_80");
  EXPECT_EQ(first_error(parse_text(".version 8.0\n.target sm_80, sm_90")),
            "2:16 a second target; a module is of one");
  EXPECT_EQ(first_error(parse_text(".version 8.0\n.target sm_80\n.address_size 48")),
            "3:15 an address size is 32 or 64, not 48");
  EXPECT_EQ(first_error(parse_text(".version 8.0\n.target sm_80\n.version 8.0")),
            "3:1 '.version' stands once, at the beginning of a module");
}

TEST(ParseVariable, SpecifiersInTheirOrders) {
  const Variable a = only_variable(parse_module(".visible .global .align 16 .v4 .f32 a[8][2];"));
  EXPECT_EQ(a.linkage, Linkage::visible);
  EXPECT_EQ(a.space, StateSpace::global);
  EXPECT_EQ(a.align, 16u);
  EXPECT_EQ(a.vector, 4u);
  EXPECT_EQ(a.type, isa::Type::f32);
  EXPECT_EQ(a.dims, (std::vector<uint64_t>{8, 2}));
  EXPECT_EQ(only_variable(parse_module(".align 16 .global .b8 a[8];")).align, 16u);
  EXPECT_TRUE(only_variable(parse_module(".global .attribute(.managed) .align 4 .u32 a;")).managed);
  EXPECT_TRUE(only_variable(parse_module(".attribute(.managed) .global .u32 a;")).managed);
  EXPECT_EQ(only_variable(parse_module(".global .attribute(.managed, .unified(19, 95)) .u32 a;")).unified,
            (std::vector<uint64_t>{19, 95}));
  EXPECT_EQ(only_variable(parse_module(".const[3] .u32 a;")).bank, 3);
  EXPECT_EQ(only_variable(parse_module(".const .u32 a;")).bank, Variable::no_bank);
  EXPECT_EQ(only_variable(parse_module(".tex .u32 a;")).space, StateSpace::tex);
  EXPECT_EQ(only_variable(parse_module(".common .global .u32 a;")).linkage, Linkage::common);
  EXPECT_EQ(only_variable(parse_module(".extern .shared .align 8 .b8 a[];")).dims,
            (std::vector<uint64_t>{0}));
  EXPECT_EQ(only_variable(parse_module(".weak .const .u32 a;")).linkage, Linkage::weak);
}

TEST(ParseVariable, SeveralNamesAndRanges) {
  const Parsed parsed = parse_module(".reg .b32 a, %r<100>, b; .global .u32 x = 1, y[2] = {2, 3};");
  ASSERT_TRUE(parsed.errors.empty()) << parsed.rendered;
  ASSERT_EQ(parsed.module.variables.size(), 5u);
  EXPECT_EQ(parsed.module.variables[1].range, 100u);
  EXPECT_EQ(parsed.module.text(parsed.module.variables[1].name), "%r");
  EXPECT_EQ(parsed.module.variables[4].init.size(), 4u);
  EXPECT_TRUE(parse_module(".reg .b32 %r<0>;").module.variables.empty());  // declares no name
}

TEST(ParseVariable, SizesAreConstantExpressions) {
  EXPECT_EQ(only_variable(parse_module(".global .u32 a[WARP_SZ*2][(1<<3)+(4>2?1:0)];")).dims,
            (std::vector<uint64_t>{64, 9}));
}

TEST(ParseVariable, Initializers) {
  using Kind = Initializer::Kind;
  const auto kinds = [](const std::string& text) {
    std::vector<Kind> out;
    for (const Initializer& piece : only_variable(parse_module(text)).init) out.push_back(piece.kind);
    return out;
  };
  EXPECT_EQ(kinds(".global .u32 a[][2] = {{1,2},{3}};"),
            (std::vector{Kind::open, Kind::open, Kind::integer, Kind::integer, Kind::close, Kind::open,
                         Kind::integer, Kind::close, Kind::close}));
  EXPECT_EQ(kinds(".global .f32 a[3] = {1.5, 0f3F800000, -2.0};"),
            (std::vector{Kind::open, Kind::float64, Kind::float32, Kind::float64, Kind::close}));
  EXPECT_EQ(kinds(".global .u32 a[2] = {};"), (std::vector{Kind::open, Kind::close}));
  const Variable symbols =
      only_variable(parse_module(".global .u64 a[4] = {x, x+8, generic(x), generic(x)+-4};"));
  EXPECT_EQ(symbols.init[1].kind, Kind::symbol);
  EXPECT_EQ(symbols.init[2].value, 8u);
  EXPECT_EQ(symbols.init[3].kind, Kind::generic_symbol);
  EXPECT_EQ(static_cast<int64_t>(symbols.init[4].value), -4);
  const Variable masks = only_variable(
      parse_module(".global .u8 a[3] = {0xff(x), 0xFF00(x+4), 0xFF00000000000000(generic(x))};"));
  EXPECT_EQ(masks.init[1].mask, 0xffu);
  EXPECT_EQ(masks.init[2].mask, 0xff00u);
  EXPECT_EQ(masks.init[2].value, 4u);
  EXPECT_EQ(masks.init[3].mask, 0xff00000000000000u);
  EXPECT_EQ(masks.init[3].kind, Kind::generic_symbol);
  EXPECT_EQ(only_variable(parse_module(".global .s32 a = -1+WARP_SZ;")).init[0].value, 31u);
}

TEST(ParseVariable, FieldsOfTexturesAndSamplers) {
  const Variable a = only_variable(
      parse_module(".global .samplerref s = { addr_mode_0 = clamp_to_border, filter_mode = nearest };"));
  ASSERT_EQ(a.fields.size(), 2u);
  EXPECT_EQ(a.fields[0], (std::pair<std::string, std::string>("addr_mode_0", "clamp_to_border")));
  EXPECT_EQ(only_variable(parse_module(".global .texref t = {width = 0x10};")).fields[0].second, "16");
  EXPECT_TRUE(only_variable(parse_module(".global .surfref t[4];")).fields.empty());
}

TEST(ParseVariable, MistakesAreNamed) {
  const auto error = [](const std::string& text) {
    return first_error(parse_text(testing::header() + text));
  };
  EXPECT_EQ(error(".global .q32 a;"), "4:9 '.q32' is no type; did you mean '.b32'?");
  EXPECT_EQ(error(".align 4 .u32 a;"), "4:10 a state space is missing before the type");
  EXPECT_EQ(error(".global .shared .u32 a;"), "4:9 a second state space");
  EXPECT_EQ(error(".global .align 3 .u32 a;"), "4:16 an alignment is a power of two, not 3");
  EXPECT_EQ(error(".global .u32 a[-1];"), "4:16 the size of an array is -1, it must not be negative");
  EXPECT_EQ(error(".global .u32 a[0];"), "4:15 the size of an array is 0");
  EXPECT_EQ(error(".global .u32 a[2][];"), "4:18 only the first dimension may be without a size");
  EXPECT_EQ(error(".global .b8 a[1099511627776][2];"), "4:29 an array of more than 1099511627776 elements");
  EXPECT_EQ(error(".reg .b32 %r<4294967296>;"),
            "4:14 the number of names is 4294967296, the largest possible is 1048576");
  EXPECT_EQ(error(".global .u32 a"), "4:15 expected ';' behind a declaration, found the end of the file");
  EXPECT_EQ(error(".global .u32 a = {1,};"), "4:21 expected a constant or the name of a variable, found '}'");
  EXPECT_EQ(error(".global .u64 a = b-4;"), "4:19 an offset is added with '+': write name+-4");
  EXPECT_EQ(error(".global .u64 a = 1.5*2;"),
            "4:21 an integer and a floating-point number do not mix in a constant expression");
  EXPECT_EQ(error(".const[11] .u32 a;"), "4:8 a constant bank is 11, the largest possible is 10");
  EXPECT_EQ(error(".global .u32 _;"), "4:14 '_' is no name of a variable");
  EXPECT_EQ(error(".global .v8 .f32 a;"), "4:9 '.v8' is no type; did you mean '.b8'?");
  EXPECT_EQ(error(".global .u32 WARP_SZ;"), "4:14 WARP_SZ is a constant, it names nothing else");
  EXPECT_NE(error(".global .u32 a = " + std::string(100, '{')).find("nested lists"), std::string::npos);
}

TEST(ParseFunction, KernelsWithEveryKindOfParameter) {
  const Parsed parsed = parse_module(
      ".visible .entry k(.param .u32 a, .param .u64 .ptr .global .align 8 b, .param .u64 .ptr c,\n"
      "  .param .align 16 .b8 d[32], .param .texref t) .maxntid 16, 8 .minnctapersm 2 .pragma \"nounroll\"; "
      "{ ret; }");
  const Function k = only_function(parsed);
  EXPECT_TRUE(k.entry);
  EXPECT_TRUE(k.has_body);
  ASSERT_EQ(k.signature.params.size(), 5u);
  EXPECT_TRUE(k.signature.params[1].pointer);
  EXPECT_EQ(k.signature.params[1].pointee, StateSpace::global);
  EXPECT_EQ(k.signature.params[1].pointee_align, 8u);
  EXPECT_EQ(k.signature.params[2].pointee, StateSpace::reg);
  EXPECT_EQ(k.signature.params[3].align, 16u);
  EXPECT_EQ(k.signature.params[4].type, isa::Type::texref);
  ASSERT_EQ(k.directives.size(), 2u);
  EXPECT_EQ(k.directives[0].directive, isa::Directive::maxntid);
  EXPECT_EQ(k.directives[0].values, (std::vector<uint64_t>{16, 8}));
  ASSERT_EQ(k.pragmas.size(), 1u);
  EXPECT_EQ(parsed.module.strings[k.pragmas[0]], "nounroll");
}

TEST(ParseFunction, KernelsWithoutAParameterList) {
  EXPECT_TRUE(only_function(parse_module(".entry k { exit; }")).has_body);
  EXPECT_FALSE(only_function(parse_module(".extern .entry k();")).has_body);
}

TEST(ParseFunction, EveryPerformanceDirective) {
  const Parsed parsed = parse_module(
      ".entry k() .maxnreg 32 .maxntid 1,2,3 .reqntid 4 .minnctapersm 5 .maxnctapersm 6 .reqnctapercluster "
      "2,1,1\n"
      ".maxclusterrank 8 .explicitcluster .blocksareclusters { exit; }");
  const Function k = only_function(parsed);
  std::vector<std::string> seen;
  for (const PerformanceDirective& d : k.directives) {
    seen.push_back(std::string(isa::info(d.directive).name) + ' ' + std::to_string(d.values.size()));
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"maxnreg 1", "maxntid 3", "reqntid 1", "minnctapersm 1",
                                            "maxnctapersm 1", "reqnctapercluster 3", "maxclusterrank 1",
                                            "explicitcluster 0", "blocksareclusters 0"}));
}

TEST(ParseFunction, FunctionsWithResults) {
  const Function& f =
      only_function(parse_module(".visible .func .attribute(.unified(1,2)) (.reg .u32 r, .reg .pred p) "
                                 "f(.reg .v4 .f32 a, .param .align 8 .b8 b[16])\n"
                                 ".noreturn .abi_preserve 4 .abi_preserve_control 2 { ret; }"));
  EXPECT_EQ(f.signature.results.size(), 2u);
  EXPECT_EQ(f.signature.params.size(), 2u);
  EXPECT_EQ(f.unified, (std::vector<uint64_t>{1, 2}));
  EXPECT_TRUE(f.signature.noreturn);
  EXPECT_EQ(f.signature.abi_preserve, 4u);
  EXPECT_EQ(f.signature.abi_preserve_control, 2u);
  EXPECT_FALSE(f.signature.variadic);
}

TEST(ParseFunction, DeclarationsEndWithASemicolonOrWithout) {
  const Parsed parsed = parse_module(
      ".extern .func (.param .b32 func_retval0) vprintf\n(\n.param .b64 a,\n.param .b64 b\n)\n;\n"
      ".func g\n.func h(.param .align 4 .b8 rest[])\n.extern .func n() .noreturn;");
  ASSERT_TRUE(parsed.errors.empty()) << parsed.rendered;
  ASSERT_EQ(parsed.module.functions.size(), 4u);
  EXPECT_FALSE(parsed.module.functions[0].has_body);
  EXPECT_TRUE(parsed.module.functions[2].signature.variadic);
  EXPECT_TRUE(parsed.module.functions[3].signature.noreturn);
}

TEST(ParseFunction, ADeclarationInsideABodyBelongsToTheModule) {
  const Parsed parsed = parse_module(".func f() { .visible .func g(.param .b32 a); ret; }");
  ASSERT_TRUE(parsed.errors.empty()) << parsed.rendered;
  ASSERT_EQ(parsed.module.functions.size(), 2u);
  EXPECT_EQ(parsed.module.text(parsed.module.functions[0].name), "g");
  EXPECT_EQ(parsed.module.functions[1].body.size(), 1u);
}

TEST(ParseFunction, MistakesAreNamed) {
  const auto error = [](const std::string& text) {
    return first_error(parse_text(testing::header() + text));
  };
  EXPECT_EQ(error(".entry k() .maxntid 1,2,3,4 {}"), "4:12 '.maxntid' takes at most 3 values");
  EXPECT_EQ(error(".entry k() .maxntdi 1 {}"),
            "4:12 '.maxntdi' may not stand between the parameters and the body of a kernel; did you mean "
            "'.maxntid'?");
  EXPECT_EQ(error(".func f() .maxnreg 32 {}"),
            "4:11 '.maxnreg' may not stand between the parameters and the body of a function");
  EXPECT_EQ(error(".entry k(.param .u32 a,) {}"), "4:24 expected a type, found ')'");
  EXPECT_EQ(error(".entry k(.param .u32) {}"), "4:21 expected the name of a variable, found ')'");
  EXPECT_EQ(error(".entry k(.global .u32 a) {}"), "4:23 a parameter is of space .param or .reg");
  EXPECT_EQ(error(".func f() { .func g() {} }"), "4:23 a function inside of a function may only be declared");
  EXPECT_EQ(error(".common .func f();"), "4:9 .common is for variables in .global");
  EXPECT_EQ(error(".entry k() .noreturn {}"),
            "4:12 '.noreturn' may not stand between the parameters and the body of a kernel");
  EXPECT_EQ(error(".func f() { .visible .global .u32 a; }"),
            "4:22 expected .func; variables of a body have no linkage, found '.global'");
  EXPECT_EQ(error(".visble .func f();"), "4:1 unknown directive '.visble'; did you mean '.visible'?");
  EXPECT_EQ(error(".maxnreg 32"), "4:1 '.maxnreg' may not stand at module level here");
  EXPECT_EQ(error("garbage"), "4:1 expected a directive, found 'garbage'");
  EXPECT_EQ(error(".func f() x"), "4:11 expected '{' or ';' behind the header of a function, found 'x'");
}

TEST(ParseDebug, FilesAliasesAndPragmas) {
  const Parsed parsed = parse_module(
      ".file 1 \"C:\\a.cu\", 1700000000, 4321 .file 2 \"b.cu\"\n.func f(); .func g(){ret;} .alias f, "
      "g;\n.pragma \"a\", \"b\";");
  ASSERT_TRUE(parsed.errors.empty()) << parsed.rendered;
  ASSERT_EQ(parsed.module.files.size(), 2u);
  EXPECT_EQ(parsed.module.files[0], (FileEntry{1, "C:\\a.cu", 1700000000, 4321}));
  EXPECT_EQ(parsed.module.text(parsed.module.aliases.at(0).aliasee), "g");
  EXPECT_EQ(parsed.module.strings, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parsed.module.order.size(), 7u);
}

TEST(ParseDebug, Sections) {
  const Parsed parsed = parse_module(
      ".section .debug_info\n{\nstart:\n.b32 end-start\n.b8 1,2,-1,255\n.b64 start+16\n.b32 "
      ".debug_abbrev\n.b32 .debug_str+7\nend:\n}\n"
      ".section .nv_debug_ptx.1 { }");
  ASSERT_TRUE(parsed.errors.empty()) << parsed.rendered;
  ASSERT_EQ(parsed.module.sections.size(), 2u);
  const Section& info = parsed.module.sections[0];
  EXPECT_EQ(info.name, ".debug_info");
  ASSERT_EQ(info.items.size(), 7u);
  ASSERT_EQ(info.values.size(), 8u);
  EXPECT_EQ(parsed.module.text(info.values[0].symbol), "end");
  EXPECT_EQ(parsed.module.text(info.values[0].minus), "start");
  EXPECT_EQ(info.values[3].number, 255u);
  EXPECT_EQ(info.values[5].number, 16u);
  EXPECT_EQ(parsed.module.text(info.values[7].symbol), ".debug_str");
  EXPECT_EQ(info.values[7].number, 7u);
  EXPECT_EQ(parsed.module.sections[1].name, ".nv_debug_ptx.1");
}

TEST(ParseDebug, SectionValuesMustFit) {
  const auto error = [](const std::string& text) {
    return first_error(parse_text(testing::header() + text));
  };
  EXPECT_EQ(error(".section .d { .b8 256 }"), "4:19 this number does not fit in 8 bits");
  EXPECT_EQ(error(".section .d { .b8 -129 }"), "4:19 this number does not fit in 8 bits");
  EXPECT_EQ(error(".section .d { .b32 4294967296 }"), "4:20 this number does not fit in 32 bits");
  EXPECT_EQ(error(".section .d { .u8 1 }"),
            "4:15 expected .b8, .b16, .b32, .b64, a label or '}', found '.u8'");
  EXPECT_EQ(error(".section d { }"),
            "4:10 expected the name of a section, which begins with a dot, found 'd'");
}

TEST(ParseDebug, OldDwarfLines) {
  const Parsed parsed = parse_text(
      ".version 1.4\n.target sm_13\n@@DWARF .section .debug_info, \"\", @progbits\n@@DWARF .byte 0x02, 0x01\n"
      "@@DWARF Lbegin:\n@@DWARF .4byte Lbegin\n@@DWARF .quad 0x1122334455667788\n@@DWARF .section "
      ".debug_line\n");
  ASSERT_TRUE(parsed.errors.empty()) << parsed.rendered;
  ASSERT_EQ(parsed.module.sections.size(), 2u);
  EXPECT_TRUE(parsed.module.sections[0].old_style);
  EXPECT_EQ(parsed.module.sections[0].attributes, "\"\", @progbits");
  EXPECT_EQ(parsed.module.sections[0].items.size(), 4u);
  EXPECT_EQ(parsed.module.sections[0].values[3].number, 0x1122334455667788u);
  EXPECT_EQ(first_error(parse_text(".version 1.4\n.target sm_13\n@@DWARF .byte 1")),
            "3:9 expected .section, since no section is open, found '.byte'");
}

TEST(ParseRecovery, EveryMistakeOfAModuleIsReported) {
  const Parsed parsed = parse_text(
      ".version 8.0\n.target sm_80\n.address_size 64\n.global .q32 a;\n.global .u32 b\n.visible .func f() { "
      "ret; }\n"
      ".alias x y;\n.global .u32 d[2] = {1,2;\n.global .u32 e;\n.entry k(.param u32 a) { add.s32 a, b, c; "
      "ret; }\n.visble .global .u32 g;\n.global .u32 h;");
  EXPECT_EQ(parsed.errors, (std::vector<std::string>{
                               "4:9 '.q32' is no type; did you mean '.b32'?",
                               "5:15 expected ';' behind a declaration, found '.visible'",
                               "7:9 expected ',' between the names of .alias, found 'y'",
                               "8:25 expected ',' or '}' in an initialiser, found ';'",
                               "10:17 expected a type, found 'u32'",
                               "11:1 unknown directive '.visble'; did you mean '.visible'?",
                           }))
      << parsed.rendered;
}

TEST(ParseRecovery, ItStopsAtTheLimit) {
  std::string text = testing::header();
  for (int i = 0; i < 500; ++i) text += "garbage;\n";
  EXPECT_EQ(parse_text(text, 7).errors.size(), 7u);
}

}  // namespace
}  // namespace heddle::ptx
