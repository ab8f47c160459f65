#include "libs/cufft/callback.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "libs/common/call.h"
#include "libs/common/runtime.h"

namespace heddle::cufft {
namespace {

constexpr const char* kernel_name = "heddle_cufft_callback";
constexpr uint32_t threads = 128, most_blocks = 4096;

// The kernel's parameter.
struct Parameters {
  uint64_t routine, array, info, memory, count;
  int64_t distance;
  std::array<int64_t, 3> length{1, 1, 1}, stride{0, 0, 0};  // outermost first
};

// Finds an element's offset from its number, and calls the function with it: the one of this name, or else
// the one whose pointer the parameter has.
std::string text_of(CallbackType type, const std::string& symbol = "") {
  const bool wide = type.number == fft::Number::f64;
  const std::string word = wide ? "b64" : "b32", w = wide ? "%d" : "%w", bytes = wide ? "8" : "4";
  const std::string both = wide ? "16" : "8";
  const std::string size = type.complex ? both : bytes;
  // As compilers pass such a number.
  const auto parameter = [&](const std::string& name) {
    return type.complex ? ".param .align " + both + " .b8 " + name + "[" + both + "]"
                        : ".param ." + word + " " + name;
  };
  // One word or two of the element, from one place to another.
  const auto words = [&](const std::string& what, const std::string& place, bool to) {
    std::string all;
    for (int i = 0; i < (type.complex ? 2 : 1); ++i) {
      const std::string there = "[" + place + "+" + std::to_string(i * (wide ? 8 : 4)) + "]",
                        r = w + std::to_string(i);
      all += "  " + what + "." + word + " " + (to ? there + ", " + r : r + ", " + there) + ";\n";
    }
    return all;
  };
  std::string text = ".version 6.0\n.target sm_50\n.address_size 64\n";
  if (!symbol.empty())
    text += ".extern .func " + (type.load ? "(" + parameter("r") + ") " : "") + symbol +
            " (.param .b64 a0, .param .b64 a1, " + (type.load ? "" : parameter("e") + ", ") +
            ".param .b64 a2, .param .b64 a3);\n";
  text += R"(.extern .shared .align 16 .b8 heddle_cufft_shared[];
.visible .entry )" +
          std::string(kernel_name) +
          R"((.param .align 8 .b8 how[96]) {
  .reg .pred %p<2>;
  .reg .b32 %r<5>, %w<2>;
  .reg .b64 %d<2>, %routine, %array, %info, %memory, %count, %distance, %shared, %number, %step, %rest, %part, %offset, %at;
  .reg .b64 %length<3>, %stride<3>;
)";
  const char* const fields[] = {"routine", "array",   "info",    "memory",  "count",   "distance",
                                "length0", "length1", "length2", "stride0", "stride1", "stride2"};
  for (std::size_t i = 0; i < std::size(fields); ++i)
    text += std::string("  ld.param.b64 %") + fields[i] + ", [how+" + std::to_string(8 * i) + "];\n";
  if (!symbol.empty()) text += "  mov.u64 %routine, " + symbol + ";\n";
  text += R"(  mov.u64 %shared, heddle_cufft_shared;
  cvta.shared.u64 %shared, %shared;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %nctaid.x;
  mul.wide.u32 %number, %r0, %r1;
  cvt.u64.u32 %rest, %r2;
  add.u64 %number, %number, %rest;
  mul.wide.u32 %step, %r3, %r1;
next:
  setp.ge.u64 %p0, %number, %count;
  @%p0 bra done;
  mov.u64 %rest, %number;
  mov.u64 %offset, 0;
)";
  for (const char* d : {"2", "1", "0"})
    text += std::string("  rem.u64 %part, %rest, %length") + d + ";\n  div.u64 %rest, %rest, %length" + d +
            ";\n  mad.lo.u64 %offset, %part, %stride" + d + ", %offset;\n";
  text +=
      "  mad.lo.u64 %offset, %rest, %distance, %offset;\n  mad.lo.u64 %at, %offset, " + size + ", %memory;\n";
  const std::string before =
      "  {\n  .param .b64 a0; .param .b64 a1; .param .b64 a2; .param .b64 a3; " + parameter("element") +
      ";\n  st.param.b64 [a0], %array;\n  st.param.b64 [a1], %offset;\n  st.param.b64 [a2], %info;\n"
      "  st.param.b64 [a3], %shared;\n";
  if (type.load) {
    text += before + "prototype: .callprototype (" + parameter("_") +
            ") _ (.param .b64 _, .param .b64 _, .param .b64 _, .param .b64 _);\n"
            "  call (element), %routine, (a0, a1, a2, a3), prototype;\n" +
            words("ld.param", "element", false) + "  }\n" + words("st.global", "%at", true);
  } else {
    text += words("ld.global", "%at", false) + before + words("st.param", "element", true) +
            "prototype: .callprototype _ (.param .b64 _, .param .b64 _, " + parameter("_") +
            ", .param .b64 _, .param .b64 _);\n  call %routine, (a0, a1, element, a2, a3), prototype;\n  }\n";
  }
  return text + "  add.u64 %number, %number, %step;\n  bra next;\ndone:\n  ret;\n}\n";
}

