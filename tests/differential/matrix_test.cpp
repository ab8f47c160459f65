// Matrix instructions by the fast executor, in vectors of every kind of host and by threads on their own, and
// by the reference executor: all spellings, on numbers of every kind.
#include <gtest/gtest.h>

#include <random>

#include "exec/interp/lanes.h"
#include "exec/interp/program_runner.h"
#include "exec/jit/executor.h"
#include "said.h"

namespace heddle {
namespace {

using exec::interp::ProgramResult;

constexpr uint32_t warps = 2, blocks = 6, threads = 32 * warps * blocks;

// ---- what the registers hold
enum class Numbers : uint8_t { f16, bf16, f32, f64, small, integers };

// One register of one lane. Blocks 0 and 1 have usual numbers, 2 those of very different size, 3 any bits but
// no infinities, 4 any bits, 5 mostly special ones.
class Random {
 public:
  uint64_t word(Numbers numbers, uint32_t block) {
    const uint64_t bits = engine_();
    if (numbers == Numbers::integers || numbers == Numbers::small) {
      if (block != 5) return bits;
      constexpr uint64_t special[] = {0,
                                      ~0ULL,
                                      0x8080'8080'8080'8080,
                                      0x7f7f'7f7f'7f7f'7f7f,
                                      0x0101'0101'0101'0101,
                                      0x7fff'ffff'7fff'ffff,
                                      0x8000'0000'8000'0000,
                                      0x7c7c'fcfc'7e7e'0303};
      return bits % 3 == 0 ? bits : special[bits >> 8 & 7];
    }
    switch (numbers) {
      case Numbers::f16: return halves(bits, block, 10, 5);
      case Numbers::bf16: return halves(bits, block, 7, 8);
      case Numbers::f32: return limited(bits & 0xffff'ffff, block, 23, 8);
      default: return limited(bits, block, 52, 11);
    }
  }

 private:
  uint64_t halves(uint64_t bits, uint32_t block, int fraction, int exponent) {
    return limited(bits & 0xffff, block, fraction, exponent) |
           limited(bits >> 16 & 0xffff, block, fraction, exponent) << 16;
  }

  uint64_t limited(uint64_t bits, uint32_t block, int fraction, int exponent) {
    const uint64_t ones = (uint64_t{1} << exponent) - 1, middle = ones >> 1;
    const uint64_t sign = bits & uint64_t{1} << (fraction + exponent);
    const uint64_t low = bits & ((uint64_t{1} << fraction) - 1);
    const auto with = [&](uint64_t e) { return sign | e << fraction | low; };
    const uint64_t e = engine_();
    switch (block) {
      case 0:
      case 1: return with(middle - 3 + e % 5);
      case 2: return with(middle - middle / 2 + e % middle);
      case 3: return with(e % ones);
      case 4: return bits;
      default: break;
    }
    const uint64_t infinity = ones << fraction;
    const uint64_t special[] = {sign,
                                sign | infinity,
                                sign | infinity | 1,
                                sign | infinity | low | uint64_t{1} << (fraction - 1),
                                sign | low,
                                sign | 1,
                                sign | (infinity - 1),
                                sign | middle << fraction};
    return e % 16 < 9 ? with(middle - 1 + e % 3) : special[e >> 8 & 7];
  }

  std::mt19937_64 engine_{20261122};
};

// ---- the instructions
struct Fragment {
  int count = 0;
  Numbers numbers = Numbers::f16;
  bool as_float = false;  // registers of .f32, not of .b32
  bool wide() const { return numbers == Numbers::f64; }
};

struct Instruction {
  std::string text;  // up to the operands
  Fragment d, a, b, c;
  std::string more;  // operands behind c; %e is a register of any bits, %s and %z scales
};

// What it is written for: some are gone again, others not yet on any device here.
enum class Age : uint8_t { old, usual, late };
Age age_of(const Instruction& i) {
  if (i.text.find("kind::") != std::string::npos) return Age::late;
  return i.text.starts_with("wmma") && i.a.numbers == Numbers::f16 && i.text.ends_with(".satfinite")
             ? Age::old
             : Age::usual;
}
const char* head_of(Age age) {
  switch (age) {
    case Age::old: return ".version 6.3\n.target sm_70\n";
    case Age::usual: return ".version 8.8\n.target sm_90\n";
    case Age::late: break;
  }
  return ".version 8.8\n.target sm_120a\n";
}

Fragment sums(int count, std::string_view type) {
  if (type == "f16") return {count, Numbers::f16, false};
  if (type == "f32") return {count, Numbers::f32, true};
  if (type == "f64") return {count, Numbers::f64, false};
  return {count, Numbers::integers, false};
}

using Types = std::vector<std::string>;

// A shape with the numbers of registers of A and B.
struct Shape {
  const char* name;
  int a, b, c;
};

void add_mma(std::vector<Instruction>& all) {
  const auto add = [&](const Shape& shape, const std::string& d, const std::string& a, const std::string& b,
                       const std::string& c, Numbers numbers, const std::string& middle = "",
                       const std::string& end = "", const std::string& layouts = "row.col") {
    // Halves of sums are two to a register.
    const auto registers = [&](const std::string& type) { return type == "f16" ? shape.c / 2 : shape.c; };
    std::string text = "mma.sync.aligned.";
    text += shape.name;
    text += "." + layouts + middle + "." + d + "." + a + "." + b + "." + c + end;
    all.push_back(
        {text, sums(registers(d), d), {shape.a, numbers}, {shape.b, numbers}, sums(registers(c), c), ""});
  };
  for (const Shape& s : {Shape{"m16n8k8", 2, 1, 4}, Shape{"m16n8k16", 4, 2, 4}}) {
    add(s, "f16", "f16", "f16", "f16", Numbers::f16);
    add(s, "f32", "f16", "f16", "f32", Numbers::f16);
    add(s, "f32", "bf16", "bf16", "f32", Numbers::bf16);
  }
  for (const char* layouts : {"row.row", "row.col", "col.row", "col.col"}) {
    const Shape s{"m8n8k4", 2, 2, 8};
    add(s, "f16", "f16", "f16", "f16", Numbers::f16, "", "", layouts);
    add(s, "f32", "f16", "f16", "f16", Numbers::f16, "", "", layouts);
    add(s, "f32", "f16", "f16", "f32", Numbers::f16, "", "", layouts);
  }
  for (const Shape& s : {Shape{"m16n8k4", 2, 1, 4}, Shape{"m16n8k8", 4, 2, 4}})
    add(s, "f32", "tf32", "tf32", "f32", Numbers::f32);
  for (const Shape& s : {Shape{"m8n8k4", 1, 1, 2}, Shape{"m16n8k4", 2, 1, 4}, Shape{"m16n8k8", 4, 2, 4},
                         Shape{"m16n8k16", 8, 4, 4}})
    for (const char* rounding : {"", ".rn", ".rz", ".rp"})
      add(s, "f64", "f64", "f64", "f64", Numbers::f64, rounding);
  for (const char* saturate : {"", ".satfinite"})
    for (const char* a : {"s8", "u8"})
      for (const char* b : {"s8", "u8"})
        for (const Shape& s :
             {Shape{"m8n8k16", 1, 1, 2}, Shape{"m16n8k16", 2, 1, 4}, Shape{"m16n8k32", 4, 2, 4}})
          add(s, "s32", a, b, "s32", Numbers::integers, saturate);
  for (const char* saturate : {"", ".satfinite"})
    for (const char* a : {"s4", "u4"})
      for (const char* b : {"s4", "u4"})
        for (const Shape& s :
             {Shape{"m8n8k32", 1, 1, 2}, Shape{"m16n8k32", 2, 1, 4}, Shape{"m16n8k64", 4, 2, 4}})
          add(s, "s32", a, b, "s32", Numbers::integers, saturate);
  for (const char* op : {".xor.popc", ".and.popc"})
    for (const Shape& s :
         {Shape{"m8n8k128", 1, 1, 2}, Shape{"m16n8k128", 2, 1, 4}, Shape{"m16n8k256", 4, 2, 4}})
      add(s, "s32", "b1", "b1", "s32", Numbers::integers, "", op);
  for (const char* sum : {"f32", "f16"}) {
    for (const char* a : {"e4m3", "e5m2"})
      for (const char* b : {"e4m3", "e5m2"})
        for (const Shape& s : {Shape{"m16n8k16", 2, 1, 4}, Shape{"m16n8k32", 4, 2, 4}})
          add(s, sum, a, b, sum, Numbers::small);
    for (const char* a : {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"})
      for (const char* b : {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"})
        add({"m16n8k32", 4, 2, 4}, sum, a, b, sum, Numbers::small, ".kind::f8f6f4");
  }
}

void add_scaled(std::vector<Instruction>& all, bool sparse) {
  const std::string begin = sparse ? "mma.sp::ordered_metadata.sync.aligned." : "mma.sync.aligned.";
  const int b_registers = sparse ? 4 : 2;
  const auto add = [&](const std::string& shape, const std::string& middle, const std::string& a,
                       const std::string& b, const std::string& scale, const std::string& choices,
                       bool braces = false) {
    const auto one = [&](const std::string& reg) { return braces ? "{" + reg + "}" : reg; };
    all.push_back({begin + shape + ".row.col." + middle + ".f32." + a + "." + b + ".f32." + scale,
                   sums(4, "f32"),
                   {4, Numbers::small},
                   {b_registers, Numbers::small},
                   sums(4, "f32"),
                   (sparse ? ", " + one("%e") + ", 0" : "") + ", " + one("%s") + ", " +
                       choices.substr(0, choices.find('|')) + ", " + one("%z") + ", " +
                       choices.substr(choices.find('|') + 1)});
  };
  const std::string four = sparse ? "m16n8k128" : "m16n8k64", eight = sparse ? "m16n8k64" : "m16n8k32";
  add(four, "kind::mxf4.block_scale.scale_vec::2X", "e2m1", "e2m1", "ue8m0", "{0, 1}|{2, 3}");
  add(four, "kind::mxf4nvf4.block_scale.scale_vec::2X", "e2m1", "e2m1", "ue8m0", "{2, 0}|{0, 1}");
  add(four, "kind::mxf4nvf4.block_scale.scale_vec::4X", "e2m1", "e2m1", "ue4m3", "{0, 1}|{0, 2}");
  for (const char* a : {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"})
    for (const char* b : {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"})
      add(eight, "kind::mxf8f6f4.block_scale.scale_vec::1X", a, b, "ue8m0", "{3, 0}|{%h, 3}", true);
}

void add_sparse(std::vector<Instruction>& all) {
  const auto add = [&](const std::string& shape, int registers, const std::string& d, const std::string& a,
                       const std::string& b, Numbers numbers, int selectors, const std::string& middle = "",
                       const std::string& word = "mma.sp") {
    for (int selector = 0; selector < selectors; ++selector)
      all.push_back(
          {word + ".sync.aligned." + shape + ".row.col" + middle + "." + d + "." + a + "." + b + "." + d,
           sums(d == "f16" ? 2 : 4, d),
           {registers, numbers},
           {registers, numbers},
           sums(d == "f16" ? 2 : 4, d),
           ", %e, " + std::to_string(selector)});
  };
  for (const char* d : {"f16", "f32"}) {
    add("m16n8k16", 2, d, "f16", "f16", Numbers::f16, 4);
    add("m16n8k32", 4, d, "f16", "f16", Numbers::f16, 2);
    for (const char* a : {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"})
      for (const char* b : {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"})
        add("m16n8k64", 4, d, a, b, Numbers::small, 1, ".kind::f8f6f4", "mma.sp::ordered_metadata");
  }
  add("m16n8k16", 2, "f32", "bf16", "bf16", Numbers::bf16, 4);
  add("m16n8k32", 4, "f32", "bf16", "bf16", Numbers::bf16, 2);
  add("m16n8k8", 2, "f32", "tf32", "tf32", Numbers::f32, 4);
  add("m16n8k16", 4, "f32", "tf32", "tf32", Numbers::f32, 2);
  for (const char* a : {"e4m3", "e5m2"})
    for (const char* b : {"e4m3", "e5m2"}) add("m16n8k64", 4, "f32", a, b, Numbers::small, 1);
  for (const char* saturate : {"", ".satfinite"}) {
    for (const char* a : {"s8", "u8"})
      for (const char* b : {"s8", "u8"}) {
        add("m16n8k32", 2, "s32", a, b, Numbers::integers, 2, saturate);
        add("m16n8k64", 4, "s32", a, b, Numbers::integers, 1, saturate);
      }
    for (const char* a : {"s4", "u4"})
      for (const char* b : {"s4", "u4"}) {
        add("m16n8k64", 2, "s32", a, b, Numbers::integers, 2, saturate);
        add("m16n8k128", 4, "s32", a, b, Numbers::integers, 1, saturate);
      }
  }
}

void add_wmma(std::vector<Instruction>& all) {
  const auto add = [&](const Shape& s, const std::string& layouts, const std::string& types,
                       const std::string& d, const std::string& c, Numbers numbers,
                       const std::string& op = "", const std::string& middle = "",
                       const std::string& end = "") {
    const auto registers = [&](const std::string& type) { return type == "f16" ? s.c / 2 : s.c; };
    all.push_back({"wmma.mma" + op + ".sync.aligned." + layouts + "." + s.name + middle + "." + types + end,
                   sums(registers(d), d),
                   {s.a, numbers},
                   {s.b, numbers},
                   sums(registers(c), c),
                   ""});
  };
  for (const char* layouts : {"row.row", "col.row"})
    for (const char* shape : {"m16n16k16", "m8n32k16", "m32n8k16"})
      for (const char* saturate : {"", ".satfinite"})
        for (const char* d : {"f16", "f32"})
          for (const char* c : {"f16", "f32"})
            add({shape, 8, 8, 8}, layouts, std::string(d) + "." + c, d, c, Numbers::f16, "", "", saturate);
  const Shape bf16[] = {{"m16n16k16", 4, 4, 8}, {"m8n32k16", 2, 8, 8}, {"m32n8k16", 8, 2, 8}};
  for (const Shape& s : bf16) add(s, "row.col", "f32.bf16.bf16.f32", "f32", "f32", Numbers::bf16);
  add({"m16n16k8", 4, 4, 8}, "row.col", "f32.tf32.tf32.f32", "f32", "f32", Numbers::f32);
  for (const char* rounding : {"", ".rm"})
    add({"m8n8k4", 1, 1, 2}, "row.col", "f64.f64.f64.f64", "f64", "f64", Numbers::f64, "", rounding);
  const Shape int8[] = {{"m16n16k16", 2, 2, 8}, {"m8n32k16", 1, 4, 8}, {"m32n8k16", 4, 1, 8}};
  for (const char* saturate : {"", ".satfinite"}) {
    for (const char* type : {"s8", "u8"})
      for (const Shape& s : int8)
        add(s, "col.row", std::string("s32.") + type + "." + type + ".s32", "s32", "s32", Numbers::integers,
            "", "", saturate);
    for (const char* type : {"s4", "u4"})
      add({"m8n8k32", 1, 1, 2}, "row.col", std::string("s32.") + type + "." + type + ".s32", "s32", "s32",
          Numbers::integers, "", "", saturate);
  }
  for (const char* op : {".xor.popc", ".and.popc"})
    add({"m8n8k128", 1, 1, 2}, "row.col", "s32.b1.b1.s32", "s32", "s32", Numbers::integers, op);
}

// ---- a program of several of them
class Program {
 public:
  explicit Program(const std::vector<Instruction>& some) {
    std::string body;
    for (const Instruction& i : some) body += add(i);
    text_ = head_of(age_of(some[0])) + std::string(".address_size 64\n") + data_ +
            ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
            "  .reg .u64 %out, %at;\n  .reg .f64 %w<64>;\n  .reg .u32 %t, %n, %c;\n  .reg .b32 %r<64>, %e, "
            "%s, %z;\n"
            "  .reg .b16 %h;\n  .reg .f32 %f<64>;\n"
            "  ld.param.u64 %out, [out];\n  mov.u32 %t, %tid.x;\n  mov.u32 %c, %ctaid.x;\n  mov.u32 %n, "
            "%ntid.x;\n"
            "  mad.lo.u32 %t, %c, %n, %t;\n  mov.b16 %h, 1;\n" +
            body + "  ret;\n}\n";
  }
  const std::string& text() const { return text_; }
  std::size_t output_bytes() const { return std::size_t{8} * threads * results_; }

 private:
  std::string add(const Instruction& i) {
    std::string code;
    const std::string a = load(code, i.a, 0), b = load(code, i.b, 16), c = load(code, i.c, 32);
    const auto uses = [&](const char* name) { return i.more.find(name) != std::string::npos; };
    if (uses("%e")) load_one(code, "%e", Numbers::integers, true);
    if (uses("%s")) load_one(code, "%s", Numbers::integers, false);
    if (uses("%z")) load_one(code, "%z", Numbers::integers, false);
    const std::string d = list(i.d, 48);
    code += "  " + i.text + " " + d + ", " + a + ", " + b + ", " + c + i.more + ";\n";
    for (int r = 0; r < i.d.count; ++r) {
      place(code, "%out", results_++, 8);
      code += i.d.wide()     ? "  st.global.f64 [%at], "
              : i.d.as_float ? "  st.global.f32 [%at], "
                             : "  st.global.b32 [%at], ";
      code += name(i.d, 48 + r) + ";\n";
    }
    return code;
  }

  static std::string name(const Fragment& f, int number) {
    return (f.wide() ? "%w" : f.as_float ? "%f" : "%r") + std::to_string(number);
  }
  static std::string list(const Fragment& f, int first) {
    std::string text = "{";
    for (int r = 0; r < f.count; ++r) text += (r == 0 ? "" : ", ") + name(f, first + r);
    return text + "}";
  }

  void place(std::string& code, const std::string& base, int row, int bytes) {
    code += "  mad.wide.u32 %at, %t, " + std::to_string(bytes) + ", " + base + ";\n  add.u64 %at, %at, " +
            std::to_string(row * bytes * static_cast<int>(threads)) + ";\n";
  }

  std::string load(std::string& code, const Fragment& f, int first) {
    for (int r = 0; r < f.count; ++r) load_one(code, name(f, first + r), f.numbers, false);
    return list(f, first);
  }

  // From one of the rows of an array that all registers of these numbers share.
  void load_one(std::string& code, const std::string& to, Numbers numbers, bool is_metadata) {
    const bool wide = numbers == Numbers::f64;
    const int size = wide ? 8 : 4;
    const std::string array =
        is_metadata ? "metadata" : "numbers" + std::to_string(static_cast<int>(numbers));
    if (data_.find(array) == std::string::npos) add_array(array, numbers, is_metadata);
    const int row = static_cast<int>(loads_++ % rows);
    code += "  mov.u64 %at, " + array + ";\n  mad.wide.u32 %at, %t, " + std::to_string(size) + ", %at;\n  " +
            (wide           ? "ld.global.f64 "
             : to[1] == 'f' ? "ld.global.f32 "
                            : "ld.global.b32 ") +
            to + ", [%at+" + std::to_string(row * size * static_cast<int>(threads)) + "];\n";
  }

  void add_array(const std::string& name, Numbers numbers, bool is_metadata) {
    const bool wide = numbers == Numbers::f64;
    data_ += wide ? ".global .align 8 .b64 " : ".global .align 4 .b32 ";
    data_ += name + "[" + std::to_string(threads * rows) + "] = {";
    for (uint32_t i = 0; i < threads * rows; ++i) {
      uint64_t word = random_.word(numbers, i % threads / (32 * warps));
      if (is_metadata) word = metadata(word);
      data_ += (i == 0 ? "" : ", ") + std::to_string(wide ? word : word & 0xffff'ffff);
    }
    data_ += "};\n";
  }

  // Pairs of ascending indices.
  static uint64_t metadata(uint64_t bits) {
    constexpr uint64_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe, 0x4, 0xe};
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) word |= pairs[bits >> 3 * i & 7] << 4 * i;
    return word;
  }

  Random random_;
  std::string data_, text_;
  int results_ = 0;
  uint32_t loads_ = 0;
  static constexpr uint32_t rows = 11;
};

std::string difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  for (std::size_t i = 0; i + 8 <= a.size() && i + 8 <= b.size(); i += 8) {
    uint64_t x = 0, y = 0;
    std::memcpy(&x, &a[i], 8);
    std::memcpy(&y, &b[i], 8);
    if (x == y) continue;
    const std::size_t register_number = i / 8 / threads, thread = i / 8 % threads;
    char text[128];
    std::snprintf(text, sizeof text, "register %zu, block %zu, thread %zu: %016llx, not %016llx",
                  register_number, thread / (32 * warps), thread % (32 * warps),
                  static_cast<unsigned long long>(x), static_cast<unsigned long long>(y));
    return text;
  }
  return a.size() == b.size() ? "" : "sizes";
}

struct Way {
  const char* name;
  const char* cpu;
  bool vectors;
};
constexpr Way ways[] = {{"avx512", "avx512", true},
                        {"avx2", "avx2", true},
                        {"x8664v2", "x86-64-v2", true},
                        {"threads", "", false}};

ProgramResult run(const std::string& text, std::size_t output_bytes, exec::Executor* executor) {
  exec::interp::ProgramRun run{{blocks}, {32 * warps}, output_bytes};
  run.limit = std::chrono::seconds(300);
  run.executor = executor;
  return exec::interp::run_program(text, run);
}

// Whether all ways end alike. `list`: what is in the program.
void compare(const std::string& text, std::size_t output_bytes, const std::string& list, bool faults = false,
             bool by_threads = true) {
  const ProgramResult expected = run(text, output_bytes, nullptr);
  ASSERT_EQ(expected.end, faults ? ProgramResult::End::faulted : ProgramResult::End::ran)
      << list << expected.message;
  for (const Way& way : ways) {
    if (!way.vectors && !by_threads) continue;
    Said said;
    exec::jit::Options how;
    how.cpu = way.cpu;
    how.tier = exec::jit::Tier::quick;
    how.vectors = way.vectors;
    how.trace = said.listener();
    auto executor = exec::jit::make_executor(how, exec::interp::make_executor(),
                                             exec::interp::make_reference_lanes_factory());
    if (!executor.ok()) continue;  // not on this host
    const ProgramResult native = run(text, output_bytes, executor->get());
    EXPECT_EQ(native.message, expected.message) << way.name << '\n' << list;
    EXPECT_FALSE(said.has("reference executor")) << said.text();
    const std::string differs = difference(native.output, expected.output);
    EXPECT_EQ(differs, "") << way.name << '\n' << list;
  }
}

void compare(const std::vector<Instruction>& all) {
  constexpr std::size_t together = 6;
  std::vector<std::vector<Instruction>> programs;
  for (const Age age : {Age::old, Age::usual, Age::late}) {
    bool begins = true;
    for (const Instruction& i : all) {
      if (age_of(i) != age) continue;
      if (begins || programs.back().size() == together) programs.emplace_back();
      programs.back().push_back(i);
      begins = false;
    }
  }
  for (const std::vector<Instruction>& some : programs) {
    const Program program(some);
    std::string list;
    int row = 0;
    for (const Instruction& i : some) {
      list += "from register " + std::to_string(row) + ": " + i.text + '\n';
      row += i.d.count;
    }
    // Threads on their own call the same loops.
    compare(program.text(), program.output_bytes(), list, false, &some == &programs.front());
  }
}

TEST(Matrices, Multiply) {
  std::vector<Instruction> all;
  add_mma(all);
  compare(all);
}
TEST(Matrices, MultiplySparse) {
  std::vector<Instruction> all;
  add_sparse(all);
  compare(all);
}
TEST(Matrices, MultiplyScaled) {
  std::vector<Instruction> all;
  add_scaled(all, false);
  add_scaled(all, true);
  compare(all);
}
TEST(Matrices, MultiplyWithOpaqueFragments) {
  std::vector<Instruction> all;
  add_wmma(all);
  compare(all);
}

// ---- memory
struct Place {
  const char* word;   // of the instruction
  const char* array;  // where it is
  bool generic;
};
constexpr Place global_place{".global", "words", false}, shared_place{".shared", "room", false},
    generic_shared{"", "room", true}, generic_global{"", "words", true};

// Instructions that load fragments from an array, or store them to the output.
class MemoryProgram {
 public:
  // `offset`: of each warp's address from the one before, in bytes.
  void load(const std::string& text, int registers, char kind, const Place& place, int stride, int offset) {
    begin(place, offset);
    body_ += "  mov.u32 %s, " + std::to_string(stride) + ";\n";
    std::string fragment;
    for (int r = 0; r < registers; ++r)
      fragment += std::string(r == 0 ? "{%" : ", %") + kind + std::to_string(r);
    body_ += "  " + with_space(text, place) + " " + fragment + "}, [%at]" + behind(stride) + ";\n";
    for (int r = 0; r < registers; ++r) {
      body_ += "  mad.wide.u32 %at, %t, 8, %out;\n  add.u64 %at, %at, " + std::to_string(bytes_) + ";\n";
      bytes_ += 8 * threads;
      body_ += std::string("  st.global.") +
               (kind == 'd'   ? "f64"
                : kind == 'f' ? "f32"
                              : "b32") +
               " [%at], %" + kind + std::to_string(r) + ";\n";
    }
    list_ += text + " stride " + std::to_string(stride) + " in " + place.array + place.word + '\n';
  }

  // Into the output itself, or into shared memory and from there.
  void store(const std::string& text, int registers, char kind, bool shared, bool generic, int stride) {
    constexpr int room = 4096;
    const Place place = shared ? Place{generic ? "" : ".shared", "room", generic}
                               : Place{generic ? "" : ".global", "out", generic};
    body_ += "  mov.u32 %s, " + std::to_string(stride) + ";\n";
    if (shared) {
      begin(place, room);
    } else {
      body_ += "  mad.wide.u32 %at, %w, " + std::to_string(room) + ", %out;\n  add.u64 %at, %at, " +
               std::to_string(bytes_) + ";\n";
    }
    std::string fragment;
    for (int r = 0; r < registers; ++r) {
      const std::string name = std::string("%") + kind + std::to_string(r);
      body_ += "  add.u64 %from, %own, " + std::to_string(r * 8 * 32) + ";\n  ld.global." +
               (kind == 'd'   ? "f64 "
                : kind == 'f' ? "f32 "
                              : "b32 ") +
               name + ", [%from];\n";
      fragment += (r == 0 ? "{" : ", ") + name;
    }
    body_ += "  " + with_space(text, place) + " [%at], " + fragment + "}" + behind(stride) + ";\n";
    if (shared) {
      body_ += "  bar.sync 0;\n";
      for (int i = 0; i < 2 * room / 8; i += 64)
        body_ += "  mad.wide.u32 %at, %x, 8, %room;\n  ld.shared.u64 %b, [%at+" + std::to_string(8 * i) +
                 "];\n  mad.wide.u32 %at, %t, 8, %out;\n  st.global.u64 [%at+" + std::to_string(copy()) +
                 "], %b;\n";
      body_ += "  bar.sync 0;\n";
    } else {
      bytes_ += warps * blocks * room;
    }
    list_ += text + " stride " + std::to_string(stride) + " to " + place.array + place.word + '\n';
  }

  void instruction(const std::string& text) { body_ += text, list_ += text; }
  std::size_t keep(const std::string& name) {
    body_ += "  mad.wide.u32 %at, %t, 8, %out;\n  st.global.b32 [%at+" + std::to_string(bytes_) + "], " +
             name + ";\n";
    return bytes_ += 8 * threads;
  }

  void check(bool faults = false) {
    std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 128 .b8 room[8192];\n"
        ".global .align 128 .b32 words[8192] = {";
    std::mt19937 engine(7);
    for (int i = 0; i < 8192; ++i) text += (i == 0 ? "" : ", ") + std::to_string(engine());
    text +=
        "};\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        "  .reg .u64 %at, %out, %b, %from, %own, %room;\n  .reg .u32 %t, %n, %x, %w, %c, %s, %i;\n"
        "  .reg .b32 %r<16>;\n  .reg .f32 %f<16>;\n  .reg .f64 %d<16>;\n  .reg .pred %q;\n"
        "  ld.param.u64 %out, [out];\n  mov.u32 %x, %tid.x;\n  mov.u32 %c, %ctaid.x;\n"
        "  mad.lo.u32 %t, %c, 64, %x;\n  shr.u32 %w, %t, 5;\n  shr.u32 %n, %x, 5;\n  and.b32 %i, %x, 31;\n"
        "  mov.u64 %own, words;\n  mad.wide.u32 %own, %t, 8, %own;\n  mov.u64 %room, room;\n"
        "  mov.u32 %s, 0;\nfill:\n  mad.lo.u32 %r0, %s, 64, %x;\n  mov.u64 %at, words;\n"
        "  mad.wide.u32 %at, %r0, 4, %at;\n  ld.global.b32 %r1, [%at];\n  mad.wide.u32 %at, %r0, 4, %room;\n"
        "  st.shared.b32 [%at], %r1;\n  add.u32 %s, %s, 1;\n  setp.lt.u32 %q, %s, 32;\n  @%q bra fill;\n"
        "  bar.sync 0;\n" +
        body_ + "  ret;\n}\n";
    compare(text, bytes_, list_, faults);
  }

 private:
  static std::string with_space(std::string text, const Place& place) {
    if (const auto at = text.find('@'); at != std::string::npos) text.replace(at, 1, place.word);
    return text;
  }
  // A number, or a register.
  static std::string behind(int stride) {
    return stride == 0 ? "" : stride % 3 == 0 ? ", " + std::to_string(stride) : ", %s";
  }
  void begin(const Place& place, int offset) {
    body_ += std::string("  mov.u64 %b, ") + place.array + ";\n";
    if (place.generic)
      body_ += std::string("  cvta.") + (std::string_view(place.array) == "room" ? "shared" : "global") +
               ".u64 %b, %b;\n";
    body_ += "  mad.wide.u32 %at, %n, " + std::to_string(offset) + ", %b;\n";
  }
  std::size_t copy() {
    bytes_ += 8 * threads;
    return bytes_ - 8 * threads;
  }

  std::string body_, list_;
  std::size_t bytes_ = 0;
};

struct Matrix {
  const char *matrix, *shape, *type;
  int registers, rows, columns, bits;
};
constexpr Matrix matrices[] = {
    {"a", "m16n16k16", "f16", 8, 16, 16, 16},  {"a", "m8n32k16", "f16", 8, 8, 16, 16},
    {"a", "m32n8k16", "f16", 8, 32, 16, 16},   {"a", "m16n16k16", "bf16", 4, 16, 16, 16},
    {"a", "m8n32k16", "bf16", 2, 8, 16, 16},   {"a", "m32n8k16", "bf16", 8, 32, 16, 16},
    {"a", "m16n16k16", "s8", 2, 16, 16, 8},    {"a", "m8n32k16", "u8", 1, 8, 16, 8},
    {"a", "m32n8k16", "s8", 4, 32, 16, 8},     {"a", "m16n16k8", "tf32", 4, 16, 8, 32},
    {"a", "m8n8k4", "f64", 1, 8, 4, 64},       {"b", "m16n16k16", "f16", 8, 16, 16, 16},
    {"b", "m8n32k16", "f16", 8, 16, 32, 16},   {"b", "m32n8k16", "f16", 8, 16, 8, 16},
    {"b", "m16n16k16", "bf16", 4, 16, 16, 16}, {"b", "m8n32k16", "bf16", 8, 16, 32, 16},
    {"b", "m32n8k16", "bf16", 2, 16, 8, 16},   {"b", "m16n16k16", "u8", 2, 16, 16, 8},
    {"b", "m8n32k16", "s8", 4, 16, 32, 8},     {"b", "m32n8k16", "u8", 1, 16, 8, 8},
    {"b", "m16n16k8", "tf32", 4, 8, 16, 32},   {"b", "m8n8k4", "f64", 1, 4, 8, 64},
    {"c", "m16n16k16", "f16", 4, 16, 16, 16},  {"c", "m8n32k16", "f16", 4, 8, 32, 16},
    {"c", "m32n8k16", "f16", 4, 32, 8, 16},    {"c", "m16n16k16", "f32", 8, 16, 16, 32},
    {"c", "m8n32k16", "s32", 8, 8, 32, 32},    {"c", "m32n8k16", "f32", 8, 32, 8, 32},
    {"c", "m16n16k8", "f32", 8, 16, 16, 32},   {"c", "m8n8k32", "s32", 2, 8, 8, 32},
    {"c", "m8n8k128", "s32", 2, 8, 8, 32},     {"c", "m8n8k4", "f64", 2, 8, 8, 64},
};
char kind_of(const Matrix& m) {
  const std::string_view type = m.type;
  return type == "f64" ? 'd' : type == "f32" ? 'f' : 'r';
}

TEST(Matrices, LoadFromMemory) {
  int turn = 0;
  MemoryProgram program[16];
  for (const Matrix& m : matrices)
    for (const bool row : {true, false}) {
      const Place* places[] = {&global_place, &shared_place, &generic_shared, &generic_global};
      const int tight = row ? m.columns : m.rows;
      for (const int more : {turn % 4 == 0 ? 0 : 128 / m.bits, turn % 3 == 0 ? 24 : tight}) {
        program[turn / 2 % 16].load(std::string("wmma.load.") + m.matrix + ".sync.aligned." +
                                        (row ? "row." : "col.") + m.shape + "@." + m.type,
                                    m.registers, kind_of(m), *places[turn % 4],
                                    more == tight ? 0 : tight + more, turn % 3 * 16);
        ++turn;
      }
    }
  MemoryProgram bits;
  for (const int stride : {0, 32, 64})
    for (const Place* place : {&global_place, &generic_shared})
      for (const char* type : {"s4", "u4"}) {
        bits.load(std::string("wmma.load.a.sync.aligned.row.m8n8k32@.") + type, 1, 'r', *place, stride, 32);
        bits.load(std::string("wmma.load.b.sync.aligned.col.m8n8k32@.") + type, 1, 'r', *place, stride, 32);
      }
  for (const int stride : {0, 128, 384}) {
    bits.load("wmma.load.a.sync.aligned.row.m8n8k128@.b1", 1, 'r', shared_place, stride, 32);
    bits.load("wmma.load.b.sync.aligned.col.m8n8k128@.b1", 1, 'r', global_place, stride, 32);
  }
  for (MemoryProgram& p : program) p.check();
  bits.check();
}

TEST(Matrices, StoreToMemory) {
  int turn = 0;
  for (const Matrix& m : matrices) {
    if (*m.matrix != 'c') continue;
    MemoryProgram program;
    for (const bool row : {true, false})
      for (const int more : {0, 4, -2}) {
        const int tight = row ? m.columns : m.rows;
        // The last one: lines overlap.
        program.store(
            std::string("wmma.store.d.sync.aligned.") + (row ? "row." : "col.") + m.shape + "@." + m.type,
            m.registers, kind_of(m), turn % 3 == 0, turn % 2 == 0, more == 0 ? 0 : tight + more);
        ++turn;
      }
    program.check();
  }
}

TEST(Matrices, MoveRows) {
  int turn = 0;
  for (const char* transposed : {"", ".trans"})
    for (const int count : {1, 2, 4}) {
      MemoryProgram program;
      for (const Place* place : {&shared_place, &generic_shared}) {
        const std::string shape = std::string(".sync.aligned.m8n8.x") + std::to_string(count) + transposed;
        // Each lane has a row of its own, in no order.
        const std::string address =
            std::string("  mov.u64 %b, room;\n") + (place->generic ? "  cvta.shared.u64 %b, %b;\n" : "") +
            "  mul.lo.u32 %s, %i, " + std::to_string(2 * (turn++ * 7 % 16) + 1) +
            ";\n  and.b32 %s, %s, 31;\n  mad.lo.u32 %s, %n, 37, %s;\n  mad.wide.u32 %at, %s, 16, %b;\n";
        std::string out, in;
        for (int r = 0; r < count; ++r) {
          out += (r == 0 ? "{%r" : ", %r") + std::to_string(8 + r);
          in += (r == 0 ? "{%r" : ", %r") + std::to_string(12 + r);
        }
        program.instruction(address + "  ldmatrix" + shape + place->word + ".b16 " + out + "}, [%at+32];\n");
        for (int r = 0; r < count; ++r) program.keep("%r" + std::to_string(8 + r));
        for (int r = 0; r < 4; ++r) {
          program.instruction("  ld.global.b32 %r" + std::to_string(12 + r) + ", [%own+" +
                              std::to_string(256 * r + 64) + "];\n");
        }
        program.instruction("  bar.sync 0;\n" + address + "  stmatrix" + shape + place->word +
                            ".b16 [%at], " + in + "};\n  bar.sync 0;\n  mad.wide.u32 %from, %x, 8, %room;\n");
        for (int i = 0; i < 3; ++i) {
          program.instruction("  ld.shared.b32 %r8, [%from+" + std::to_string(508 * i) + "];\n");
          program.keep("%r8");
        }
        program.instruction("  bar.sync 0;\n");
      }
      for (int r = 0; r < 2; ++r) {
        program.instruction("  movmatrix.sync.aligned.m8n8.trans.b16 %r8, %r" + std::to_string(12 + r) +
                            ";\n");
        program.keep("%r8");
      }
      program.check();
    }
}

TEST(Matrices, FaultAlike) {
  const auto check = [](const std::string& text) {
    MemoryProgram program;
    program.instruction(text);
    program.keep("%r8");
    program.check(true);
  };
  const std::string rows = "  mad.wide.u32 %at, %i, 16, %room;\n  ldmatrix.sync.aligned.m8n8.x4.shared.b16 ";
  check(rows + "{%r8, %r9, %r10, %r11}, [%at+8];\n");
  check(rows + "{%r8, %r9, %r10, %r11}, [%at+8000];\n");
  check(
      "  mad.wide.u32 %at, %i, 16, %room;\n  stmatrix.sync.aligned.m8n8.x2.shared.b16 [%at+8176], {%r8, "
      "%r9};\n");
  const std::string load = "  wmma.load.a.sync.aligned.row.m16n16k16";
  const std::string d = " {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r8}, ";
  check(load + ".shared.f16" + d + "[%room+7936], 16;\n");
  check(load + ".shared.f16" + d + "[%room+1], 16;\n");
  check(load + ".global.f16" + d + "[%room], 16;\n");
  check(
      "  wmma.store.d.sync.aligned.col.m16n16k16.shared.f32 [%room+7680], {%f0, %f1, %f2, %f3, %f4, %f5, "
      "%f6, "
      "%f7};\n");
}

}  // namespace
}  // namespace heddle
