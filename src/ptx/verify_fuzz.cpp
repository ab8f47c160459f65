// Nearly right modules: the input takes a right program, and changes it in a few places - words and operands
// swapped, dropped, doubled, numbers replaced. Reading one ends in a module or in diagnostics, never in a
// crash; a module without errors is printed, and what is printed is accepted again.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "ptx/parse.h"
#include "ptx/random_text.h"

namespace {

using namespace heddle;

constexpr const char* program = R"(.version 9.0
.target sm_90a
.address_size 64
.file 1 "a.cu"
.global .align 16 .b8 g[64] = {1, 2, 3};
.global .u64 at[2] = {g, generic(g)};
.const .f32 c[4] = {0f3F800000, 1.5};
.extern .shared .align 16 .b8 dynamic[];
.shared .b64 bar;
.global .texref tx;
.global .surfref sf;
.extern .func (.param .b32 r) outside(.param .b64 a, .param .align 8 .b8 b[16]);
.func (.reg .b32 r) inside(.reg .b32 a, .reg .f32 b) { mov.b32 r, a; ret; }
.visible .func twin(.reg .b32 a);
.alias twin, other;
.visible .func other(.reg .b32 a) { ret; }
.visible .entry k(.param .u64 .ptr .global .align 8 out, .param .align 8 .b8 s[16]) .maxntid 128, 1, 1 .minnctapersm 2
{
.reg .pred %p<4>; .reg .b16 %h<6>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .v4 .f32 %v; .reg .b128 %q<2>;
.local .align 16 .b8 l[32];
.loc 1 2 3
ld.param.u64 %d1, [out];
cvta.to.global.u64 %d2, %d1;
mov.u32 %r1, %tid.x;
mov.v4.u32 {%r1, %r2, %r3, %r4}, %ntid;
mad.lo.s32 %r2, %r1, %r3, 4;
setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;
@%p1 bra done;
ld.global.v4.f32 {%f1, %f2, _, %f4}, [%d2+16];
ld.global.v4.f32 %v, [g];
mov.b64 %d3, {%r1, %r2};
mov.b128 %q1, {%d1, %d2};
tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f1, %f2}];
tex.a1d.v4.f32.f32 %v, [%d1, {%r1, %f2}];
suld.b.1d.b32.trap %r1, [sf, {%r2}];
cp.async.ca.shared.global [dynamic], [%d2], 8, !%p1;
atom.global.cas.b32 %r1, [g], %r2, %r3;
mbarrier.init.shared.b64 [bar], 32;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f1, %f2, %f3, %f4};
vmad.s32.s32.s32 %r1, -%r2, %r3.b0, %r4;
bar.sync 0, 64;
setmaxnreg.inc.sync.aligned.u32 40;
call (%r1), inside, (%r2, %f1);
{
.param .b64 a; .param .align 8 .b8 b[16]; .param .b32 r;
.reg .f32 %r<3>;
st.param.b64 [a], %d1;
call (r), outside, (a, b);
ld.param.f32 %r1, [r];
}
proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);
call (%r1), %d1, (%r2), proto;
table: .branchtargets done, again;
brx.idx %r1, table;
again: cvt.rn.f16.f32 %h1, %f1;
add.f32 %f1, %v.x, 0f3F800000;
done: st.global.u32 [%d2], %r1;
ret;
}
)";

// Words, numbers and punctuation, each with the blanks before it.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> out;
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '%' || c == ':' || c == '.';
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
    if (at < text.size()) {
      if (text[at++] == '.' || is_word(text[at - 1]))
        while (at < text.size() && is_word(text[at]) && text[at] != '.') ++at;
    }
    out.emplace_back(text.substr(begin, at - begin));
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const std::vector<std::string> original = tokens_of(program);
  static const char* const others[] = {" 0",    " -1",   " 300",  " 1.5",   " 0f3F800000", " _",    " %tid",
                                       " %p1",  " %d1",  " %r1",  " %v",    " g",          " tx",   " k",
                                       " done", " .b32", " .f64", ".pred",  ".v8",         ".b128", ".bf16x2",
                                       ",",     "{",     "}",     " 99999", "[0]",         ".x",    " %r<4>",
                                       ";",     " !",    " |",    ".v2",    ".shared",     ".param"};
  std::vector<std::string> tokens = original;
  std::size_t at = 0;
  const auto choose = [&](std::size_t n) {
    std::size_t value = at < size ? data[at++] : 0;
    if (n > 256 && at < size) value = value << 8 | data[at++];
    return value % n;
  };
  for (std::size_t changes = 0; at < size && changes < 12; ++changes) {
    const std::size_t place = choose(tokens.size()), from = choose(tokens.size());
    const auto position = tokens.begin() + static_cast<std::ptrdiff_t>(place);
    switch (choose(6)) {
      case 0: std::swap(tokens[place], tokens[from]); break;
      case 1: tokens.erase(position); break;
      case 2: tokens.insert(position, std::string(tokens[from])); break;
      case 3: tokens[place] = tokens[from]; break;
      case 4: {
        const auto forms = isa::all_forms();
        const isa::FormInfo& form = forms[choose(forms.size())];
        std::string text = "\n" + ptx::testing::InstructionWriter(form, [&](uint32_t n) {
                                    return static_cast<uint32_t>(choose(n));
                                  }).write();
        tokens.insert(position, text + ";\n");
        break;
      }
      default: tokens[place] = others[choose(std::size(others))]; break;
    }
  }
  std::string text;
  for (const std::string& token : tokens) text += token;
  const auto source = std::make_shared<const SourceText>("fuzz.ptx", std::move(text));
  Diagnostics diagnostics;
  const ptx::Module module = ptx::read(source, diagnostics);
  if (diagnostics.has_errors()) {
    if (diagnostics.render(*source).empty()) std::abort();
    return 0;
  }
  Diagnostics again;
  const auto printed = std::make_shared<const SourceText>("printed.ptx", ptx::print(module));
  ptx::read(printed, again);
  if (again.has_errors()) std::abort();
  return 0;
}
