// Every rule of the verifier: text that keeps it, text that does not, and what is said.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ptx/parse.h"
#include "ptx/verify/checks.h"

namespace heddle::ptx {
namespace {

struct Verdict {
  std::vector<std::string> errors;  // without places
  std::vector<std::string> rules;
  std::size_t notes = 0;
  std::string rendered;
};

Verdict verdict_of(std::string text) {
  auto source = std::make_shared<const SourceText>("v.ptx", std::move(text));
  Diagnostics diagnostics;
  read(source, diagnostics);
  Verdict out;
  out.rendered = diagnostics.render(*source);
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Severity::error) continue;
    out.errors.push_back(d.message);
    out.rules.push_back(d.rule);
    out.notes += d.notes.size();
  }
  return out;
}

// In a kernel with registers of every type and variables in every space.
std::string in_kernel(const std::string& body, const std::string& header) {
  return header + R"(
.address_size 64
.global .align 128 .b8 g[256]; .const .align 16 .b8 c[256]; .shared .align 128 .b8 s[256];
.global .texref tx; .global .surfref sf;
.func (.reg .b32 r) in_registers(.reg .b32 a, .reg .b64 b) { ret; }
.func (.param .b32 r) in_memory(.param .b32 a, .param .align 8 .b8 b[16]) { ret; }
.func plain() { ret; }
.visible .entry k(.param .align 8 .b8 p[64]) {
.local .align 16 .b8 l[64];
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %e<9>;
.reg .u32 %u<9>; .reg .f16 %k<9>; .reg .f16x2 %x<9>; .reg .v2 .f32 %v; .reg .v4 .f32 %w;
)" + body +
         "\nret;\n}\n";
}

constexpr const char* hopper = ".version 9.0\n.target sm_90a";

void good(const std::string& body, const std::string& header = hopper) {
  const Verdict verdict = verdict_of(in_kernel(body, header));
  EXPECT_TRUE(verdict.errors.empty()) << body << '\n' << verdict.rendered;
}

void bad(const std::string& body, const std::string& message, const std::string& header = hopper) {
  const Verdict verdict = verdict_of(in_kernel(body, header));
  ASSERT_EQ(verdict.errors.size(), 1u) << body << '\n' << verdict.rendered;
  EXPECT_NE(verdict.errors[0].find(message), std::string::npos) << body << '\n' << verdict.rendered;
  EXPECT_TRUE(verdict.rules[0].starts_with("PTX ISA ")) << body << '\n' << verdict.rendered;
}

void good_module(const std::string& text, const std::string& header = hopper) {
  const Verdict verdict = verdict_of(header + "\n.address_size 64\n" + text);
  EXPECT_TRUE(verdict.errors.empty()) << text << '\n' << verdict.rendered;
}

void bad_module(const std::string& text, const std::string& message, const std::string& header = hopper) {
  const Verdict verdict = verdict_of(header + "\n.address_size 64\n" + text);
  ASSERT_EQ(verdict.errors.size(), 1u) << text << '\n' << verdict.rendered;
  EXPECT_NE(verdict.errors[0].find(message), std::string::npos) << text << '\n' << verdict.rendered;
}

TEST(Verify, EveryCheckOfTheRecordsIsKnown) {
  for (const isa::FormInfo& form : isa::all_forms())
    if (!form.check.empty()) EXPECT_TRUE(is_check(form.check)) << form.id << ": " << form.check;
  EXPECT_FALSE(is_check("no_such_check"));
  EXPECT_FALSE(is_check(""));
}

TEST(Verify, NamesAreDeclared) {
  good("mov.u32 %r1, %r8;");
  bad("mov.u32 %r1, %r9;", "'%r9' is not declared");
  bad("mov.u32 %z, 1;", "'%z' is not declared");
  bad("bra nowhere;", "'nowhere' is not declared; 'bra' takes a label");
  bad("bra g;", "'g' is a variable; 'bra' takes a label");
  bad("@%q mov.u32 %r1, 1;", "guard '%q' is not declared");
  bad("@%r1 mov.u32 %r1, 1;", "guard '%r1' is no .pred register");
}

TEST(Verify, RangesOfRegistersAreNotTheNameItself) {
  good(".reg .f32 %r; mov.f32 %r, 0f00000000; mov.u32 %r1, 1;");
  bad(".reg .b32 %r3;", "'%r3' is declared twice");
  bad(".reg .b32 %r<3>;", "'%r' is declared twice");
  good(".reg .b32 %r12;");
  good(".reg .b32 n<15>; .reg .b32 n1<5>; mov.b32 n14, n1;");
  bad("mov.u32 %r, 1;", "'%r' is not declared");
}

