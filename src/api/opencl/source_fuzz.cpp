// Whatever a program says, building it ends: with PTX that links and a description that belongs to it, or
// with a log that says why there is none. The text's first line is a comment with the options: "//
// -cl-std=CL3.0".
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "api/opencl/extension.h"
#include "arch/device.h"
#include "frontend/opencl.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace {

using heddle::frontend::OpenClResult;
using heddle::frontend::OpenClStatus;

// Words of the language by what they may stand for: bytes at random are rarely a program, another type in a
// type's place often is one.
constexpr auto types = std::to_array<std::string_view>(
    {"char",   "uchar",  "short",      "int",     "uint",      "long",      "ulong",     "float",
     "double", "half",   "bool",       "size_t",  "int2",      "int3",      "uint4",     "float2",
     "float3", "float4", "float16",    "double2", "char4",     "uchar16",   "short8",    "long2",
     "half4",  "void",   "atomic_int", "event_t", "image2d_t", "image3d_t", "sampler_t", "struct S"});
constexpr auto functions = std::to_array<std::string_view>({"sqrt",
                                                            "sin",
                                                            "pow",
                                                            "fma",
                                                            "fract",
                                                            "modf",
                                                            "lgamma_r",
                                                            "ldexp",
                                                            "popcount",
                                                            "clz",
                                                            "rotate",
                                                            "mul_hi",
                                                            "add_sat",
                                                            "hadd",
                                                            "dot",
                                                            "cross",
                                                            "normalize",
                                                            "step",
                                                            "any",
                                                            "select",
                                                            "bitselect",
                                                            "isnan",
                                                            "vload4",
                                                            "vstore3",
                                                            "vload_half",
                                                            "shuffle",
                                                            "shuffle2",
                                                            "as_float4",
                                                            "as_uint",
                                                            "convert_uchar_sat",
                                                            "convert_short4_sat_rte",
                                                            "native_exp",
                                                            "half_sin",
                                                            "barrier",
                                                            "mem_fence",
                                                            "atomic_add",
                                                            "atomic_cmpxchg",
                                                            "atom_add",
                                                            "atomic_load",
                                                            "work_group_all",
                                                            "work_group_reduce_add",
                                                            "sub_group_reduce_add",
                                                            "sub_group_shuffle",
                                                            "get_global_id",
                                                            "get_local_size",
                                                            "async_work_group_copy",
                                                            "async_work_group_strided_copy",
                                                            "wait_group_events",
                                                            "prefetch",
                                                            "read_imagef",
                                                            "write_imagef",
                                                            "get_image_width",
                                                            "printf",
                                                            "to_global",
                                                            "(float4)",
                                                            "(long)",
                                                            "sizeof",
                                                            "vec_step",
                                                            "__builtin_astype",
                                                            "__builtin_trap"});
constexpr auto numbers = std::to_array<std::string_view>({"0",           "1",
                                                          "-1",          "7",
                                                          "31",          "32",
                                                          "33",          "64",
                                                          "1u",          "1l",
                                                          "1.0f",        "1e30f",
                                                          "1e400",       "0x7fffffff",
                                                          "0x80000000u", "0x7fffffffffffffff",
                                                          "4096",        "2.5",
                                                          "2.5h",        "(char)3",
                                                          "(float4)(1)", "(int3)(1,2,3)",
                                                          "NAN",         "INFINITY"});
constexpr auto others = std::to_array<std::string_view>({"global",
                                                         "local",
                                                         "constant",
                                                         "private",
                                                         "generic",
                                                         "const",
                                                         "volatile",
                                                         "restrict",
                                                         "kernel",
                                                         "static",
                                                         "inline",
                                                         "typedef",
                                                         "union",
                                                         "enum",
                                                         "goto",
                                                         "switch",
                                                         "case 1:",
                                                         "default:",
                                                         "break",
                                                         "while(1)",
                                                         "do",
                                                         "return",
                                                         "if",
                                                         "else",
                                                         "__attribute__((noinline))",
                                                         "__attribute__((reqd_work_group_size(8,1,1)))",
                                                         "__attribute__((packed))",
                                                         "__attribute__((aligned(16)))",
                                                         "asm(\"mov.u32 %0, %%laneid;\":\"=r\"(",
                                                         "#pragma unroll\n",
                                                         "#pragma OPENCL EXTENSION all : enable\n",
                                                         "#define A A A\n",
                                                         "#include \"x\"\n",
                                                         "#if",
                                                         "#endif\n",
                                                         ".x",
                                                         ".s0123",
                                                         ".hi",
                                                         ".even",
                                                         "[0]",
                                                         "->",
                                                         "++",
                                                         "? :",
                                                         "\"%v4hld\"",
                                                         "{",
                                                         "}",
                                                         "(",
                                                         ")",
                                                         ";",
                                                         "*",
                                                         "&",
                                                         "'",
                                                         "\"",
                                                         "\\",
                                                         "/*",
                                                         "?"});

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_word(text[at]))
      while (end < text.size() && is_word(text[end])) ++end;
    parts.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

