// What both executors tell an observer of values, of random programs and of one for each kind of
// instruction: the same. HEDDLE_SEEDS, HEDDLE_JIT_CPU and HEDDLE_JIT_TIER as in random_program_test.cpp.
#include "observe/values.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "exec/interp/program_runner.h"
#include "exec/told_numbers.h"
#include "native.h"
#include "observe/carried.h"

namespace heddle::exec {
namespace {

constexpr uint8_t all_kinds = observe::not_finite | observe::subnormals | observe::cancellations;

std::shared_ptr<const module::Image> image_of(const std::string& text) {
  const auto source = std::make_shared<const SourceText>("program.ptx", text);
  Diagnostics diagnostics;
  const ptx::Module syntax = ptx::read(source, diagnostics);
  const ptx::Module* const modules[] = {&syntax};
  auto linked = module::link(modules);
  return linked ? std::move(linked.value()) : nullptr;
}

struct LaneAndPlace {
  std::array<uint32_t, 3> block;
  uint32_t thread;
  observe::Place place;
  auto operator<=>(const LaneAndPlace&) const = default;
};

class Listener final : public observe::ValueObserver, public observe::ValueSink, public observe::CarriedSink {
 public:
  Listener(const module::Image& image, uint8_t kinds) : image_(image), numbers_(image), kinds_(kinds) {}
  observe::Needs needs() const override { return observe::nothing; }
  uint8_t values() const override { return kinds_; }
  observe::ValueSink& sink() override { return *this; }

  // Of each thread and place, its numbers in the order in which they came; NaNs are one.
  std::map<LaneAndPlace, std::vector<std::vector<uint64_t>>> told;
  std::map<std::string, unsigned> opcodes;
  // Of each place, its results that are NaNs or infinite, told or counted.
  std::map<observe::Place, observe::Carried> results;
  uint64_t counted = 0;

 private:
  void carried(observe::Place place, const observe::Carried& carried) override {
    const std::lock_guard lock(mutex_);
    results[place].nans += carried.nans, results[place].infinities += carried.infinities;
    counted += carried.nans + carried.infinities;
  }
  void value(const observe::Value& v) override {
    const std::lock_guard lock(mutex_);
    const auto numbers = numbers_.of(v.place.function, v.place.instruction);
    const auto use = numbers_.use(v.place.function, v.place.instruction);
    const observe::Mask lanes = exceptional_lanes(numbers, use, kinds_, v.lanes, v.bits);
    EXPECT_NE(lanes, 0U);
    ++opcodes[std::string(isa::name(image_.functions[v.place.function].code[v.place.instruction].opcode))];
    for (observe::Mask rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      std::vector<uint64_t> one;
      for (std::size_t n = 0; n < numbers.size(); ++n)
        for (unsigned e = 0; e < numbers[n].elements(); ++e) {
          const NumberFormat format = numbers[n].format();
          const uint64_t bits = numbers[n].element(v.bits[n * observe::warp_lanes + lane], e);
          one.push_back(format.is_nan(bits) ? format.mask() : bits);
          if (numbers[n].result && format.is_nan(bits)) ++results[v.place].nans;
          if (numbers[n].result && format.is_infinite(bits)) ++results[v.place].infinities;
        }
      told[{v.block, v.warp * observe::warp_lanes + lane, v.place}].push_back(std::move(one));
    }
  }
  const module::Image& image_;
  ToldNumbers numbers_;
  const uint8_t kinds_;
  std::mutex mutex_;
};

std::string first_difference(const module::Image& image, const Listener& native, const Listener& expected) {
  const auto at = [&](const LaneAndPlace& where) {
    const module::Function& f = image.functions[where.place.function];
    return "thread " + std::to_string(where.thread) + " of block " + std::to_string(where.block[0]) + ", '" +
           module::instruction_text(image, f, f.code[where.place.instruction]) + "': ";
  };
  const auto text = [](const std::vector<std::vector<uint64_t>>& all) {
    std::string out = std::to_string(all.size()) + " times";
    char one[24];
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 3); ++i) {
      out += ';';
      for (const uint64_t number : all[i])
        std::snprintf(one, sizeof one, " %llx", static_cast<unsigned long long>(number)), out += one;
    }
    return out;
  };
  for (const auto& [where, all] : expected.told) {
    const auto found = native.told.find(where);
    if (found == native.told.end()) return at(where) + "nothing is told, not " + text(all);
    if (found->second != all) return at(where) + text(found->second) + ", not " + text(all);
  }
  for (const auto& [where, all] : native.told)
    if (!expected.told.contains(where)) return at(where) + "is told, and should not: " + text(all);
  return "";
}

