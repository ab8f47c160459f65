// How long linking takes beside parsing: one large module of many functions, as inlined template code gives.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::module {
namespace {

std::string make_text(int functions, int groups) {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"a.cu\"\n";
  for (int f = 0; f < functions; ++f) {
    const std::string name = "_Z6kernelILi" + std::to_string(f) + "EEvPKfPfi";
    text += ".visible .entry " + name + "(.param .u64 " + name + "_param_0, .param .u32 " + name +
            "_param_1)\n{\n";
    text += ".reg .pred %p<" + std::to_string(groups + 1) + ">;\n.reg .b32 %r<" +
            std::to_string(6 * groups + 9) + ">;\n.reg .f32 %f<" + std::to_string(2 * groups + 9) + ">;\n";
    text +=
        "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %ctaid.x;\nmad.lo.s32 %r4, %r2, %r3, "
        "%r1;\n";
    for (int g = 0; g < groups; ++g) {
      const auto r = [&](int i) { return "%r" + std::to_string(6 * g + i); };
      const auto label = "$L__BB" + std::to_string(f) + "_" + std::to_string(g);
      text += ".loc 1 " + std::to_string(g + 1) + " 7\n";
      text += "setp.ge.s32 %p" + std::to_string(g) + ", " + r(4) + ", 1024;\n";
      text += "@%p" + std::to_string(g) + " bra " + label + ";\n";
      text += "shl.b32 " + r(5) + ", " + r(4) + ", 2;\n";
      text += "add.s32 " + r(6) + ", " + r(5) + ", -16;\n";
      text += "xor.b32 " + r(7) + ", " + r(6) + ", " + r(5) + ";\n";
      text += "fma.rn.f32 %f" + std::to_string(2 * g + 2) + ", %f" + std::to_string(2 * g + 1) +
              ", 0f3F800000, %f" + std::to_string(2 * g) + ";\n";
      text += label + ":\n";
      text += "add.s32 " + r(10) + ", " + r(4) + ", " + r(3) + ";\n";
    }
    text += "ret;\n}\n";
  }
  return text;
}

const ptx::Module& module() {
  static const ptx::Module parsed = [] {
    Diagnostics diagnostics;
    return ptx::parse(std::make_shared<const SourceText>("bench.ptx", make_text(500, 100)), diagnostics);
  }();
  return parsed;
}

void Parse(benchmark::State& state) {
  const auto source = module().source;
  for (auto _ : state) {
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(ptx::parse(source, diagnostics));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * source->text().size()));
}
BENCHMARK(Parse)->Unit(benchmark::kMillisecond);

void Link(benchmark::State& state) {
  const ptx::Module* modules[] = {&module()};
  for (auto _ : state) {
    auto image = link(modules);
    if (!image) state.SkipWithError(image.error().messages.front().c_str());
    benchmark::DoNotOptimize(image);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * module().source->text().size()));
}
BENCHMARK(Link)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::module