TEST(Verify, ScopesNest) {
  good("{ .reg .f32 %r1; mov.f32 %r1, 0f00000000; } mov.u32 %r1, 1;");
  good("{ .reg .f32 %r<3>; mov.f32 %r1, 0f00000000; mov.u32 %r5, 1; } mov.u32 %r1, 1;");
  bad("{ .reg .b32 inner; } mov.u32 inner, 1;", "'inner' is not declared");
  bad("bra inside; { inside: }", "'inside' is not declared");
  good("{ bra outside; } outside:");
  bad(".reg .b32 p;", "'p' is declared twice");
  bad("twice: twice:", "'twice' is declared twice");
  good("once: { once: }");
}

TEST(Verify, TypesOfRegisters) {
  good("add.s32 %r1, %u2, %r3;");
  bad("add.s32 %f1, %r2, %r3;", "'add.s32' takes .s32 for 'd', '%f1' is .f32");
  bad("add.s32 %r1, %d2, %r3;", "'add.s32' takes .s32 for 'a', '%d2' is .b64");
  good("and.b32 %f1, %f2, %x3;");
  good("add.f32 %r1, %f2, %f3;");
  bad("add.f32 %u1, %f2, %f3;", "takes .f32 for 'd', '%u1' is .u32");
  bad("setp.eq.s32 %r1, %r2, %r3;", "takes .pred for 'p', '%r1' is .b32");
  good("fma.rn.f16x2 %x1, %r2, %r3, %r4;");
  bad("fma.rn.f16x2 %f1, %r2, %r3, %r4;", "takes .f16x2 for 'd', '%f1' is .f32");
  bad("fma.rn.bf16x2 %x1, %r2, %r3, %r4;", "takes .bf16x2 for 'd', '%x1' is .f16x2");
  bad("fma.rn.bf16 %k1, %h2, %h3, %h4;", "takes .bf16 for 'd', '%k1' is .f16");
}

TEST(Verify, WiderRegistersOfLoadsStoresAndConversions) {
  good("ld.global.u8 %d1, [g]; ld.global.b8 %e1, [g]; ld.global.f32 %d1, [g]; st.global.u8 [g], %r1;");
  good("cvt.u8.u32 %r1, %r2; cvt.u32.u16 %r1, %d2; cvt.rn.f16.f32 %r1, %f1;");
  bad("ld.global.u32 %h1, [g];", "takes .u32 for 'd', '%h1' is .b16");
  bad("ld.global.u8 %f1, [g];", "takes .u8 for 'd', '%f1' is .f32");
  bad("ld.global.f32 %e1, [g];", "takes .f32 for 'd', '%e1' is .f64");
  bad("ld.global.f32 %u1, [g];", "takes .f32 for 'd', '%u1' is .u32");
  bad("st.global.u32 [g], %f1;", "takes .u32 for 'b', '%f1' is .f32");
  bad("cvt.rn.bf16.f32 %k1, %f1;", "takes .bf16 for 'd', '%k1' is .f16");
}

TEST(Verify, Constants) {
  good("add.f32 %f1, %f2, 1.0; mov.b32 %r1, 0f3F800000; mov.b64 %d1, 1.5; add.s32 %r1, %r2, -5;");
  bad("add.f32 %f1, %f2, 1;", "not an integer constant");
  bad("add.s32 %r1, %r2, 1.0;", "not a floating-point constant");
  bad("mov.b32 %r1, 1.5;", "not a floating-point constant of 64 bits");
  bad("mov.b64 %d1, 0f3F800000;", "not a floating-point constant of 32 bits");
  bad("mov.b16 %h1, 0f3F800000;", "not a floating-point constant of 32 bits");
  bad("lop3.b32 %r1, %r2, %r3, %r4, %r5;", "constant");
  good("bfi.b32 %r1, %r2, %r3, 255, %r4; pmevent 15;");
  bad("bfi.b32 %r1, %r2, %r3, 300, 8;", "is 300; allowed: 0 to 255");
  bad("bfe.u32 %r1, %r2, 0, -1;", "is -1; allowed: 0 to 255");
  bad("pmevent 16;", "is 16; allowed: 0 to 15");
  bad("bar.sync 16;", "is 16; allowed: 0 to 15");
}

