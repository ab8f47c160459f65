// Device math functions by both executors, with the same bits: for lanes together and under masks, for one
// value in all lanes, with results through pointers, and in the host's mode without subnormals; for every
// level of vectors that this host has.
#include "math/math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "exec/interp/lanes.h"
#include "exec/interp/program_runner.h"
#include "exec/jit/executor.h"
#include "said.h"

namespace heddle {
namespace {

using exec::interp::ProgramResult;
using math::Function;
using math::Value;

constexpr unsigned threads = 2 * 80, ways = 3, slot_bytes = 16;

struct Program {
  std::string text;
  std::size_t output_bytes = 0;
};

// What a call takes: registers %fN, %dN of the values, %rN of the integers.
class Writer {
 public:
  explicit Writer(std::vector<const Function*> functions) : functions_(std::move(functions)) {}

  Program write(bool flush) {
    flush_ = flush;
    for (const Function* f : functions_) declare(*f);
    line(".visible .entry k(.param .u64 in, .param .u64 out)\n{");
    line(".local .align 8 .b8 place[16];");
    line(".reg .pred %odd, %raw; .reg .b64 %in, %out, %at, %to, %p<2>; .reg .b32 %t, %i, %w;");
    line(".reg .f32 %f<5>, %g; .reg .f64 %d<5>, %e; .reg .b32 %n<5>; .reg .b64 %x; .reg .b16 %h;");
    line("ld.param.u64 %in, [in]; ld.param.u64 %out, [out];");
    line("mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x; mad.lo.u32 %i, %i, 80, %t;");
    line("and.b32 %w, %i, 1; setp.ne.u32 %odd, %w, 0; and.b32 %w, %i, 4; setp.ne.u32 %raw, %w, 0;");
    for (const Function* f : functions_) uses(*f);
    line("ret;\n}");
    return {".version 8.0\n.target sm_80\n.address_size 64\n" + text_,
            functions_.size() * threads * ways * slot_bytes};
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }
  static std::string number(const Function& f) { return f.single ? ".b32" : ".b64"; }

  void declare(const Function& f) {
    std::string parameters;
    unsigned n = 0;
    const auto add = [&](const std::string& type) {
      parameters += (n == 0 ? "" : ", ") + std::string(".param ") + type + " p" + std::to_string(n);
      ++n;
    };
    for (unsigned s = 0; s < f.source_count(); ++s) add(f.sources[s] == Value::integer ? ".b32" : number(f));
    for (unsigned p = 0; p < f.pointer_count(); ++p) add(".b64");
    line(".extern .func " +
         (f.returns ? "(.param " + (f.results[0] == Value::integer ? std::string(".b32") : number(f)) + " r) "
                    : "") +
         std::string(f.name) + "(" + parameters + ");");
  }

  // The function's arguments, from this place of the input on: bits as they come, or numbers up to 128.
  void load(const Function& f, const std::string& index) {
    line("mad.lo.u32 %w, " + index + ", 24, " + std::to_string(f.name.size() * 8) +
         "; cvt.u64.u32 %at, %w; add.u64 %at, %in, %at;");
    for (unsigned s = 0; s < f.source_count(); ++s) {
      const std::string at = "[%at+" + std::to_string(s * 8) + "]", k = std::to_string(s);
      if (f.sources[s] == Value::integer) {
        line("ld.global.s8 %n" + k + ", " + at + ";");
        if (f.name.starts_with("__nv_jn") || f.name.starts_with("__nv_yn"))
          line("and.b32 %n" + k + ", %n" + k + ", 15;");
      } else if (f.single) {
        line("ld.global.f32 %f" + k + ", " + at + "; ld.global.u16 %h, " + at + "; cvt.rn.f32.s16 %g, %h;");
        line(std::string(flush_ ? "mul.ftz.f32" : "mul.f32") + " %g, %g, 0f3B800000; selp.f32 %f" + k +
             ", %f" + k + ", %g, %raw;");
      } else {
        line("ld.global.f64 %d" + k + ", " + at + "; ld.global.u16 %h, " + at + "; cvt.rn.f64.s16 %e, %h;");
        line("mul.f64 %e, %e, 0d3F70000000000000; selp.f64 %d" + k + ", %d" + k + ", %e, %raw;");
      }
    }
  }

  // The call; results end at [%to] and [%to+8].
  void call(const Function& f, bool through_local) {
    line("{");
    std::string list;
    for (unsigned s = 0; s < f.source_count(); ++s) {
      const std::string k = std::to_string(s);
      const bool integer = f.sources[s] == Value::integer;
      line(".param " + (integer ? std::string(".b32") : number(f)) + " a" + k + "; st.param" +
           (integer    ? ".b32 [a" + k + "], %n"
            : f.single ? ".f32 [a" + k + "], %f"
                       : ".f64 [a" + k + "], %d") +
           k + ";");
      list += (list.empty() ? "a" : ", a") + k;
    }
    if (through_local) line("mov.u64 %p0, place; cvta.local.u64 %p0, %p0;");
    for (unsigned p = 0; p < f.pointer_count(); ++p) {
      // Where nothing comes back, the first result goes to the first slot.
      const unsigned offset = 8 * (p + (f.returns ? 1 : 0));
      line("add.u64 %p1, " + std::string(through_local ? "%p0" : "%to") + ", " + std::to_string(offset) +
           ";");
      line(".param .b64 q" + std::to_string(p) + "; st.param.b64 [q" + std::to_string(p) + "], %p1;");
      list += ", q" + std::to_string(p);
    }
    const bool wide = f.returns && f.results[0] == Value::element && !f.single;
    if (f.returns) line(std::string(".param ") + (wide ? ".b64" : ".b32") + " r;");
    line(std::string("call.uni ") + (f.returns ? "(r), " : "") + std::string(f.name) + ", (" + list + ");");
    if (f.returns)
      line(wide ? "ld.param.b64 %x, [r]; st.global.b64 [%to], %x;"
                : "ld.param.b32 %w, [r]; st.global.b32 [%to], %w;");
    if (through_local)
      for (unsigned r = f.returns ? 1 : 0; r < f.result_count(); ++r) {
        const std::string at = std::to_string(8 * r);
        if (f.single || f.results[r] == Value::integer)
          line("ld.local.b32 %w, [place+" + at + "]; st.global.b32 [%to+" + at + "], %w;");
        else
          line("ld.local.b64 %x, [place+" + at + "]; st.global.b64 [%to+" + at + "], %x;");
      }
    line("}");
  }

