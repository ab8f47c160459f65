// What a look at a texture costs a lane, and a load or a store of a surface, of an image that fits in the
// caches. "lane by lane" has an offset of no texels, which the loops for warps do not know: the reference
// executor does it.
#include <benchmark/benchmark.h>

#include <string>

#include "runtime/array.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/load.h"
#include "runtime/texture.h"

namespace heddle::runtime {
namespace {

constexpr uint32_t side = 256, fetches = 64, block = 256, blocks = 64;

// Each thread looks along a row, at places between texels.
std::string text(std::string_view look) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 handle, .param .u64 out) {\n"
         R"(  .reg .pred %p<2>;
  .reg .f32 %f<8>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [handle];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  shl.b32 %r8, %r1, 2;
  cvt.rn.f32.u32 %f1, %r1;
  cvt.rn.f32.u32 %f2, %r2;
  mul.f32 %f1, %f1, 0f3F700000;
  mov.b32 %r3, 0;
  mov.b32 %r9, 0;
LOOP:
)" + std::string(look) +
         R"(
  xor.b32 %r9, %r9, %r4;
  xor.b32 %r9, %r9, %r5;
  xor.b32 %r9, %r9, %r6;
  xor.b32 %r9, %r9, %r7;
  add.f32 %f2, %f2, 0f3F800000;
  add.u32 %r2, %r2, 1;
  and.b32 %r2, %r2, 255;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, 64;
  @%p1 bra LOOP;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r9;
  ret;
})";
}

struct Case {
  const char* name;
  exec::Texel texel;
  bool normalized_values, linear, normalized_coordinates;
  exec::AddressMode mode;
  const char* look;
};
constexpr exec::Texel one_float{exec::ChannelKind::floating, {32, 0, 0, 0}},
    four_floats{exec::ChannelKind::floating, {32, 32, 32, 32}},
    four_bytes{exec::ChannelKind::unsigned_, {8, 8, 8, 8}},
    one_byte{exec::ChannelKind::unsigned_, {8, 0, 0, 0}};
constexpr const char* plain = "tex.2d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd1, {%f1,%f2}];";
constexpr const char* offset = "tex.2d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd1, {%f1,%f2}], {0,0};";
constexpr const char* whole = "tex.2d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [%rd1, {%r1,%r2}];";
constexpr const char* load = "suld.b.2d.b32.zero {%r4}, [%rd1, {%r8,%r2}];";
constexpr const char* store = "sust.b.2d.b32.zero [%rd1, {%r8,%r2}], {%r1};";
constexpr auto clamp = exec::AddressMode::clamp_to_edge, wrap = exec::AddressMode::wrap,
               border = exec::AddressMode::clamp_to_border;
constexpr Case cases[] = {
    {"point, float, lane by lane", one_float, false, false, false, clamp, offset},
    {"linear, float, lane by lane", one_float, false, true, false, clamp, offset},
    {"point, float", one_float, false, false, false, clamp, plain},
    {"point, float, whole", one_float, false, false, false, clamp, whole},
    {"point, float, border", one_float, false, false, false, border, plain},
    {"point, float, normalised, wrap", one_float, false, false, true, wrap, plain},
    {"point, uchar4", four_bytes, false, false, false, clamp, plain},
    {"point, uchar4 as floats", four_bytes, true, false, false, clamp, plain},
    {"point, float4", four_floats, false, false, false, clamp, plain},
    {"linear, float", one_float, false, true, false, clamp, plain},
    {"linear, float, normalised, wrap", one_float, false, true, true, wrap, plain},
    {"linear, float, border", one_float, false, true, false, border, plain},
    {"linear, uchar as floats", one_byte, true, true, false, clamp, plain},
    {"linear, uchar4 as floats", four_bytes, true, true, false, clamp, plain},
    {"linear, float4", four_floats, false, true, false, clamp, plain},
    {"load, uint", one_float, false, false, false, clamp, load},
    {"store, uint", one_float, false, false, false, clamp, store},
};

void look(benchmark::State& state, const Case& c) {
  auto created = System::create({});
  const auto system = std::move(*created);
  const auto context = *system->create_context(0, {});
  ArrayRequest request{.texel = c.texel, .width = side, .height = side};
  request.surface = true;
  TextureSource source;
  source.array = *Array::create(*context, request);
  if (c.normalized_values) source.read = exec::ReadMode::normalized_float;
  exec::Sampler sampler;
  for (exec::AddressMode& mode : sampler.address) mode = c.mode;
  sampler.normalized_coordinates = c.normalized_coordinates;
  if (c.linear) sampler.filter = exec::FilterMode::linear;
  const bool surface = c.look == load || c.look == store;
  const uint64_t handle =
      surface ? *create_surface(*context, source) : *create_texture(*context, source, sampler);
  const auto out = *context->allocate(MemoryKind::device, block * 4);
  const ProgramText program{"look.ptx", text(c.look)};
  std::string log;
  const auto module = *load_module(*context, std::span(&program, 1), log);
  Kernel* kernel = *module->kernel("k");
  const auto stream = context->default_stream();
  const auto run = [&] {
    const uint64_t address = out->address;
    const void* const arguments[] = {&handle, &address};
    auto bytes = pack_parameters(*kernel, arguments);
    LaunchRequest launch;
    launch.kernel = kernel;
    launch.params = *bytes;
    launch.grid = {blocks};
    launch.block = {block};
    if (!runtime::launch(*stream, launch) || !stream->synchronize()) std::abort();
  };
  run();
  for ([[maybe_unused]] auto step : state) run();
  state.counters["a_lane"] =
      benchmark::Counter(static_cast<double>(uint64_t{blocks} * block * fetches),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

const bool registered = [] {
  for (const Case& c : cases)
    benchmark::RegisterBenchmark(c.name, [&c](benchmark::State& state) { look(state, c); })
        ->MeasureProcessCPUTime()
        ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace heddle::runtime