TEST(Verify, SpecialRegisters) {
  good("mov.u32 %r1, %tid.x; mov.u16 %h1, %tid.x; mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;");
  good("mov.b32 %f1, %laneid; cvt.u64.u32 %d1, %tid.x; cvt.u32.u16 %r1, %tid.y; mov.u64 %d1, %clock64;");
  good("mov.pred %p1, %is_explicit_cluster; mov.u32 %r1, WARP_SZ;");
  bad("mov.u32 %tid.x, %r1;", "special register '%tid' cannot be written");
  bad("add.u32 %r1, %tid.x, 1;", "'add.u32' cannot read special register '%tid'");
  bad("mov.u32 %r1, %tid;", "special register '%tid' has 4 parts; name one of them");
  bad("mov.v2.u32 {%r1, %r2}, %tid;", "special register '%tid' has 4 parts");
  bad("mov.u32 %r1, %laneid.x;", "special register '%laneid' has no parts");
  bad("mov.u64 %d1, %tid.x;", "special register '%tid' is .u32, 'mov.u64' reads .u64");
  bad("mov.u16 %h1, %laneid;", "special register '%laneid' is .u32, 'mov.u16' reads .u16");
  bad("mov.u32 %r1, %clock64;", "special register '%clock64' is .u64, 'mov.u32' reads .u32");
  bad("mov.f32 %f1, %laneid;", "special register '%laneid' is .u32, 'mov.f32' reads .f32");
  bad("mov.u32 %r1, %cluster_ctaid.x;", "special register '%cluster_ctaid' needs sm_90 or later",
      ".version 9.0\n.target sm_80");
}

TEST(Verify, AddressesAndSpaces) {
  good(
      "ld.global.u32 %r1, [g+4]; ld.u32 %r1, [s]; ld.u32 %r1, [l]; ld.u32 %r1, "
      "[%d1];");
  bad("ld.global.u32 %r1, [s];", "accesses .global, 's' is in another state space");
  bad("ld.local.u32 %r1, [p];", "accesses .local, 'p' is in another state space");
  bad("ld.param.u32 %r1, [g];", "accesses .param, 'g' is in another state space");
  bad("ld.u32 %r1, [c];", "takes a generic address; 'c' in .const has one by cvta only");
  bad("ld.u32 %r1, [p];", "takes a generic address; 'p' in .param");
  bad("ld.global.u32 %r1, [%f1];", "'%f1' is .f32; an address register is an integer");
  bad("ld.global.u32 %r1, [k];", "'k' is a function, not an address");
  bad("ld.global.u32 %r1, [no];", "'no' is not declared");
  good("cvta.shared.u64 %d1, s; cvta.param.u64 %d1, p; mov.u64 %d1, g; mov.u64 %d1, plain;");
  bad("cvta.shared.u64 %d1, g;", "takes an address in .shared, 'g' is in another state space");
  bad("cvta.local.u64 %d1, p;", "takes an address in .local, 'p' is in another state space");
  bad("mov.f64 %e1, g;", "the address 'g' is no .f64");
  bad("add.u64 %d1, g, 4;", "'g' is a variable; 'add.u64' takes");
}

TEST(Verify, Vectors) {
  good(
      "ld.global.v2.f32 %v, [g]; mov.f32 %f1, %v.y; mov.b64 %d1, %v; ld.global.v4.f32 {%f1, %f2, _, _}, "
      "[g];");
  bad("ld.global.v4.f32 %v, [g];", "'%v' is a vector of 2");
  bad("ld.global.v2.f32 %f1, [g];", "takes a vector of 2 elements, '%f1' is a single register");
  bad("ld.global.f32 %v, [g];", "'%v' is a vector of 2");
  bad("add.f32 %v, %f1, %f2;", "'%v' is a vector of 2; 'add.f32' takes a register");
  bad("mov.f32 %f1, %f2.x;", "'%f2' is no vector and has no '.x'");
  bad("ld.global.v2.b32 {%r1, %d2}, [g];", "the registers of a vector are of one size; '%d2' has 64 bits");
  bad("mov.b64 %d1, {%r1, %h2};", "'%h2' is .b16");
  // Each agrees with its neighbour; untyped ones with any.
  bad("st.global.v2.b32 [g], {%f1, %u1};",
      "the elements of a vector are of one type; '%u1' is .u32, the one before it .f32");
  good("st.global.v4.b32 [g], {%f1, %r1, %u1, %r2};");
  good("mov.b64 %d1, {%u1, %r1};");
}