  void uses(const Function& f) {
    const std::string n = std::to_string(++label_);
    line("// " + std::string(f.name));
    line("mul.wide.u32 %to, %i, " + std::to_string(ways * slot_bytes) + "; add.u64 %to, %out, %to;");
    line("add.u64 %to, %to, " + std::to_string((label_ - 1) * threads * ways * slot_bytes) + ";");
    load(f, "%i");
    call(f, true);
    line("add.u64 %to, %to, " + std::to_string(slot_bytes) + ";");
    line("@%odd bra SKIP" + n + ";");
    call(f, false);
    line("SKIP" + n + ":");
    line("add.u64 %to, %to, " + std::to_string(slot_bytes) + ";");
    load(f, "7");
    call(f, false);
  }

  std::vector<const Function*> functions_;
  std::string text_;
  unsigned label_ = 0;
  bool flush_ = false;
};

void compare(const std::vector<const Function*>& functions, std::initializer_list<const char*> levels,
             bool flush) {
  const Program program = Writer(functions).write(flush);
  exec::interp::ProgramRun run{{2}, {80}, program.output_bytes};
  run.limit = std::chrono::seconds(60);
  const ProgramResult expected = exec::interp::run_program(program.text, run);
  ASSERT_EQ(expected.end, ProgramResult::End::ran) << expected.message << program.text;
  for (const char* cpu : levels) {
    Said said;
    exec::jit::Options how;
    how.cpu = cpu;
    how.tier = exec::jit::Tier::quick;
    how.trace = said.listener();
    auto executor = exec::jit::make_executor(how, exec::interp::make_executor(),
                                             exec::interp::make_reference_lanes_factory());
    if (!executor.ok()) continue;  // not on this host
    run.executor = executor->get();
    const ProgramResult native = exec::interp::run_program(program.text, run);
    ASSERT_EQ(native.end, ProgramResult::End::ran) << native.message;
    EXPECT_FALSE(said.has("reference executor")) << said.text();
    EXPECT_FALSE(said.has("threads on their own")) << said.text();
    for (std::size_t at = 0; at < program.output_bytes; at += 8) {
      if (std::memcmp(&native.output[at], &expected.output[at], 8) == 0) continue;
      const std::size_t a_function = std::size_t{threads} * ways * slot_bytes, in = at % a_function;
      uint64_t got = 0, wanted = 0;
      std::memcpy(&got, &native.output[at], 8);
      std::memcpy(&wanted, &expected.output[at], 8);
      ADD_FAILURE() << cpu << ": " << functions[at / a_function]->name << " of thread "
                    << in / (ways * slot_bytes) << ", way " << in / slot_bytes % ways << ", result "
                    << in / 8 % 2 << ": " << std::hex << got << ", not " << wanted;
      break;
    }
  }
}

// So many functions a kernel.
constexpr std::size_t at_once = 10;

class MathCalls : public testing::TestWithParam<std::size_t> {};

TEST_P(MathCalls, have_the_same_bits_by_both_executors) {
  std::vector<const Function*> functions;
  for (std::size_t i = GetParam(); i < std::min(GetParam() + at_once, math::function_count); ++i)
    functions.push_back(&math::function(static_cast<math::Id>(i)));
  compare(functions, {""}, false);
}
INSTANTIATE_TEST_SUITE_P(All, MathCalls, testing::Range(std::size_t{0}, math::function_count, at_once));

std::vector<const Function*> named(std::initializer_list<const char*> names) {
  std::vector<const Function*> functions;
  for (const char* name : names) functions.push_back(math::find(name));
  return functions;
}

// One function of each signature.
TEST(MathCall, has_the_same_bits_for_all_signatures_at_all_levels) {
  compare(named({"__nv_sinf", "__nv_sincosf", "__nv_powf", "__nv_powif", "__nv_jnf", "__nv_ilogbf",
                 "__nv_norm3df", "__nv_norm4df", "__nv_remquof", "__nv_modff", "__nv_frexpf"}),
          {"x86-64-v2", "avx2", "avx512"}, false);
  compare(named({"__nv_sin", "__nv_sincos", "__nv_pow", "__nv_powi", "__nv_jn", "__nv_ilogb", "__nv_norm3d",
                 "__nv_norm4d", "__nv_remquo", "__nv_modf", "__nv_frexp"}),
          {"x86-64-v2", "avx2", "avx512"}, false);
}

// Arithmetic around the calls that flushes puts the host into its mode without subnormals; the functions keep
// theirs.
TEST(MathCall, keeps_subnormals_where_all_else_flushes) {
  compare(named({"__nv_expf", "__nv_sinf", "__nv_rsqrtf", "__nv_fmodf", "__nv_sincosf", "__nv_ldexpf"}),
          {"x86-64-v2", "avx2", "avx512"}, true);
}

}  // namespace
}  // namespace heddle
