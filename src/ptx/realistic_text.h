// PTX as compilers write it, in any amount: kernels of address arithmetic, loads, floating-point chains,
// branches, calls through .param space and .loc lines. For the bench and for tests that want size; seeded, so
// that it is always the same.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/random_text.h"

namespace heddle::ptx::testing {

class RealisticText {
 public:
  explicit RealisticText(uint64_t seed) : random_(seed) {}

  std::string module(std::size_t bytes) {
    out_ =
        "//\n// Generated for measuring\n//\n\n.version 8.0\n.target sm_80, debug\n.address_size 64\n\n"
        "\t.file\t1 \"/tmp/k.cu\"\n"
        ".extern .func  (.param .b32 func_retval0) vprintf\n(\n\t.param .b64 vprintf_param_0,\n"
        "\t.param .b64 vprintf_param_1\n)\n;\n"
        ".global .align 4 .b8 table[64] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 6, 0, "
        "0, 0};\n\n";
    for (int i = 0; out_.size() < bytes; ++i) kernel(i, bytes);
    return std::move(out_);
  }

 private:
  std::string reg(const char* prefix) { return prefix + std::to_string(1 + random_(kRegisters)); }
  void line(const std::string& text) { out_ += '\t' + text + ";\n"; }

  void kernel(int number, std::size_t bytes) {
    const std::string name = "_Z6kernelILi" + std::to_string(number) + "EEvPKfPfi";
    out_ += "\t// .globl\t" + name + "\n.visible .entry " + name + "(\n";
    for (int i = 0; i < 3; ++i) {
      out_ += "\t.param .u64 " + name + "_param_" + std::to_string(i) + (i < 2 ? ",\n" : "\n");
    }
    out_ +=
        ")\n.maxntid 256, 1, 1\n{\n\t.reg .pred \t%p<500>;\n\t.reg .b32 \t%r<500>;\n\t.reg .f32 \t%f<500>;\n"
        "\t.reg .b64 \t%rd<500>;\n\n";
    line("ld.param.u64 \t%rd1, [" + name + "_param_0]");
    line("cvta.to.global.u64 \t%rd2, %rd1");
    line("mov.u32 \t%r1, %ctaid.x");
    line("mov.u32 \t%r2, %ntid.x");
    line("mov.u32 \t%r3, %tid.x");
    line("mad.lo.s32 \t%r4, %r1, %r2, %r3");
    for (int i = 0; i < 600 && out_.size() < bytes; ++i) statement(number, i);
    out_ += "$L__BB" + std::to_string(number) + "_0:\n";
    line("ret");
    out_ += "\n}\n";
  }

  void statement(int kernel_number, int number) {
    if (random_(6) == 0)
      out_ += "\t.loc\t1 " + std::to_string(10 + random_(900)) + " " + std::to_string(random_(60)) + "\n";
    switch (random_(14)) {
      case 0: line("add.s32 \t" + reg("%r") + ", " + reg("%r") + ", " + std::to_string(random_(4096))); break;
      case 1: line("mul.wide.s32 \t" + reg("%rd") + ", " + reg("%r") + ", 4"); break;
      case 2: line("add.s64 \t" + reg("%rd") + ", " + reg("%rd") + ", " + reg("%rd")); break;
      case 3:
      case 4:
        line("ld.global.nc.f32 \t" + reg("%f") + ", [" + reg("%rd") + "+" +
             std::to_string(4 * random_(1000)) + "]");
        break;
      case 5: line("st.global.f32 \t[" + reg("%rd") + "], " + reg("%f")); break;
      case 6:
      case 7:
        line("fma.rn.f32 \t" + reg("%f") + ", " + reg("%f") + ", " + reg("%f") + ", " + reg("%f"));
        break;
      case 8: line("mul.f32 \t" + reg("%f") + ", " + reg("%f") + ", 0f3F000000"); break;
      case 9:
        line("setp.lt.s32 \t" + reg("%p") + ", " + reg("%r") + ", " + std::to_string(random_(100)));
        break;
      case 10: {
        const std::string label = "$L__BB" + std::to_string(kernel_number) + "_" + std::to_string(number + 1);
        line("@" + reg("%p") + " bra \t" + label);
        line("mov.u32 \t" + reg("%r") + ", -1");
        out_ += '\n' + label + ":\n";
        break;
      }
      case 11: line("selp.b32 \t" + reg("%r") + ", " + reg("%r") + ", 0, " + reg("%p")); break;
      case 12:
        line("ld.global.v4.f32 \t{" + reg("%f") + ", " + reg("%f") + ", " + reg("%f") + ", " + reg("%f") +
             "}, [" + reg("%rd") + "]");
        break;
      default: call(number); break;
    }
  }

  void call(int number) {
    if (random_(4) != 0) {
      line("shl.b32 \t" + reg("%r") + ", " + reg("%r") + ", 2");
      return;
    }
    out_ += "\t{ // callseq " + std::to_string(number) +
            ", 0\n\t.reg .b32 temp_param_reg;\n\t.param .b64 param0;\n";
    line("st.param.b64 \t[param0+0], " + reg("%rd"));
    out_ += "\t.param .b64 param1;\n";
    line("st.param.b64 \t[param1+0], " + reg("%rd"));
    out_ += "\t.param .b32 retval0;\n\tcall.uni (retval0), \n\tvprintf, \n\t(\n\tparam0, \n\tparam1\n\t);\n";
    line("ld.param.b32 \t" + reg("%r") + ", [retval0+0]");
    out_ += "\t} // callseq " + std::to_string(number) + "\n";
  }

  static constexpr uint32_t kRegisters = 498;
  Random random_;
  std::string out_;
};

}  // namespace heddle::ptx::testing