TEST(Verify, Needs) {
  const std::string before = ".version 9.0\n.target sm_35";
  bad("atom.relaxed.global.add.u32 %r1, [g], %r2;", "'.relaxed' in 'atom.relaxed.global.add.u32' needs sm_70",
      before);
  bad("red.release.global.max.u64 [g], %d1;", "'.release' in 'red.release.global.max.u64' needs sm_70",
      before);
  bad("atom.sys.global.add.u32 %r1, [g], %r2;", "'.sys' in 'atom.sys.global.add.u32' needs sm_60", before);
  bad("st.weak.global.u32 [g], %r1;", "'.weak' in 'st.weak.global.u32' needs sm_70", before);
  bad("vadd2.u32.u32.u32 %r1, %r2, %r3, 5;", "operand 'c' of 'vadd2.u32.u32.u32' must be a register");
  bad("add.rn.bf16 %h1, %h2, %h3;", "needs sm_90 or later", ".version 9.0\n.target sm_80");
  bad("redux.sync.add.s32 %r1, %r2, -1;", "needs PTX 7.0, this module is PTX 6.5",
      ".version 6.5\n.target sm_75");
  bad_module(".entry k() { ret; }", "target sm_90a needs PTX 8.0, this module is PTX 7.0",
             ".version 7.0\n.target sm_90a");
}

TEST(Verify, Calls) {
  good("call (%r1), in_registers, (%r2, %d1); call (_), in_registers, (1, 2); call plain;");
  good("{ .param .b32 a, r; .param .align 8 .b8 b[16]; call (r), in_memory, (a, b); }");
  bad("call (%r1), in_registers, (%r2);", "has 1 argument, 2 are declared");
  bad("call in_registers, (%r2, %d1);", "takes no result, 1 are declared");
  bad("call (%r1), in_registers;", "has no arguments");
  bad("call (%h1), in_registers, (%r2, %d1);", "result '%h1' has 16 bits, 'in_registers' declares 32");
  bad("call (%r1), in_registers, (%r2, %r3);", "argument '%r3' has 32 bits, 'in_registers' declares 64");
  bad("call (%r1), nobody, (1);", "'nobody' is not declared");
  bad("call k, (p);", "'k' is a kernel; kernels cannot be called");
  bad("{ .param .b32 a, r; .param .align 8 .b8 b[8]; call (r), in_memory, (a, b); }",
      "argument 'b' has 8 bytes, 'in_memory' declares 16");
  bad("{ .param .b32 a, r; .param .align 4 .b8 b[16]; call (r), in_memory, (a, b); }",
      "argument 'b' has alignment 4, 'in_memory' declares 8");
  bad("{ .param .align 4 .b8 a[4]; .param .b32 r; .param .align 8 .b8 b[16]; call (r), in_memory, (a, b); }",
      "argument 'a' is an array, 'in_memory' declares none");
  bad("{ .param .b32 r; .param .align 8 .b8 b[16]; call (r), in_memory, (g, b); }",
      "argument 'g' is neither a register nor in .param");
  good("P: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%r1), %d1, (%r2), P;");
  bad("P: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%r1), %d1, (%r2, %r3), P;",
      "has 2 arguments, 1 are declared");
  bad("P: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%r1), %e1, (%r2), P;",
      "takes an address in an integer register, '%e1' is .f64");
  bad("call (%r1), %d1, (%r2), k;", "an indirect call takes a prototype");
}

TEST(Verify, Branches) {
  good("T: .branchtargets A, B; brx.idx %r1, T; A: B:");
  bad("T: .branchtargets A, B; brx.idx %r1, T; A:", "'B' is not declared; the list takes labels");
  bad("A: brx.idx %r1, A;", "'A' is a label; 'brx.idx' takes a list of branch targets");
  bad("C: .calltargets none; call (%r1), %d1, (%r2), C;", "'none' is not declared; the list takes functions");
}

TEST(Verify, InputParametersAreReadOnly) {
  bad("st.param.u32 [p], 1;", "writes 'p', an input parameter of 'k'");
  good("{ .param .b32 a; st.param.b32 [a], 1; }");
  good_module(".func (.param .b32 r) f() { st.param.b32 [r], 1; ret; }");
}

