// What spec/metrics says, as tables.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "arch/values.h"
#include "profiler/counters.gen.h"

namespace heddle::profiler {

// What a formula is about: counts, and the facts of their launch, which those of a line have not; or the
// totals of a process.
struct Values {
  std::span<const uint64_t> counters;   // counter_count
  std::span<const double> facts;        // fact_count, or none
  std::span<const double> totals = {};  // total_count, or none
  double of(Counter c) const { return static_cast<double>(counters[static_cast<std::size_t>(c)]); }
  double of(Fact f) const {
    return facts.empty() ? std::numeric_limits<double>::quiet_NaN() : facts[static_cast<std::size_t>(f)];
  }
  double of(Total t) const { return totals[static_cast<std::size_t>(t)]; }
};

// NaN: not there.
inline double over(double a, double b) { return b == 0 ? std::numeric_limits<double>::quiet_NaN() : a / b; }

enum class Tool : uint8_t { ncu, nvprof, events, compute_profile };
// exact: follows from the source and the memory system. estimated: counted in PTX, where the hardware counts
// machine instructions. modelled: a policy that is not public.
enum class Kind : uint8_t { exact, estimated, modelled };

struct Metric {
  std::string_view name, unit, title, formula;
  Tool tool;
  Kind kind;
  arch::Capability since, until;
  bool of_lines;     // its formula has counters alone
  bool of_accesses;  // some of them are of memory accesses
  bool of_stalls;    // and of what warps wait for
  double (*value)(const Values&);
};
std::span<const Metric> all_metrics();

// What a guide recommends (spec/advice): given where `value` is above `above`, and `saves` not below `least`.
enum class Priority : uint8_t { high, medium, low };
struct Advice {
  std::string_view name, title, guide, means, unit;
  Priority priority;
  double above, least;
  bool of_program;  // of totals; otherwise of the launches of a kernel
  bool estimated;   // counted in PTX
  arch::Capability since, until;
  double (*value)(const Values&);
  double (*saves)(const Values&);
  double (*line)(const Values&);  // of lines: that with the most is told; nullptr: none is
};
std::span<const Advice> all_advice();

enum class InstructionClass : uint8_t {
  arithmetic,  // by its type: half, single, double precision or integer
  integer,
  special,
  convert,
  control,
  memory,
  texture,
  surface,
  exchange,
  matrix,
  barrier,
  misc,
};
enum class Operation : uint8_t { none, add, mul, fma };
struct OpcodeClass {
  std::string_view opcode;
  InstructionClass kind;
  Operation operation;
};
std::span<const OpcodeClass> opcode_classes();

// Of ncu's details page.
struct SectionRow {
  std::string_view label, metric, unit;
};
struct Section {
  std::string_view id, title, sets;  // sets with a blank around each
  std::span<const SectionRow> rows;
};
std::span<const Section> all_sections();

// What the configuration of the command line profiler names (spec/metrics/compute_options.toml).
enum class RowKind : uint8_t { all, kernels, copies };
enum class ColumnPlace : uint8_t {
  front,    // before the method
  shape,    // before the occupancy
  behind,   // behind it, before the counters
  copy,     // behind the counters
  setting,  // has no columns
};
struct ComputeOption {
  std::string_view name, also, title;
  RowKind rows;
  ColumnPlace place;
  std::span<const LogColumn> columns;
  std::string_view values;  // that must follow, with a blank around each; empty: none
};
std::span<const ComputeOption> compute_options();
std::string_view column_name(LogColumn column);

struct Named {
  std::string_view name, title;
};
std::span<const Named> counter_names();
std::span<const Named> fact_names();

}  // namespace heddle::profiler
