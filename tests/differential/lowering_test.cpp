// Instructions with immediate operands and with registers wider than their types, as thread programs and by
// the reference executor: lowering looks at constants, and at what a register is declared as, which the
// hardware sweep's kernels do not have.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "../support/guest.h"
#include "arch/device.h"
#include "exec/interp/executor.h"
#include "exec/interp/lanes.h"
#include "exec/jit/executor.h"
#include "exec/jit/testing/scalar_runner.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle {
namespace {

constexpr uint64_t threads = 128;
constexpr std::size_t together = 16;  // instructions of one kernel
constexpr std::size_t sources = 3;    // a thread has %a0, %a1 and %a2 of each width

std::vector<std::string> with(const std::string& text, const std::vector<int64_t>& values) {
  std::vector<std::string> out;
  for (const int64_t v : values) {
    std::string line = text;
    for (std::size_t at = line.find('#'); at != std::string::npos; at = line.find('#'))
      line.replace(at, 1, std::to_string(v));
    out.push_back(line);
  }
  return out;
}

// Scalar video instructions: every choice of types, each with some parts of its operands.
std::vector<std::string> video(std::mt19937& random) {
  const std::array<const char*, 7> parts{"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
  const auto part = [&] { return std::string(parts[random() % parts.size()]); };
  std::vector<std::string> all;
  const auto add = [&](const std::string& mnemonic, const std::string& end) {
    const std::string sources = ", %r1" + part() + ", %r2" + part();
    all.push_back(mnemonic + end + " %r0" + sources + ";");
    all.push_back(mnemonic + end + " %r0" + std::string(parts[1 + random() % 6]) + sources + ", %r3;");
    for (const char* second : {".add", ".min", ".max"})
      all.push_back(mnemonic + end + second + " %r0" + sources + ", %r3;");
  };
  for (const char* a : {".u32", ".s32"}) {
    for (const char* d : {".u32", ".s32"}) {
      for (const char* sat : {"", ".sat"}) {
        for (const char* b : {".u32", ".s32"}) {
          const std::string types = std::string(d) + a + b;
          for (const char* op : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"}) add(op + types, sat);
          for (const char* scale : {"", ".shr7", ".shr15"}) {
            const std::string sources = " %r0, %r1" + part() + ", %r2" + part();
            all.push_back("vmad" + types + sat + scale + sources + ", %r3;");
            all.push_back("vmad" + types + sat + scale + sources + ", -%r3;");
            all.push_back("vmad" + types + ".po" + sat + scale + sources + ", %r3;");
            all.push_back("vmad" + types + sat + scale + " %r0, %r1" + part() + ", -%r2, %r3;");
          }
        }
        for (const char* extend : {".clamp", ".wrap"}) {
          for (const char* op : {"vshl", "vshr"})
            add(std::string(op) + d + a + ".u32", std::string(sat) + extend);
        }
      }
    }
    for (const char* b : {".u32", ".s32"}) {
      for (const char* cmp : {".eq", ".ne", ".lt", ".le", ".gt", ".ge"})
        add(std::string("vset") + a + b, cmp);
    }
  }
  return all;
}

// %h: 16 bits, %r: 32, %d: 64, %p: predicates; h0, r0 and d0 take results, those from 1 on are sources.
std::vector<std::string> instructions() {
  std::vector<std::string> all;
  const auto add = [&](const std::string& text, const std::vector<int64_t>& values = {0}) {
    for (std::string& line : with(text, values)) all.push_back(std::move(line));
  };
  const std::vector<int64_t> amounts{0, 1, 4, 7, 8, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 127, 255};
  const std::vector<int64_t> numbers{0, 1, 2, 3, 7, 10, 16, 1000, 32767, -1, -2, -8, -32768};
  const std::vector<int64_t> more{65537, 0x7fffffff, -2147483647 - 1, 0x12345678};
  std::vector<int64_t> tables, selections;
  for (int64_t i = 0; i < 256; ++i) tables.push_back(i);
  std::mt19937 random(1);
  for (int64_t i = 0; i < 64; ++i) selections.push_back(static_cast<int64_t>(random() & 0xffff));
  add("lop3.b32 %r0, %r1, %r2, %r3, #;", tables);
  add("lop3.and.b32 %r0|%p0, %r1, %r2, %r3, #, %p1;", {0, 0x80, 0xe8, 0xff});
  for (const int64_t known : {0x5410, 0x7632, 0x0123, 0x3210, 0x7654, 0x4440, 0x8080, 0xfedc, 0xbbbb, 0x1054})
    selections.push_back(known);
  add("prmt.b32 %r0, %r1, %r2, #;", selections);
  for (const char* mode : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})
    add(std::string("prmt.b32.") + mode + " %r0, %r1, %r2, #;", {0, 1, 2, 3, 7});
  for (const char* type : {"b32", "u32", "s32"}) add(std::string("shr.") + type + " %r0, %r1, #;", amounts);
  for (const char* type : {"b64", "u64", "s64"}) add(std::string("shr.") + type + " %d0, %d1, #;", amounts);
  for (const char* type : {"b16", "u16", "s16"}) add(std::string("shr.") + type + " %h0, %h1, #;", amounts);
  add("shl.b32 %r0, %r1, #;", amounts);
  add("shl.b64 %d0, %d1, #;", amounts);
  add("shl.b16 %h0, %h1, #;", amounts);
  add("shl.b32 %r0, #, %r1;", numbers);
  for (const char* form : {"l.clamp", "l.wrap", "r.clamp", "r.wrap"})
    add(std::string("shf.") + form + ".b32 %r0, %r1, %r2, #;", amounts);
  for (const char* type : {"u32", "s32"}) {
    add(std::string("bfe.") + type + " %r0, %r1, #, 5;", amounts);
    add(std::string("bfe.") + type + " %r0, %r1, 5, #;", amounts);
    add(std::string("szext.clamp.") + type + " %r0, %r1, #;", amounts);
    add(std::string("szext.wrap.") + type + " %r0, %r1, #;", amounts);
  }
  for (const char* type : {"u64", "s64"}) {
    add(std::string("bfe.") + type + " %d0, %d1, #, 37;", amounts);
    add(std::string("bfe.") + type + " %d0, %d1, 37, #;", amounts);
  }
  add("bfi.b32 %r0, %r1, %r2, #, 9;", amounts);
  add("bfi.b64 %d0, %d1, %d2, 9, #;", amounts);
  add("bmsk.clamp.b32 %r0, #, 9;", amounts);
  add("bmsk.wrap.b32 %r0, 9, #;", amounts);
  add("fns.b32 %r0, %r1, #, 1;", amounts);
  add("fns.b32 %r0, %r1, 17, #;", numbers);
  for (const char* op : {"div", "rem", "min", "max", "add", "sub", "mul.lo", "mul.hi"}) {
    for (const char* type : {"u16", "s16"}) add(std::string(op) + "." + type + " %h0, %h1, #;", numbers);
    for (const char* type : {"u32", "s32"}) {
      add(std::string(op) + "." + type + " %r0, %r1, #;", numbers);
      add(std::string(op) + "." + type + " %r0, %r1, #;", more);
      add(std::string(op) + "." + type + " %r0, #, %r1;", more);
    }
    for (const char* type : {"u64", "s64"}) {
      add(std::string(op) + "." + type + " %d0, %d1, #;", numbers);
      add(std::string(op) + "." + type + " %d0, %d1, #;", more);
    }
  }
  add("add.sat.s32 %r0, %r1, #;", more);
  add("mad24.hi.sat.s32 %r0, %r1, #, %r3;", more);
  add("mad.wide.u16 %r0, %h1, 1000, %r2;");
  add("dp4a.s32.u32 %r0, %r1, #, %r2;", more);
  for (const char* cmp : {"lt.s32", "hi.u32", "eq.b32"}) {
    add(std::string("setp.") + cmp + " %p0|%p2, %r1, #; selp.b32 %r0, 1, 2, %p0; @%p2 add.u32 %r0, %r0, 8;",
        more);
    add(std::string("setp.") + cmp + ".xor %p1, %r1, #, !%p1; selp.b32 %r0, %r2, #, %p1;", more);
  }
  add("slct.s32.s32 %r0, #, %r1, %r2;", numbers);
  add("set.ge.and.f32.s32 %r0, %r1, #, %p1;", numbers);
  // Carry from one to the next, and into a guarded one.
  add("add.cc.u32 %r0, %r1, #; addc.cc.u32 %r0, %r0, %r2; addc.u32 %r0, %r0, 0;", more);
  add("sub.cc.u32 %r0, %r1, #; subc.cc.u32 %r0, %r0, %r2; subc.u32 %r0, %r0, 0;", more);
  add("add.cc.u32 %r0, %r1, #; @%p1 sub.cc.u32 %r0, %r2, %r3; addc.u32 %r0, %r0, 0;", more);
  add("mad.lo.cc.u64 %d0, %d1, %d2, %d3; madc.hi.u64 %d0, %d1, %d2, %d0;");
  // Results in wider registers, sources from wider registers.
  for (const char* to : {"u8", "s8", "u16", "s16", "u32", "s32"}) {
    for (const char* from : {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}) {
      const std::string cvt = std::string("cvt.") + to + "." + from;
      add(cvt + " %d0, %d1;");
      if (std::string_view(from) != "u64" && std::string_view(from) != "s64") add(cvt + " %r0, %r1;");
    }
    add(std::string("cvt.rzi.") + to + ".f32 %d0, %r1;");
    add(std::string("cvt.rn.f32.") + to + " %r0, %d1;");
    add(std::string("cvt.rz.f64.") + to + " %d0, %r1;");
    add(std::string("cvt.rp.f32.") + to + " %r0, #;", {0, 1, 100});
  }
  for (std::string& line : video(random)) all.push_back(std::move(line));
  return all;
}

// Several instructions, each on the sources as they were read; three results of each.
std::string kernel(std::size_t index, std::span<const std::string> instructions) {
  std::string text = ".visible .entry k" + std::to_string(index) + R"((.param .u64 in, .param .u64 out) {
.reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<3>; .reg .b64 %in, %out; .reg .b32 %i;
mov.u32 %i, %tid.x;
ld.param.u64 %in, [in];
mad.wide.u32 %in, %i, 8, %in;
ld.param.u64 %out, [out];
mad.wide.u32 %out, %i, 8, %out;
)";
  std::size_t place = 0;
  for (const std::string& instruction : instructions) {
    for (std::size_t s = 1; s <= sources; ++s) {
      const std::string n = std::to_string(s);
      text += "ld.global.u64 %d" + n + ", [%in+" + std::to_string(8 * threads * (s - 1)) + "];\n";
      text += "cvt.u32.u64 %r" + n + ", %d" + n + "; cvt.u16.u64 %h" + n + ", %d" + n + ";\n";
    }
    text += "setp.lt.s32 %p1, %r3, 0; mov.b16 %h0, 0; mov.b32 %r0, 0; mov.b64 %d0, 0;\n" + instruction + "\n";
    const auto store = [&](const char* convert) {
      text +=
          std::string(convert) + "st.global.u64 [%out+" + std::to_string(8 * threads * place++) + "], %d0;\n";
    };
    store("");
    store("cvt.u64.u32 %d0, %r0; ");
    store("cvt.u64.u16 %d0, %h0; ");
  }
  return text + "ret; }\n";
}

uint64_t operand(std::mt19937_64& random) {
  static constexpr std::array<uint64_t, 16> edges{0,          1,          31,           32,
                                                  0x7f,       0x80,       0xffff,       0x8000,
                                                  0x7fffffff, 0x80000000, 0xffffffff,   0x3f800000,
                                                  0xcf000000, 0x7fc00000, ~uint64_t{0}, uint64_t{1} << 63};
  const uint64_t choice = random(), bits = random();
  if ((choice & 1) != 0) return edges[choice >> 8 & 15] | (choice & 2 ? 0 : edges[choice >> 16 & 15] << 32);
  return bits >> (choice >> 24 & 63);
}

TEST(Lowering, ImmediatesAndWiderRegistersAreAsInTheReferenceExecutor) {
  const std::vector<std::string> all = instructions();
  std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n";
  const std::size_t kernels = (all.size() + together - 1) / together;
  const auto part = [&](std::size_t k) {
    return std::span(all).subspan(k * together, std::min(together, all.size() - k * together));
  };
  for (std::size_t k = 0; k < kernels; ++k) text += kernel(k, part(k));
  Diagnostics diagnostics;
  auto source = std::make_shared<const SourceText>("lowering.ptx", text);
  const ptx::Module syntax = ptx::read(source, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.render(*source).substr(0, 4000);
  const ptx::Module* modules[] = {&syntax};
  auto linked = module::link(modules);
  ASSERT_TRUE(linked.ok()) << linked.error().messages.front();
  exec::LoadedModule loaded;
  loaded.image = std::move(linked).value();
  const auto device = arch::find_device("h200");
  ASSERT_TRUE(device.ok()) << device.error().message;

  NoServices services;
  Arena arena(threads * 24 * (1 + together));
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < threads * sources; ++i) arena.data()[i] = operand(random);
  uint64_t* out = arena.data() + threads * sources;
  const uint64_t params[2] = {reinterpret_cast<uintptr_t>(arena.data()), reinterpret_cast<uintptr_t>(out)};
  exec::jit::ScalarRunner runner(exec::interp::make_reference_lanes_factory());
  const auto fast = exec::jit::make_executor({}, exec::interp::make_executor(),
                                             exec::interp::make_reference_lanes_factory());
  ASSERT_TRUE(fast.ok()) << fast.error();
  const auto reference = exec::interp::make_executor();
  for (std::size_t k = 0; k < kernels; ++k) {
    exec::Launch launch;
    launch.module = &loaded;
    launch.function = loaded.image->function_index("k" + std::to_string(k));
    launch.shape.block = {threads};
    launch.params = std::as_bytes(std::span(params));
    launch.device = *device;
    launch.memory = &arena.guest();
    launch.services = &services;
    const std::size_t values = 3 * part(k).size() * threads;
    const auto run = [&](exec::Executor& executor) {
      std::fill_n(out, values, 0);
      const auto outcome = executor.run(launch);
      EXPECT_TRUE(outcome.ok()) << part(k)[0] << ": " << outcome.error().message();
      return std::vector<uint64_t>(out, out + values);
    };
    const auto expected = run(*reference);
    for (exec::Executor* executor : {static_cast<exec::Executor*>(&runner), fast->get()}) {
      const auto results = run(*executor);
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i] == expected[i]) continue;
        const uint64_t* in = arena.data() + i % threads;
        ADD_FAILURE() << executor->name() << ": " << part(k)[i / threads / 3] << std::hex << ": "
                      << results[i] << ", not " << expected[i] << ", for " << in[0] << " " << in[threads]
                      << " " << in[2 * threads];
        break;
      }
    }
    EXPECT_EQ(runner.steps(), 0u) << part(k)[0];
  }
}

}  // namespace
}  // namespace heddle