// ---- named checks
constexpr const char* blackwell = ".version 9.0\n.target sm_100a";

TEST(VerifyLoadStore, Widths) {
  good("ld.global.v4.b64 {%d1, %d2, %d3, %d4}, [g];", blackwell);
  good("ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [g];", blackwell);
  bad("ld.global.v4.b64 {%d1, %d2, %d3, %d4}, [g];", "an access of 256 bits needs sm_100");
  bad("ld.shared.v4.b64 {%d1, %d2, %d3, %d4}, [s];",
      "goes with .global or no state space, not with '.shared'", blackwell);
  bad("ldu.global.v4.b64 {%d1, %d2, %d3, %d4}, [g];", "accesses 256 bits, the limit is 128", blackwell);
  bad("ld.global.v8.b64 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, [g];", "accesses 512 bits", blackwell);
  bad("ld.global.v8.b16 {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}, [g];", ".v8 is for elements of 32 bits",
      blackwell);
}

TEST(VerifyLoadStore, WordsOfGlobalMemory) {
  good("ld.global.L2::128B.b32 %r1, [g]; ld.L1::evict_last.b32 %r1, [g]; ld.volatile.shared.b32 %r1, [s];");
  bad("ld.shared.L2::128B.b32 %r1, [s];", "'.L2::128B' goes with .global or no state space");
  bad("ld.shared.L1::evict_last.b32 %r1, [s];", "'.L1::evict_last' goes with .global");
  bad("ld.volatile.const.b32 %r1, [c];", "'.volatile' goes with .global, .shared or no state space");
  bad("ld.relaxed.sys.local.b32 %r1, [l];", "'.relaxed' goes with .global, .shared or no state space");
  bad("ld.shared.b32 %r1, [%d1].unified;", "'.unified' goes with .global");
  bad("ld.global.L2::evict_last.b32 %r1, [g];", "'.L2::evict_last' goes with accesses of 256 bits only",
      blackwell);
}

TEST(VerifyLoadStore, Sinks) {
  good("ld.global.v2.b32 {_, %r1}, [g];");
  bad("ld.global.b32 _, [g];", "needs a register for 'd', not '_'");
  bad("ld.global.v2.b32 {_, _}, [g];", "'_' may not stand for all elements");
  bad("st.global.v2.b32 [g], {_, %r1};", "'_' in a store goes with accesses of 256 bits only");
  good("st.global.v8.b32 [g], {_, %r1, %r2, %r3, _, _, _, _};", blackwell);
}

TEST(VerifyAtomic, CacheHintsAndSystemScope) {
  good("atom.global.add.L2::cache_hint.u32 %r1, [g], %r2, %d1; red.add.L2::cache_hint.u32 [g], %r2, %d1;");
  bad("atom.shared.add.L2::cache_hint.u32 %r1, [s], %r2, %d1;", "'.L2::cache_hint' goes with .global");
  good("red.shared.add.u32 [s], 1;");
}

TEST(VerifyCpAsync, Source) {
  good("cp.async.ca.shared.global [s], [g], 8, 8; cp.async.ca.shared.global [s], [g], 8, !%p1;");
  good("cp.async.ca.shared.global [s], [g], 8, %r1;");
  bad("cp.async.ca.shared.global [s], [g], 8, 9;", "reads 9 bytes of 8; allowed: 0 to 8");
  bad("cp.async.ca.shared.global [s], [g], 8, !%r1;", "only a predicate may be negated, '%r1' is none");
  bad("cp.async.ca.shared.global [s], [g], 8, %d1;", "takes .u32 or .pred for 'source', '%d1' is .b64");
  bad("cp.async.ca.shared.global [s], [g], 8, %p1;", "needs PTX 8.3", ".version 8.0\n.target sm_90a");
  bad("cp.async.ca.shared.global [s], [g], 12;", "is 12; allowed: 4, 8, 16");
}

TEST(VerifyBarrier, CountsAreWarps) {
  good("bar.sync 0, 64; bar.sync 0, %r1; barrier.sync 15;");
  bad("bar.sync 0, 33;", "is 33, it must be a multiple of 32");
  bad("barrier.arrive 1, 48;", "is 48, it must be a multiple of 32");
}

