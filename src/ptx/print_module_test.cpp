// The canonical form of a module, and parse(print(x)) == x for whatever the repository holds.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ptx/parse_testing.h"

namespace heddle::ptx {
namespace {

using testing::expect_round_trip;
using testing::parse_text;
using testing::Parsed;

// One of everything, in the order of the manual, with odd spacing.
constexpr const char* kEverything = R"(
.version 9.0 .target sm_90a , debug .address_size 64
.file 1 "a.cu" , 17 , 4 .file 2 "b.cu"
.pragma "x" , "y" ;
.extern .shared .align 16 .b8 dynamic [ ] ;
.visible .global .attribute ( .managed , .unified ( 1 , 2 ) ) .align 8 .v2 .f32 v [ 2 ] = { { 1.0 , -2.5 } , { 0f3F800000 } } ;
.const [ 3 ] .u32 bank = 0x10 + 1 ;
.weak .const .b8 bytes [ 4 ] = { 0xFF ( v ) , 0xff00 ( generic ( v ) + 4 ) , -1 , 200U } ;
.global .u64 p [ ] = { v , v + 8 , generic ( v ) + -8 , f } ;
.global .samplerref s = { addr_mode_0 = wrap , filter_mode = linear } ;
.global .texref t ;
.extern .func ( .param .b32 r ) vprintf ( .param .b64 a , .param .b64 b ) ;
.func ( .reg .f32 r ) f ( .reg .f32 a ) .noreturn .abi_preserve 3 { ret ; }
.alias g , f ;
.visible .entry k ( .param .u64 .ptr .global .align 16 a , .param .align 4 .b8 b [ 12 ] )
.maxntid 16 , 16 .minnctapersm 2 .pragma "z" ;
{
.reg .b32 %r < 4 > ; .reg .pred p , q ;
.loc 1 2 3 .loc 1 4 5 , function_name f + 4 , inlined_at 1 2 3
L : @ ! p bra L ;
{ add.s32 %r1 , %r2 , 3 ; }
setp.eq.s32 p | q , %r1 , WARP_SZ ;
ts : .branchtargets L ;
cp : .callprototype ( .param .b32 _ ) _ ( .param .b32 _ , .param .b64 _ ) .noreturn ;
ld.global.v2.u32 { %r1 , _ } , [ %rd1 + -4 ] ;
ret ;
}
.section .debug_info { a : .b32 b-a .b8 1 , 2 .b64 .debug_str + 4 b : }
)";

constexpr const char* kCanonical = R"(.version 9.0
.target sm_90a, debug
.address_size 64

.file 1 "a.cu", 17, 4
.file 2 "b.cu"

.pragma "x";
.pragma "y";

.extern .shared .align 16 .b8 dynamic[];
.visible .global .attribute(.managed, .unified(1, 2)) .align 8 .v2 .f32 v[2] = {{0d3FF0000000000000, 0dC004000000000000}, {0f3F800000}};
.const[3] .u32 bank = 17;
.weak .const .b8 bytes[4] = {0xFF(v), 0xFF00(generic(v)+4), -1, 200U};
.global .u64 p[] = {v, v+8, generic(v)+-8, f};
.global .samplerref s = {addr_mode_0 = wrap, filter_mode = linear};
.global .texref t;

.extern .func (.param .b32 r) vprintf(
    .param .b64 a,
    .param .b64 b
);

.func (.reg .f32 r) f(.reg .f32 a) .noreturn .abi_preserve 3
{
    ret;
}

.alias g, f;

.visible .entry k(
    .param .u64 .ptr .global .align 16 a,
    .param .align 4 .b8 b[12]
)
.maxntid 16, 16
.minnctapersm 2
.pragma "z";
{
    .reg .b32 %r<4>;
    .reg .pred p;
    .reg .pred q;
    .loc 1 2 3
    .loc 1 4 5, function_name f+4, inlined_at 1 2 3
L:
    @!p bra L;
    {
        add.s32 %r1, %r2, 3;
    }
    setp.eq.s32 p|q, %r1, 32;
    ts: .branchtargets L;
    cp: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _) .noreturn;
    ld.global.v2.u32 {%r1, _}, [%rd1+-4];
    ret;
}

