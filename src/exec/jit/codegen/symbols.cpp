#include "exec/jit/codegen/symbols.h"

#include <array>
#include <cmath>
#include <cstring>

#include "exec/jit/math/host_rounding.h"
#include "math/math.h"

// Of the compiler's own library; their types do not matter, only their addresses are taken.
extern "C" {
void __udivti3();
void __umodti3();
void __divti3();
void __modti3();
void __extendhfsf2();
void __truncsfhf2();
void __truncdfhf2();
}

namespace heddle::exec::jit {

namespace {

struct Function {
  std::string_view name;
  const void* address;
};

template <class F>
const void* address(F* function) {
  return reinterpret_cast<const void*>(function);
}

}  // namespace

const void* find_runtime_function(std::string_view name) {
  static const std::array functions{
      Function{"memcpy", address(&memcpy)},
      Function{"memmove", address(&memmove)},
      Function{"memset", address(&memset)},
      // Correctly rounded whether or not the host has the instruction (x86-64-v2 has not).
      Function{"fmaf", address(static_cast<float (*)(float, float, float)>(&fmaf))},
      Function{"fma", address(static_cast<double (*)(double, double, double)>(&::fma))},
      // frem: exact.
      Function{"fmodf", address(static_cast<float (*)(float, float)>(&fmodf))},
      Function{"fmod", address(static_cast<double (*)(double, double)>(&::fmod))},
      Function{"heddle_jit_rounded", address(&heddle_jit_rounded)},
      Function{"__udivti3", address(&__udivti3)},
      Function{"__umodti3", address(&__umodti3)},
      Function{"__divti3", address(&__divti3)},
      Function{"__modti3", address(&__modti3)},
      Function{"__extendhfsf2", address(&__extendhfsf2)},
      Function{"__truncsfhf2", address(&__truncsfhf2)},
      Function{"__truncdfhf2", address(&__truncdfhf2)},
  };
  for (const Function& f : functions) {
    if (f.name == name) return f.address;
  }
  return math::find_code(name);
}

}  // namespace heddle::exec::jit