TEST(VerifyVmad, Negation) {
  good("vmad.s32.s32.s32 %r1, -%r2, %r3, %r4; vmad.s32.s32.s32 %r1, %r2, %r3, -%r4;");
  good("vmad.s32.s32.s32 %r1, -%r2, -%r3, -%r4;");
  bad("vmad.s32.s32.s32 %r1, -%r2, %r3, -%r4;", "may negate the product or 'c', not both");
}

TEST(VerifySetmaxnreg, Count) {
  good("setmaxnreg.inc.sync.aligned.u32 24; setmaxnreg.dec.sync.aligned.u32 256;");
  bad("setmaxnreg.inc.sync.aligned.u32 41;", "asks for 41 registers; allowed: 24 to 256 in steps of 8");
  bad("setmaxnreg.inc.sync.aligned.u32 16;", "asks for 16 registers");
  bad("setmaxnreg.inc.sync.aligned.u32 264;", "asks for 264 registers");
}

TEST(VerifyMmaBlockScale, Selectors) {
  const std::string header = ".version 9.0\n.target sm_120a";
  const auto mma = [](const std::string& scale, const std::string& type, const std::string& a,
                      const std::string& b) {
    return "mma.sync.aligned." + scale + type +
           " {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f1, %f2, %f3, %f4}, %r1, " + a +
           ", %r2, " + b + ";";
  };
  const std::string f8 = "m16n8k32.row.col.kind::mxf8f6f4.block_scale", t8 = ".f32.e4m3.e4m3.f32.ue8m0";
  const std::string f4 = "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X",
                    t4 = ".f32.e2m1.e2m1.f32.ue4m3";
  const std::string m4 = "m16n8k64.row.col.kind::mxf4.block_scale", u4 = ".f32.e2m1.e2m1.f32.ue8m0";
  good(mma(f8, t8, "{3, 1}", "{0, 3}"), header);
  bad(mma(f8, t8, "{4, 1}", "{0, 3}"), "the byte of 'select_a' is 4; allowed: 0 to 3", header);
  bad(mma(f8, t8, "{0, 2}", "{0, 3}"), "the thread of 'select_a' is 2; allowed: 0 to 1", header);
  bad(mma(f8, t8, "{0, 1}", "{0, 4}"), "the thread of 'select_b' is 4; allowed: 0 to 3", header);
  good(mma(m4, u4, "{2, 1}", "{0, 3}"), header);
  bad(mma(m4, u4, "{1, 1}", "{0, 3}"), "the byte of 'select_a' is 1; allowed: 0, 2", header);
  bad(mma(f4, t4, "{2, 1}", "{0, 3}"), "the byte of 'select_a' is 2; allowed: 0", header);

  // Scales and metadata may stand in braces.
  const auto braces = [](const std::string& form, const std::string& b, const std::string& tail) {
    return "mma.sync.aligned.kind::mxf8f6f4" + form +
           ".row.col.f32.e4m3.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, " + b +
           ", {%f1, %f2, %f3, %f4}, " + tail + ";";
  };
  const std::string dense = ".block_scale.scale_vec::1X.m16n8k32",
                    sparse = ".sp::ordered_metadata.block_scale.scale_vec::1X.m16n8k64";
  good(braces(dense, "{%r1, %r2}", "{%r1}, {0, 1}, {%r2}, {0, 3}"), header);
  good(braces(sparse, "{%r1, %r2, %r3, %r4}", "{%r5}, 0x0, {%r1}, {0, 1}, {%r2}, {0, 3}"), header);
  bad(braces(dense, "{%r1, %r2}", "{%r1, %r2}, {0, 1}, {%r2}, {0, 3}"),
      "'scale_a' of 'mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k...' must be a vector "
      "or a register",
      header);
}

