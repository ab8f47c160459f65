// The passes of the fast executor, as data: names, order, what they are for, which of them are switched off.
// The table is passes.def. No LLVM here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/result.h"

namespace heddle::exec::jit {

enum class Pass : uint8_t {
#define HEDDLE_PASS(id, paths, tiers, may_be_off, needs, gives, breaks, title) id,
#define HEDDLE_PART(id, of, tiers, title) id,
#include "exec/jit/passes/passes.def"
#undef HEDDLE_PART
#undef HEDDLE_PASS
};

inline constexpr std::size_t pass_count = 0
#define HEDDLE_PASS(id, paths, tiers, may_be_off, needs, gives, breaks, title) +1
#define HEDDLE_PART(id, of, tiers, title) +1
#include "exec/jit/passes/passes.def"
#undef HEDDLE_PART
#undef HEDDLE_PASS
    ;

class PassSet {
 public:
  constexpr PassSet() = default;
  constexpr bool has(Pass pass) const { return (word_of(pass) >> bit_of(pass) & 1) != 0; }
  constexpr void add(Pass pass) { words_[index_of(pass)] |= uint64_t{1} << bit_of(pass); }
  constexpr bool empty() const { return *this == PassSet{}; }
  constexpr std::span<const uint64_t> words() const { return words_; }  // for a key of a cache
  constexpr bool operator==(const PassSet&) const = default;

 private:
  static constexpr std::size_t index_of(Pass pass) { return static_cast<std::size_t>(pass) / 64; }
  static constexpr unsigned bit_of(Pass pass) { return static_cast<unsigned>(pass) % 64; }
  constexpr uint64_t word_of(Pass pass) const { return words_[index_of(pass)]; }

  std::array<uint64_t, (pass_count + 63) / 64> words_{};
};

namespace pass_table {

// What a kernel's code becomes.
enum Paths : uint8_t { vectors = 1, warps = 2, threads = 4, any = 7 };
enum Tiers : uint8_t { quick = 1, best = 2, both = 3 };
enum Switch : bool { required, optional };
// What is true of the code between two passes. compiler/verify.cpp checks those that can be seen.
enum Property : uint32_t {
  nothing = 0,
  program = 1u << 0,       // one function is a thread's program; operations are as ir/ops.h has them
  values = 1u << 1,        // registers are SSA values
  exact = 1u << 2,         // every NaN that can be seen is PTX's
  clean = 1u << 3,         // no dead code, no memory of its own
  elements = 1u << 4,      // results of several values are used in their block alone, by their elements
  canonical = 1u << 5,     // the form that transform/canonical.h promises
  path = 1u << 6,          // it is known what the code becomes
  plan = 1u << 7,          // lanes and vectors are known
  vectorisable = 1u << 8,  // nothing that the vectoriser has no code for
  barriers = 1u << 9,      // all threads of a block come to the same barriers
  copies = 1u << 10,       // the copies for barriers are not too many
  divided = 1u << 11,      // a function for each region
  patterns = 1u << 12,     // of fast code
  guarded = 1u << 13,      // what is tested stands at the head of a block; patterns of slow code too
  in_step = 1u << 14,      // lanes wait for one another where one reads what another wrote
  kernel = 1u << 15,  // there is the function that runs blocks; of operations only those of math are left
  plain = 1u << 16,   // no operations
  optimised = 1u << 17,
};

}  // namespace pass_table

struct PassInfo {
  std::string_view name, title;  // short_sides is "short-sides"
  uint8_t paths, tiers;
  bool may_be_off;
  std::optional<Pass> of;  // a choice within this pass; has no properties
  uint32_t needs, gives, breaks;
};

std::span<const PassInfo, pass_count> passes();  // in their order
const PassInfo& info(Pass pass);
std::optional<Pass> find_pass(std::string_view name);

// Names with commas between, of passes that may be off. The error names the nearest one.
Result<PassSet, std::string> read_passes_to_disable(std::string_view text);

// What of the table is for the user: `heddle ptx jit --list-passes`, and the table of
// docs/reference/jit-passes.md.
std::string list_passes();

// Processor time by LLVM's name of a pass, in milliseconds; without that of passes within it.
using LlvmTimes = std::map<std::string, double>;

}  // namespace heddle::exec::jit