struct Executors {
  Said said;
  std::unique_ptr<Executor> native;
  Executors() {
    jit::Options how;
    if (const char* cpu = std::getenv("HEDDLE_JIT_CPU")) how.cpu = cpu;
    const char* tier = std::getenv("HEDDLE_JIT_TIER");
    how.tier = tier != nullptr && std::string_view(tier) == "best" ? jit::Tier::best : jit::Tier::quick;
    how.trace = said.listener();
    how.threads = 1;
    auto executor = jit::make_executor(how, interp::make_executor(), interp::make_reference_lanes_factory());
    EXPECT_TRUE(executor.ok());
    native = std::move(*executor);
  }
};

// What both tell, of which something is expected.
std::map<std::string, unsigned> compare(const std::string& text, interp::ProgramRun run, uint8_t kinds,
                                        const std::string& name, bool needs_native = false) {
  const auto image = image_of(text);
  if (image == nullptr) return {};
  Executors executors;
  Listener expected(*image, kinds), native(*image, kinds);
  run.limit = std::chrono::seconds(300);
  run.observer = &expected;
  const auto reference = interp::run_program(text, run);
  run.executor = executors.native.get();
  run.observer = &native;
  const auto fast = interp::run_program(text, run);
  EXPECT_EQ(fast.message, reference.message) << name;
  EXPECT_EQ(fast.output == reference.output, true) << name;
  if (needs_native)
    EXPECT_FALSE(executors.said.has("reference executor")) << name << '\n' << executors.said.text();
  if (reference.end == interp::ProgramResult::End::ran)
    EXPECT_EQ(first_difference(*image, native, expected), "") << name << '\n' << executors.said.text();
  return expected.opcodes;
}

// What is counted together with what is told is what the reference executor tells. Returns how much was
// counted.
uint64_t compare_counts(const std::string& text, interp::ProgramRun run, const std::string& name) {
  const auto image = image_of(text);
  if (image == nullptr) return 0;
  Executors executors;
  Listener expected(*image, observe::not_finite),
      native(*image, observe::not_finite | observe::counts_carried);
  run.limit = std::chrono::seconds(300);
  run.observer = &expected;
  interp::run_program(text, run);
  run.executor = executors.native.get();
  run.observer = &native;
  interp::run_program(text, run);
  EXPECT_EQ(native.results == expected.results, true) << name << '\n' << executors.said.text();
  return native.counted;
}

TEST(Values, BothExecutorsTellTheSameOfRandomPrograms) {
  uint64_t first = 1, count = 12;
  if (const char* text = std::getenv("HEDDLE_SEEDS")) std::sscanf(text, "%lu,%lu", &first, &count);
  std::map<std::string, unsigned> opcodes;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    ptx::testing::RandomProgramOptions options;
    options.most_threads = 96;
    options.small = true;
    options.most_statements = 10;
    options.waits = false;
    const ptx::testing::RandomProgram program = ptx::testing::random_program(seed, options);
    const interp::ProgramRun run{{program.blocks}, {program.block_x, program.block_y}, program.output_bytes};
    for (const uint8_t kinds : {all_kinds, uint8_t{observe::not_finite}})
      for (const auto& [opcode, often] : compare(program.text, run, kinds, "seed " + std::to_string(seed)))
        opcodes[opcode] += often;
  }
  EXPECT_GT(opcodes.size(), 5U);
}