TEST(VerifyTexture, CoordinatesAndObjects) {
  const std::string d = "{%f1, %f2, %f3, %f4}";
  good("tex.2d.v4.f32.f32 " + d + ", [tx, {%f1, %f2}]; tex.a1d.v4.f32.f32 " + d + ", [%d1, {%r1, %f2}];");
  good("tex.a1d.v4.f32.f32 " + d + ", [tx, {%u1, %f2}]; tex.a1d.v4.f32.f32 " + d + ", [tx, {3, %f2}];");
  bad("tex.2d.v4.f32.f32 " + d + ", [tx, {%f1}];", "takes 2 coordinates, there is 1");
  bad("tex.a1d.v4.f32.f32 " + d + ", [tx, {%f1, %f2}];", "takes .u32 for 'c', '%f1' is .f32");
  bad("tex.1d.v4.f32.f32 " + d + ", [sf, {%f1}];", "takes a .texref or a handle");
  bad("tex.1d.v4.f32.f32 " + d + ", [g, {%f1}];",
      "takes a .texref or a handle in a 64-bit register, 'g' is .b8");
  bad("tex.1d.v4.f32.f32 " + d + ", [%r1, {%f1}];", "'%r1' is .b32");
  bad("tex.1d.v4.f32.f32 " + d + ", [300, {%f1}];", "or a handle in a 64-bit register, not an integer");
  bad("suld.b.1d.b32.trap %r1, [tx, {%r2}];", "takes a .surfref or a handle");
  bad("suld.b.1d.b32.trap %r1, [sf, {%f2}];", "'%f2' is .f32");
  bad("txq.width.b32 %r1, [sf];", "takes a .texref");
  bad("suq.width.b32 %r1, [tx];", "takes a .surfref");
  bad("txq.force_unnormalized_coords.b32 %r1, [tx];", "is for texmode_independent only");
}

TEST(VerifyTexture, Modes) {
  const std::string independent = std::string(hopper) + ", texmode_independent";
  const std::string objects = ".global .texref t; .global .samplerref m;\n";
  const auto kernel = [&](const std::string& text) {
    return objects + ".entry k() { .reg .f32 f<5>; .reg .b32 r<5>; " + text + " ret; }";
  };
  good_module(kernel("tex.1d.v4.f32.f32 {f1, f2, f3, f4}, [t, m, {f1}];"), independent);
  good_module(kernel("txq.filter_mode.b32 r1, [m];"), independent);
  bad_module(kernel("tex.1d.v4.f32.f32 {f1, f2, f3, f4}, [t, {f1}];"), "names no sampler", independent);
  bad_module(kernel("txq.filter_mode.b32 r1, [t];"), "takes a .samplerref there, 't' is none", independent);
  bad_module(kernel("tex.1d.v4.f32.f32 {f1, f2, f3, f4}, [t, t, {f1}];"), "takes a .samplerref", independent);
  bad_module(".global .samplerref m;", "is for texmode_independent only");
  bad("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, %d1, {%f1}];", "for texmode_independent only");
}

// ---- declarations
TEST(VerifyModule, TargetOptions) {
  good_module(".entry k() { ret; }", std::string(hopper) + ", debug");
  bad_module(".entry k() { ret; }", "'fast' is neither a target nor an option of one",
             std::string(hopper) + ", fast");
  bad_module(".entry k() { ret; }", "not both",
             std::string(hopper) + ", texmode_unified, texmode_independent");
  bad_module(".entry k() { ret; }", "map_f64_to_f32 is for targets without .f64",
             std::string(hopper) + ", map_f64_to_f32");
  bad_module(".file 1 \"a\"\n.file 1 \"b\"\n", "file 1 is named twice");
  // Doubles need sm_13, or to be mapped; nothing else is waived with them.
  const std::string early = ".version 3.2\n.target sm_12", mapped = early + ", map_f64_to_f32";
  const auto kernel = [](const std::string& body) {
    return ".entry k() { .reg .f64 %d<4>; .reg .f32 %f<4>; " + body + " ret; }";
  };
  bad_module(kernel("add.f64 %d1, %d2, %d3;"), "'.f64' in 'add.f64' needs sm_13", early);
  good_module(kernel("add.f64 %d1, %d2, %d3; cvt.rn.f32.f64 %f1, %d1; fma.rn.f64 %d1, %d2, %d3, %d1;"),
              mapped);
  bad_module(kernel("fma.rn.f32 %f1, %f2, %f3, %f1;"), "needs sm_13", mapped);
}

TEST(VerifyModule, LocationsInUnknownFilesAreWarnedAbout) {
  auto source = std::make_shared<const SourceText>(
      "v.ptx",
      std::string(hopper) + "\n.file 1 \"a.cu\"\n.entry k() {\n.loc 1 2 3\n.loc 7 1 1\n.loc 7 2 1\nret;\n}");
  Diagnostics diagnostics;
  read(source, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.warning_count(), 1u);
}