.section .debug_info
{
    a:
    .b32 b-a
    .b8 1, 2
    .b64 .debug_str+4
    b:
}
)";

TEST(PrintModule, HasOneCanonicalForm) {
  const Parsed parsed = parse_text(kEverything);
  ASSERT_TRUE(parsed.errors.empty()) << parsed.rendered;
  EXPECT_EQ(print(parsed.module), kCanonical);
  expect_round_trip(kEverything);
  expect_round_trip(kCanonical);
}

TEST(PrintModule, LineEndsDoNotMatter) {
  const Module one = parse_text(kEverything).module;
  std::string text;
  for (const char c : std::string_view(kEverything)) text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_TRUE(equal(one, parse_text(text).module));
  while (text.back() == '\n' || text.back() == '\r') text.pop_back();
  EXPECT_TRUE(equal(one, parse_text(text).module));
  EXPECT_TRUE(equal(one, parse_text(text + std::string(3, '\0')).module));
}

TEST(PrintModule, OldDebugLinesStayOld) {
  expect_round_trip(
      ".version 1.4\n.target sm_13\n@@DWARF .section .debug_info, \"\", @progbits\n@@DWARF .byte 0x02, 0x01\n"
      "@@DWARF L:\n@@DWARF .4byte L\n.global .u32 x;\n@@DWARF .section .debug_line\n@@DWARF .quad 1\n");
}

TEST(PrintModule, LongListsAreWrapped) {
  std::string text = ".version 8.0\n.target sm_80\n.global .b8 a[100] = {0";
  for (int i = 1; i < 100; ++i) text += "," + std::to_string(i);
  text += "};\n.section .s { .b8 0";
  for (int i = 1; i < 100; ++i) text += "," + std::to_string(i);
  expect_round_trip(text + " }");
}

TEST(PrintModule, EqualSeesEveryDifference) {
  const auto module = [](const std::string& text) { return parse_text(testing::header() + text).module; };
  const Module one = module(".global .u32 a[2] = {1, b}; .entry k() { add.s32 %r1, %r2, 5; ret; }");
  EXPECT_TRUE(equal(one, module("// c\n.global .u32 a[2]={1,b};.entry k(){add.s32 %r1,%r2,5;ret;}")));
  for (const char* other : {
           ".global .u32 a[2] = {1, c}; .entry k() { add.s32 %r1, %r2, 5; ret; }",
           ".global .u32 a[2] = {2, b}; .entry k() { add.s32 %r1, %r2, 5; ret; }",
           ".global .u32 a[3] = {1, b}; .entry k() { add.s32 %r1, %r2, 5; ret; }",
           ".global .s32 a[2] = {1, b}; .entry k() { add.s32 %r1, %r2, 5; ret; }",
           ".global .u32 a[2] = {1, b}; .entry l() { add.s32 %r1, %r2, 5; ret; }",
           ".global .u32 a[2] = {1, b}; .entry k() { sub.s32 %r1, %r2, 5; ret; }",
           ".global .u32 a[2] = {1, b}; .entry k() { add.s32 %r1, %r3, 5; ret; }",
           ".global .u32 a[2] = {1, b}; .entry k() { add.s32 %r1, %r2, 5U; ret; }",
           ".global .u32 a[2] = {1, b}; .entry k() { add.s32 %r1, %r2, 5; @p ret; }",
           ".entry k() { add.s32 %r1, %r2, 5; ret; } .global .u32 a[2] = {1, b};",
       }) {
    EXPECT_FALSE(equal(one, module(other))) << other;
  }
}

void round_trip_files(const std::filesystem::path& root) {
  if (!std::filesystem::exists(root)) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".ptx") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (parse_text(text).errors.empty()) expect_round_trip(text, entry.path().string());
  }
}

TEST(PrintModule, WhateverTheRepositoryHoldsRoundTrips) {
  round_trip_files(HEDDLE_SOURCE_DIR "/tests");
  round_trip_files(HEDDLE_GENERATED_DIR);
}

}  // namespace
}  // namespace heddle::ptx