libs::Callers& callers() {
  static auto* const all = static_cast<libs::Callers*>(heddle_find("libheddle", "callers"));
  return *all;
}

}  // namespace

CallbackType meaning(cufftXtCallbackType type) {
  using fft::Number;
  switch (type) {
    case CUFFT_CB_LD_COMPLEX: return {true, true, Number::f32};
    case CUFFT_CB_LD_COMPLEX_DOUBLE: return {true, true, Number::f64};
    case CUFFT_CB_LD_REAL: return {true, false, Number::f32};
    case CUFFT_CB_LD_REAL_DOUBLE: return {true, false, Number::f64};
    case CUFFT_CB_ST_COMPLEX: return {false, true, Number::f32};
    case CUFFT_CB_ST_COMPLEX_DOUBLE: return {false, true, Number::f64};
    case CUFFT_CB_ST_REAL: return {false, false, Number::f32};
    case CUFFT_CB_ST_REAL_DOUBLE: return {false, false, Number::f64};
    default: libs::refuse_code(CUFFT_INVALID_TYPE, "no such type of callback");
  }
}

Callback::Callback(void* info, uint64_t bytes) : info_(reinterpret_cast<uint64_t>(info)) {
  if (HEDDLE_RUNTIME(cudaMalloc)(&memory_, bytes) != cudaSuccess)
    libs::refuse(libs::Why::alloc_failed, std::to_string(bytes) + " bytes for the elements of a callback");
}

Callback::Callback(CallbackType type, void* routine, void* info, uint64_t bytes) : Callback(info, bytes) {
  routine_ = reinterpret_cast<uint64_t>(routine);
  libs::Failure failure;
  kernel_ = callers().find(routine_, kernel_name, text_of(type), failure);
  if (kernel_ == nullptr) libs::refuse(libs::Why::invalid_value, std::move(failure.message));
}

Callback::Callback(CallbackType type, const CallbackProgram& program, void* info, uint64_t bytes)
    : Callback(info, bytes) {
  libs::Failure failure;
  kernel_ = callers().link(program.bytes.data(), program.bytes.size(), kernel_name,
                           text_of(type, program.symbol), failure);
  if (kernel_ == nullptr) libs::refuse(libs::Why::invalid_value, std::move(failure.message));
}

Callback::~Callback() { HEDDLE_RUNTIME(cudaFree)(memory_); }

void Callback::run(cudaStream_t stream, const Elements& elements, void* array, uint32_t shared_bytes) const {
  Parameters parameters{.routine = routine_,
                        .array = reinterpret_cast<uint64_t>(array),
                        .info = info_,
                        .memory = reinterpret_cast<uint64_t>(memory_),
                        .count = static_cast<uint64_t>(elements.batch),
                        .distance = elements.layout.distance};
  const std::size_t rank = elements.lengths.size();
  for (std::size_t d = 0; d < rank; ++d) {
    parameters.length[3 - rank + d] = elements.lengths[d];
    parameters.stride[3 - rank + d] = elements.layout.strides[d];
    parameters.count *= static_cast<uint64_t>(elements.lengths[d]);
  }
  const uint64_t blocks = std::min<uint64_t>((parameters.count + threads - 1) / threads, most_blocks);
  libs::Failure failure = kernel_->launch(stream, {static_cast<uint32_t>(blocks), threads, shared_bytes},
                                          &parameters, sizeof parameters);
  if (failure.code != 0) libs::refuse(libs::Why::execution_failed, std::move(failure.message));
}

}  // namespace heddle::cufft