TEST(VerifyModule, Variables) {
  good_module(
      ".global .v4 .f32 a; .shared .align 2048 .b8 b[8]; .extern .shared .b8 c[]; .const .u8 d[] = {1, 2};");
  bad_module(".global .bf16 a;", "is .bf16, which is a format of instructions");
  bad_module(".global .pred a;", "predicates are registers only");
  bad_module(".shared .b32 a = 3;", "cannot have an initialiser");
  bad_module(".global .v4 .f64 a;", "the limit is 128");
  bad_module(".shared .b8 a[];", "has no size");
  bad_module(".const .texref t;", "those are .global variables outside functions");
  bad_module(".func f(.param .texref t) { ret; }", "those are parameters of kernels only");
  good_module(".entry k(.param .texref t) { ret; }");
  bad_module(".const .attribute(.managed) .b32 a;", "only .global variables may be");
  bad_module(".param .b32 a;", "stands outside functions");
  bad_module(".entry k() { .reg .v2 .pred a; ret; }", "predicates are scalars");
  bad_module(".visible .global .b32 a; .visible .global .b32 a;", "'a' is declared twice");
}

TEST(VerifyModule, Initializers) {
  good_module(".global .b32 a; .global .u64 b[2] = {a, generic(a)}; .const .b32 c[3] = {1};");
  good_module(".global .b32 a; .global .u8 b[8] = {0xFF(a), 0xFF00(a)};");
  bad_module(".const .b32 a[2] = {1, 2, 3};", "has 2 elements and 3 initial values");
  bad_module(".global .u32 a = 1.5;", "is .u32, not of floating-point values");
  bad_module(".global .f32 a = 1;", "is .f32, not of integer values");
  bad_module(".global .b32 a; .global .b32 b = a;", "the address of 'a' has 64 bits, 'b' is .b32");
  bad_module(".shared .b32 a; .global .u64 b = a;", "which has no address before a kernel runs");
  bad_module(".global .u64 b = a;", "names 'a', which is not declared");
  bad_module(".global .b32 a = {1};", "its initial value has no braces");
  bad_module(".global .b32 a[2] = 1;", "its initial values stand in braces");
}

TEST(VerifyModule, Functions) {
  bad_module(".func f() { ret; } .func f() { ret; }", "function 'f' is defined twice");
  bad_module(".func f(.param .b32 a); .func f(.param .b64 a) { ret; }", "does not agree");
  bad_module(".extern .func f() { ret; }", "is .extern and has a body");
  bad_module(".entry k(.reg .b32 r) { ret; }", "kernels take .param only");
  bad_module(".entry k(.param .b32 a, .param .b32 a) { ret; }", "'a' is declared twice");
  bad_module(".entry k(.param .b8 a[40000]) { ret; }", "the limit is 32764");
  good_module(".visible .func f() { ret; } .visible .func g(); .alias g, f;");
  bad_module(".visible .func f() { ret; } .alias g, f;", "the alias 'g' is not declared");
  bad_module(".entry f() { ret; } .entry g(); .alias g, f;", "names the kernel 'f'");
  bad_module(".func (.reg .b32 r) f() .noreturn { trap; }", "is .noreturn and has a result");
}

TEST(VerifyModule, PerformanceDirectives) {
  good_module(".entry k() .maxntid 128, 2, 1 .minnctapersm 2 .maxnreg 32 { ret; }");
  good_module(".entry k() .blocksareclusters .reqntid 32 .reqnctapercluster 2 { ret; }");
  bad_module(".entry k() .maxntid 128 .reqntid 128 { ret; }", "'.maxntid' and '.reqntid'");
  bad_module(".entry k() .reqnctapercluster 2 .maxclusterrank 4 { ret; }", "one excludes the other");
  bad_module(".entry k() .reqntid 0 { ret; }", "'.reqntid' of 'k' is 0");
  bad_module(".entry k() .maxnreg 0 { ret; }", "'.maxnreg' of 'k' is 0");
  bad_module(".entry k() .blocksareclusters { ret; }", "without '.reqntid' and '.reqnctapercluster'");
  bad_module(".entry k() .reqnctapercluster 2 { ret; }", "needs sm_90", ".version 9.0\n.target sm_80");
}

TEST(Verify, ANoteShowsTheDeclaration) {
  const Verdict verdict = verdict_of(in_kernel("add.s32 %f1, %r2, %r3;", hopper));
  EXPECT_EQ(verdict.notes, 1u) << verdict.rendered;
  EXPECT_NE(verdict.rendered.find("'%f1' is declared here"), std::string::npos) << verdict.rendered;
}

}  // namespace
}  // namespace heddle::ptx
