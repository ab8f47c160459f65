// How long the stages before the vectoriser take: the whole of a launch's first compilation that does not
// depend on the block's shape.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "exec/jit/transform/canonical.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::exec::jit {
namespace {

constexpr const char* head = ".version 8.0\n.target sm_80\n.address_size 64\n";

// saxpy
constexpr const char* small = R"(
.visible .entry k(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n) {
  .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [a]; ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra done;
  cvta.to.global.u64 %rd3, %rd1; mul.wide.s32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4; ld.global.f32 %f2, [%rd5];
  cvta.to.global.u64 %rd6, %rd2; add.s64 %rd7, %rd6, %rd4; ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f2, %f1, %f3;
  st.global.f32 [%rd7], %f4;
done:
  ret;
})";

// A matrix product in tiles of shared memory, the inner loop unrolled as compilers do.
std::string tiled() {
  std::string text = R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .shared .align 4 .b8 as[1024]; .shared .align 4 .b8 bs[1024];
  .reg .pred %p<3>; .reg .f32 %f<60>; .reg .b32 %r<40>; .reg .b64 %rd<20>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y;
  shl.b32 %r6, %r5, 4; add.s32 %r7, %r6, %r3; mul.lo.s32 %r8, %r7, %r1; add.s32 %r9, %r8, %r2;
  shl.b32 %r10, %r4, 4; add.s32 %r11, %r10, %r2; mad.lo.s32 %r12, %r3, %r1, %r11;
  shl.b32 %r13, %r1, 4; mov.u32 %r14, as; shl.b32 %r15, %r3, 6; add.s32 %r16, %r14, %r15; shl.b32 %r17, %r2, 2;
  add.s32 %r18, %r16, %r17; mov.u32 %r19, bs; add.s32 %r20, %r19, %r15; add.s32 %r21, %r20, %r17;
  add.s32 %r22, %r19, %r17; mov.u32 %r23, 0; mov.f32 %f0, 0f00000000;
  cvta.to.global.u64 %rd4, %rd1; cvta.to.global.u64 %rd5, %rd2;
loop:
  mul.wide.s32 %rd6, %r9, 4; add.s64 %rd7, %rd4, %rd6; ld.global.f32 %f1, [%rd7]; st.shared.f32 [%r18], %f1;
  mul.wide.s32 %rd8, %r12, 4; add.s64 %rd9, %rd5, %rd8; ld.global.f32 %f2, [%rd9]; st.shared.f32 [%r21], %f2;
  bar.sync 0;
)";
  for (int i = 0; i < 16; ++i) {
    const std::string n = std::to_string(2 * i + 10), m = std::to_string(2 * i + 11);
    text += "  ld.shared.f32 %f" + n + ", [%r16+" + std::to_string(4 * i) + "]; ld.shared.f32 %f" + m +
            ", [%r22+" + std::to_string(64 * i) + "]; fma.rn.f32 %f0, %f" + n + ", %f" + m + ", %f0;\n";
  }
  return text + R"(
  bar.sync 0;
  add.s32 %r9, %r9, 16; add.s32 %r12, %r12, %r13; add.s32 %r23, %r23, 16;
  setp.lt.s32 %p1, %r23, %r1;
  @%p1 bra loop;
  cvta.to.global.u64 %rd10, %rd3; add.s32 %r30, %r8, %r11; mul.wide.s32 %rd11, %r30, 4; add.s64 %rd12, %rd10, %rd11;
  st.global.f32 [%rd12], %f0;
  ret;
})";
}

std::unique_ptr<module::Image> link(const std::string& text) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const SourceText>("bench.ptx", head + text);
  const ptx::Module syntax = ptx::read(source, diagnostics);
  const ptx::Module* modules[] = {&syntax};
  return std::move(module::link(modules).value());
}

void stages(benchmark::State& state, const std::string& text, bool clean) {
  const auto image = link(text);
  const auto entry = image->function_index("k");
  for (auto _ : state) {
    ThreadProgram program = lower(*image, entry, Meaning{});
    if (clean) canonicalise(program);
    benchmark::DoNotOptimize(program.entry);
  }
}

void LowerSmall(benchmark::State& state) { stages(state, small, false); }
void CanonicaliseSmall(benchmark::State& state) { stages(state, small, true); }
void LowerTiled(benchmark::State& state) { stages(state, tiled(), false); }
void CanonicaliseTiled(benchmark::State& state) { stages(state, tiled(), true); }
BENCHMARK(LowerSmall)->Unit(benchmark::kMillisecond);
BENCHMARK(CanonicaliseSmall)->Unit(benchmark::kMillisecond);
BENCHMARK(LowerTiled)->Unit(benchmark::kMillisecond);
BENCHMARK(CanonicaliseTiled)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::exec::jit