// Thread i works on special numbers a[i % 8], b[i / 8] of each type.
std::string special_numbers(const std::string& body) {
  return R"(.version 8.6
.target sm_100
.address_size 64
.extern .func (.param .b32 r) __nv_logf(.param .b32 x);
.extern .func (.param .b64 r) __nv_pow(.param .b64 x, .param .b64 y);
.const .align 4 .b32 A[8] = {0x00000000, 0x3f800000, 0x7f800000, 0xff800000, 0x7fffffff, 0x00000400, 0x80000000, 0x7f7fffff};
.const .align 8 .b64 D[8] = {0x0, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7fffffffffffffff, 0x400, 0x8000000000000000, 0x7fefffffffffffff};
.const .align 2 .b16 H[8] = {0x0000, 0x3c00, 0x7c00, 0xfc00, 0x7fff, 0x0001, 0x8000, 0x7bff};
.const .align 2 .b16 B[8] = {0x0000, 0x3f80, 0x7f80, 0xff80, 0x7fff, 0x0001, 0x8000, 0x7f7f};
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b64 %rd<8>;  .reg .b32 %r<8>;  .reg .pred %p, %q;
  .reg .f32 %a, %b, %c, %x, %y;  .reg .f64 %da, %db, %dx;  .reg .b16 %ha, %hb, %hx, %ba, %bb, %bx;
  .reg .b32 %ha2, %hb2, %hx2, %w;
  ld.param.u64 %rd7, [out];
  cvta.to.global.u64 %rd7, %rd7;
  mov.u32 %r0, %tid.x;
  and.b32 %r1, %r0, 7;
  shr.u32 %r2, %r0, 3;
  mov.u64 %rd0, A;  mul.wide.u32 %rd1, %r1, 4;  add.u64 %rd1, %rd0, %rd1;  ld.const.f32 %a, [%rd1];
  mul.wide.u32 %rd1, %r2, 4;  add.u64 %rd1, %rd0, %rd1;  ld.const.f32 %b, [%rd1];
  mov.u64 %rd0, D;  mul.wide.u32 %rd1, %r1, 8;  add.u64 %rd1, %rd0, %rd1;  ld.const.f64 %da, [%rd1];
  mul.wide.u32 %rd1, %r2, 8;  add.u64 %rd1, %rd0, %rd1;  ld.const.f64 %db, [%rd1];
  mov.u64 %rd0, H;  mul.wide.u32 %rd1, %r1, 2;  add.u64 %rd1, %rd0, %rd1;  ld.const.b16 %ha, [%rd1];
  mul.wide.u32 %rd2, %r2, 2;  add.u64 %rd2, %rd0, %rd2;  ld.const.b16 %hb, [%rd2];
  mov.u64 %rd0, B;  mul.wide.u32 %rd1, %r1, 2;  add.u64 %rd1, %rd0, %rd1;  ld.const.b16 %ba, [%rd1];
  mul.wide.u32 %rd2, %r2, 2;  add.u64 %rd2, %rd0, %rd2;  ld.const.b16 %bb, [%rd2];
  mov.b32 %ha2, {%ha, %hb};  mov.b32 %hb2, {%hb, %hb};
  mul.wide.u32 %rd1, %r0, 8;  add.u64 %rd7, %rd7, %rd1;
  setp.gt.u32 %p, %r1, 2;
)" + body +
         "  ret;\n}\n";
}

