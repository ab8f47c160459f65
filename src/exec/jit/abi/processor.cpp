#include "exec/jit/abi/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <cstdio>
#include <optional>

namespace heddle::exec::jit {

namespace {

// Registers of CPUID that tell features, and XCR0: what of them the system keeps for a thread
// (Intel's manual, volume 2A, CPUID; volume 1, 13.3).
enum Word : uint8_t { leaf_1_c, leaf_7_b, extended_1_c, word_count };
struct Need {
  const char* name;  // LLVM's
  Word word;
  unsigned bit;
};
// The x86-64 psABI's levels: what each adds. Code of a level may use all of it.
struct Level {
  VectorLevel level;
  std::string_view spelling;
  uint64_t kept;  // of XCR0
  std::array<Need, 7> needs;
};
constexpr uint64_t vectors_of_32 = 0x6, vectors_of_64 = 0xe6;
constexpr std::array levels{
    Level{VectorLevel::v2,
          "x86-64-v2",
          0,
          {{{"cx16", leaf_1_c, 13},
            {"popcnt", leaf_1_c, 23},
            {"sse4.2", leaf_1_c, 20},
            {"ssse3", leaf_1_c, 9}}}},
    Level{VectorLevel::avx2,
          "avx2",
          vectors_of_32,
          {{{"avx2", leaf_7_b, 5},
            {"bmi", leaf_7_b, 3},
            {"bmi2", leaf_7_b, 8},
            {"f16c", leaf_1_c, 29},
            {"fma", leaf_1_c, 12},
            {"lzcnt", extended_1_c, 5},
            {"movbe", leaf_1_c, 22}}}},
    Level{VectorLevel::avx512,
          "avx512",
          vectors_of_64,
          {{{"avx512f", leaf_7_b, 16},
            {"avx512bw", leaf_7_b, 30},
            {"avx512cd", leaf_7_b, 28},
            {"avx512dq", leaf_7_b, 17},
            {"avx512vl", leaf_7_b, 31}}}},
};

struct Facts {
  std::array<uint32_t, word_count> words{};
  uint64_t kept = 0;
  std::string text;  // of all that LLVM names the processor and its features by
};

#if defined(__x86_64__)

Facts facts_of_this() {
  Facts facts;
  const auto add = [&](const char* name, uint32_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "%s%s=%x", facts.text.empty() ? "" : " ", name, value);
    facts.text += text;
  };
  uint32_t a = 0, b = 0, c = 0, d = 0;
  const uint32_t last = __get_cpuid_max(0, &b);
  add("maker", b);
  if (last >= 1) {
    __cpuid(1, a, b, c, d);
    facts.words[leaf_1_c] = c;
    add("1a", a);  // family, model, stepping; its b has the number of this core
    add("1c", c);
    add("1d", d);
    // The system uses XSAVE, so that the register can be read.
    if ((c >> 27 & 1) != 0) {
      uint32_t low = 0, high = 0;
      __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
      facts.kept = low | uint64_t{high} << 32;
      add("kept", low);
    }
  }
  if (last >= 7) {
    __cpuid_count(7, 0, a, b, c, d);
    facts.words[leaf_7_b] = b;
    const uint32_t more = a;
    add("7b", b);
    add("7c", c);
    add("7d", d);
    if (more >= 1) {
      __cpuid_count(7, 1, a, b, c, d);
      add("71a", a);
      add("71d", d);
    }
  }
  if (last >= 0xd) {
    __cpuid_count(0xd, 1, a, b, c, d);
    add("da", a);
  }
  if (last >= 0x14) {
    __cpuid_count(0x14, 0, a, b, c, d);
    add("14b", b);
  }
  if (last >= 0x19) {
    __cpuid(0x19, a, b, c, d);
    add("19b", b);
  }
  if (last >= 0x24) {
    __cpuid_count(0x24, 0, a, b, c, d);
    add("24b", b);
  }
  const uint32_t last_extended = __get_cpuid_max(0x80000000, nullptr);
  if (last_extended >= 0x80000001) {
    __cpuid(0x80000001, a, b, c, d);
    facts.words[extended_1_c] = c;
    add("e1c", c);
    add("e1d", d);
  }
  if (last_extended >= 0x80000008) {
    __cpuid(0x80000008, a, b, c, d);
    add("e8b", b);
  }
  return facts;
}

// What the processor, or the system for it, has not; nullptr: it has the level.
const char* missing(const Level& level, const Facts& facts) {
  for (const Need& need : level.needs)
    if (need.name != nullptr && (facts.words[need.word] >> need.bit & 1) == 0) return need.name;
  // Without it the features are there and their registers are not.
  return (facts.kept & level.kept) == level.kept ? nullptr : level.needs[0].name;
}

#endif

}  // namespace

std::string_view name(VectorLevel level) { return levels[static_cast<size_t>(level)].spelling; }

Result<Processor, std::string> find_processor(const char* forced) {
#if !defined(__x86_64__)
  (void)forced;
  return std::string("kernels are compiled for x86-64 hosts only");
#else
  static const Facts facts = facts_of_this();
  const std::string_view wanted = forced ? forced : "";
  if (!wanted.empty()) {
    for (const Level& level : levels) {
      if (level.spelling != wanted) continue;
      for (const Level& lower : levels) {
        if (lower.level > level.level) break;
        if (const char* feature = missing(lower, facts)) {
          return "HEDDLE_JIT_CPU is " + std::string(wanted) + ", but this processor has no " + feature;
        }
      }
      // Exactly the level: code for it runs everywhere that has it.
      return Processor{level.level, true, std::string(level.spelling)};
    }
    std::string known;
    for (const Level& level : levels) {
      known += (known.empty() ? "" : level.level == VectorLevel::avx512 ? " or " : ", ");
      known += level.spelling;
    }
    return "HEDDLE_JIT_CPU is '" + std::string(wanted) + "', not one of " + known;
  }
  std::optional<VectorLevel> best;
  for (const Level& level : levels) {
    if (missing(level, facts)) break;
    best = level.level;
  }
  if (!best) {
    return std::string("this processor has no ") + missing(levels[0], facts) +
           ": kernels are compiled for x86-64-v2 at least";
  }
  return Processor{*best, false, facts.text};
#endif
}

}  // namespace heddle::exec::jit