class Mutator {
 public:
  Mutator(std::string_view text, unsigned seed) : random_(seed), parts_(split(text)) {}

  std::string mutated() {
    for (unsigned changes = 1 + random_() % 3; changes > 0 && !parts_.empty(); --changes) change();
    std::string text;
    for (const std::string& part : parts_) text += part;
    return text;
  }

 private:
  template <class Words>
  std::string one_of(const Words& words) {
    return std::string(words[random_() % words.size()]);
  }
  std::string name() {
    for (int tries = 0; tries < 30; ++tries) {
      std::string part = one_of(parts_);
      if (is_word(part[0]) && std::isdigit(static_cast<unsigned char>(part[0])) == 0) return part;
    }
    return "x";
  }
  void change() {
    std::string& part = parts_[random_() % parts_.size()];
    const unsigned way = random_() % 8;
    if (way == 0)
      part = one_of(others);
    else if (way == 1)
      part += one_of(others);
    else if (way == 2)
      part.clear();
    else if (std::ranges::find(types, part) != types.end())
      part = one_of(types);
    else if (std::isdigit(static_cast<unsigned char>(part[0])) != 0)
      part = one_of(numbers);
    else if (!is_word(part[0]))
      part = one_of(parts_);
    else if (way == 3)
      part = one_of(functions) + "(" + part + ")";
    else if (way == 4)
      part = one_of(functions) + "(" + part + "," + name() + (random_() % 3 == 0 ? "," + name() : "") + ")";
    else if (way == 5)
      part = one_of(functions);
    else
      part = name();
    if (part.empty()) parts_.erase(parts_.begin() + (&part - parts_.data()));
  }

  std::mt19937 random_;
  std::vector<std::string> parts_;
};

void wrong(std::string_view what, std::string_view log) {
  std::fprintf(stderr, "%.*s\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(log.size()), log.data());
  std::abort();
}

}  // namespace

// What clang had when a source brought it down stays behind (frontend/guard.h).
extern "C" int __lsan_is_turned_off() { return 1; }

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  std::string text = Mutator({reinterpret_cast<const char*>(data), size}, seed).mutated();
  text.resize(std::min(text.size(), most));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most)
    __attribute__((weak));

namespace {

void build(std::string_view text) {
  static const auto target = [] {
    const heddle::arch::Device& device = **heddle::arch::find_device("h200");
    return heddle::frontend::OpenClTarget{std::string(device.arch.id.substr(3)),
                                          heddle::opencl::compiler_extensions(device)};
  }();
  std::string_view options = text.substr(0, text.find('\n'));
  options = options.starts_with("//") ? options.substr(2) : "";
  const OpenClResult built = heddle::frontend::build_opencl(target, text, options);
  if (!built.ok()) {
    if (built.log.empty()) wrong("no word of why the program was not built", "");
    if (built.status == OpenClStatus::no_compiler) wrong("the compiler was not found", built.log);
    return;
  }
  if (!heddle::frontend::kernels_of(built.ptx))
    wrong("the PTX has no description that can be read", built.ptx);
  heddle::Diagnostics diagnostics;
  const heddle::ptx::Module module =
      heddle::ptx::read(std::make_shared<const heddle::SourceText>("built.ptx", built.ptx), diagnostics);
  // What stands in asm is taken as it is: it may be no PTX.
  if (text.find("asm") != std::string_view::npos) return;
  if (diagnostics.has_errors()) wrong("the PTX cannot be read", built.ptx);
  const std::array<const heddle::ptx::Module*, 1> modules{&module};
  if (!heddle::module::link(modules)) wrong("the PTX does not link", built.ptx);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  build(text);
  // Where the corpus is only replayed, some of what is near it too.
  if (LLVMFuzzerMutate == nullptr)
    for (unsigned seed = 0; seed < 40; ++seed) build(Mutator(text, seed).mutated());
  return 0;
}