constexpr std::pair<const char*, const char*> special_bodies[] = {
    {"add", "add.rn.f32 %x, %a, %b;  st.global.f32 [%rd7], %x;"},
    {"sub", "sub.rn.f32 %x, %a, %b;  st.global.b32 [%rd7], %x;"},
    {"mul", "mul.rn.f32 %x, %a, %b;"},
    {"mul", "mul.rn.ftz.f32 %x, %a, %b;"},
    {"mul", "mul.rn.sat.f32 %x, %a, %b;"},
    {"fma", "fma.rn.f32 %x, %a, %b, %a;"},
    {"div", "div.rn.f32 %x, %a, %b;"},
    {"div", "div.full.f32 %x, %a, %b;"},
    {"div", "div.rn.ftz.f32 %x, %a, %b;"},
    {"rcp", "rcp.rn.f32 %x, %a;"},
    {"rcp", "rcp.approx.ftz.f32 %x, %a;"},
    {"sqrt", "sqrt.rn.f32 %x, %a;"},
    {"rsqrt", "rsqrt.approx.f32 %x, %a;"},
    {"lg2", "lg2.approx.f32 %x, %a;"},
    {"ex2", "ex2.approx.f32 %x, %a;"},
    {"sin", "sin.approx.f32 %x, %a;"},
    {"tanh", "tanh.approx.f32 %x, %a;"},
    {"min", "min.f32 %x, %a, %b;"},
    {"max", "max.NaN.f32 %x, %a, %b;"},
    {"setp", "setp.lt.f32 %q, %a, %b;"},
    {"setp", "setp.nan.f32 %q, %a, %a;"},
    {"testp", "testp.infinite.f32 %q, %a;"},
    {"set", "set.lt.u32.f32 %w, %a, %b;"},
    {"cvt", "cvt.rzi.s32.f32 %w, %a;"},
    {"cvt", "cvt.rn.f16.f32 %hx, %a;"},
    {"cvt", "cvt.rn.bf16.f32 %bx, %a;"},
    {"cvt", "cvt.rn.f16x2.f32 %hx2, %a, %b;"},
    {"cvt", "cvt.rn.f32.f64 %x, %da;"},
    {"cvt", "cvt.f64.f32 %dx, %a;"},
    {"add", "add.rn.f64 %dx, %da, %db;  st.global.f64 [%rd7], %dx;"},
    {"div", "div.rn.f64 %dx, %da, %db;"},
    {"fma", "fma.rn.f64 %dx, %da, %db, %db;"},
    {"sqrt", "sqrt.rn.f64 %dx, %da;"},
    {"min", "min.f64 %dx, %da, %db;"},
    {"add", "add.rn.f16 %hx, %ha, %hb;  st.global.b16 [%rd7], %hx;"},
    {"fma", "fma.rn.relu.f16 %hx, %ha, %hb, %ha;"},
    {"mul", "mul.rn.f16x2 %hx2, %ha2, %hb2;  st.global.b32 [%rd7], %hx2;"},
    {"max", "max.f16x2 %hx2, %ha2, %hb2;"},
    {"setp", "setp.lt.f16 %q, %ha, %hb;"},
    {"fma", "fma.rn.bf16 %bx, %ba, %bb, %ba;  st.global.u16 [%rd7], %bx;"},
    {"ex2", "ex2.approx.ftz.bf16 %bx, %ba;"},
    {"atom", "atom.global.add.f32 %x, [%rd7], %a;"},
    {"red", "red.global.add.f64 [%rd7], %da;"},
    // Guards: a branch, or a selection.
    {"div", "@%p div.rn.f32 %x, %a, %b;"},
    {"add", "@!%p add.rn.f64 %da, %da, %db;"},
    // Divergent, and the same for all threads of a block.
    {"mul", "@%p bra L;\n mul.rn.f32 %x, %a, %b;\nL:"},
    {"rcp", "mov.u64 %rd0, A; ld.const.f32 %c, [%rd0]; rcp.rn.f32 %x, %c;"},
    {"call",
     "{ .param .b32 y; .param .b32 x; st.param.b32 [x], %a; call (y), __nv_logf, (x); ld.param.b32 %x, "
     "[y]; }"},
    {"call",
     "{ .param .b64 y; .param .b64 x; .param .b64 z; st.param.b64 [x], %da; st.param.b64 [z], %db; call "
     "(y), "
     "__nv_pow, (x, z); ld.param.b64 %dx, [y]; }"},
    {"mma",
     "{ .reg .f32 %m<4>; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%m0, %m1, %m2, %m3}, {%ha2, "
     "%hb2}, "
     "{%ha2}, {%a, %b, %a, %b}; }"},
};

TEST(Values, BothExecutorsTellTheSameOfSpecialNumbers) {
  for (const auto& [opcode, body] : special_bodies) {
    const interp::ProgramRun run{{2}, {64}, 4096};
    for (const uint8_t kinds : {all_kinds, uint8_t{observe::not_finite}}) {
      const auto told = compare(special_numbers(body), run, kinds, body, true);
      EXPECT_TRUE(told.contains(opcode)) << body;
    }
  }
}

TEST(Values, NumbersThatOnlyGoOnAreCounted) {
  const interp::ProgramRun run{{2}, {64}, 4096};
  for (const auto& [opcode, body] : special_bodies) compare_counts(special_numbers(body), run, body);
  // Of these nothing is born and nothing lost: in some lanes there is a NaN, or an infinity, in others a 1.
  const auto some = [](const std::string& type, const std::string& x, const std::string& is) {
    return "mov." + type + " " + x + ", " + is + ";\n";
  };
  for (const char* exception : {"0f7fffffff", "0f7f800000"}) {
    const std::string a = some("f32", "%a", "0f3f800000") + "@%p " + some("f32", "%a", exception);
    EXPECT_EQ(compare_counts(special_numbers(a + "fma.rn.f32 %x, %a, %a, %a;"), run, exception), 80U);
    EXPECT_EQ(compare_counts(special_numbers(a + "@%p bra L;\n mul.rn.f32 %x, %a, %a;\nL: @!%p bra M;\n"
                                                 "mul.rn.f32 %x, %a, 0f40000000;\nM:"),
                             run, exception),
              80U);
    EXPECT_EQ(
        compare_counts(special_numbers(a + "cvt.f64.f32 %dx, %a;  cvt.rn.f16.f32 %hx, %a;"), run, exception),
        160U);
  }
  for (const char* exception : {"0x7fff", "0x7c00"}) {
    const std::string a = some("b16", "%ha", "0x3c00") + "@%p " + some("b16", "%ha", exception);
    EXPECT_EQ(compare_counts(special_numbers(a + "add.rn.f16 %hx, %ha, %ha;"), run, exception), 80U);
  }
}

}  // namespace
}  // namespace heddle::exec
