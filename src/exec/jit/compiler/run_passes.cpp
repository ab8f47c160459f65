// Who runs the passes of the table.
#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "exec/jit/codegen/stopwatch.h"
#include "exec/jit/passes/compilation.h"
#include "exec/jit/transform/canonical.h"
#include "support/check.h"

namespace heddle::exec::jit {

Compilation::Compilation() = default;
Compilation::Compilation(Compilation&&) noexcept = default;
Compilation& Compilation::operator=(Compilation&&) noexcept = default;
Compilation::~Compilation() = default;

Shape Compilation::vector_shape() const {
  Shape merged = shape;
  if (merged_blocks != 1) merged.block = {static_cast<uint32_t>(shape.block.count()) * merged_blocks, 1, 1};
  return merged;
}

bool Compilation::runs(Pass pass) const {
  const PassInfo& about = info(pass);
  const uint8_t tiers = !tier ? 0 : *tier == Tier::quick ? pass_table::quick : pass_table::best;
  return (about.paths & path) != 0 && (about.tiers == pass_table::both || (about.tiers & tiers) != 0) &&
         !disabled.has(pass);
}

double PassTimes::sum(Pass first, Pass last) const {
  double all = 0;
  for (auto p = static_cast<std::size_t>(first); p <= static_cast<std::size_t>(last); ++p) all += of[p];
  return all;
}

PassTimes& PassTimes::operator+=(const PassTimes& other) {
  for (std::size_t p = 0; p < pass_count; ++p) of[p] += other.of[p];
  for (const auto& [name, ms] : other.of_llvm) of_llvm[name] += ms;
  return *this;
}

std::string PassTimes::text() const {
  double all = 0;
  for (const double ms : of) all += ms;
  std::string text;
  const auto rows = [&](std::vector<std::pair<double, std::string>> times, const char* before) {
    std::ranges::sort(times, std::greater<>());
    for (const auto& [ms, name] : times) {
      char line[160];
      std::snprintf(line, sizeof line, "%10.3f ms %5.1f %%  %s%s\n", ms, all > 0 ? 100 * ms / all : 0.0,
                    before, name.c_str());
      text += line;
    }
  };
  std::vector<std::pair<double, std::string>> ours, of_library;
  for (std::size_t p = 0; p < pass_count; ++p)
    if (!passes()[p].of && of[p] > 0) ours.emplace_back(of[p], std::string(passes()[p].name));
  for (const auto& [name, ms] : of_llvm) of_library.emplace_back(ms, name);
  rows(std::move(ours), "");
  rows({{all, "all passes"}}, "");
  rows(std::move(of_library), "in optimise: ");
  return text;
}

namespace {

// By Pass; of a part nullptr.
constexpr std::array<void (*)(Compilation&), pass_count> functions{
#define HEDDLE_PASS(id, paths, tiers, may_be_off, needs, gives, breaks, title) pass::id,
#define HEDDLE_PART(id, of, tiers, title) nullptr,
#include "exec/jit/passes/passes.def"
#undef HEDDLE_PART
#undef HEDDLE_PASS
};

void run_one(Compilation& c, Pass pass) {
  const PassInfo& about = info(pass);
  HEDDLE_CHECK((about.needs & ~c.properties) == 0,
               "pass '" + std::string(about.name) + "' runs before what it needs");
  Stopwatch watch;
  functions[static_cast<std::size_t>(pass)](c);
  c.times.of[static_cast<std::size_t>(pass)] += watch.lap_ms();
  if (!c.refused.empty()) return;
  c.properties = (c.properties | about.gives) & ~about.breaks;
#ifndef NDEBUG
  const std::string broken = find_broken(c);
  HEDDLE_CHECK(broken.empty(),
               "pass '" + std::string(about.name) + "' left kernel '" +
                   (c.image != nullptr ? c.image->functions[c.function].name : std::string("?")) +
                   "' broken: " + broken);
#endif
}

void run_range(Compilation& c, std::size_t first, std::size_t last, const AfterPass& after) {
  for (std::size_t p = first; p <= last; ++p) {
    const auto pass = static_cast<Pass>(p);
    if (passes()[p].of) continue;
    if (pass >= Pass::share_math && c.machine == nullptr) return;
    if (c.runs(pass)) run_one(c, pass);
    if (!c.refused.empty()) return;
    if (after && !after(pass, c)) return;
  }
}

}  // namespace

void run_passes(Compilation& c, const AfterPass& after) {
  run_range(c, 0, pass_count - 1, after);
  if (c.refused.empty() || c.is_final || c.by_threads()) return;
  // The same program anew, of which the vectoriser has used up the first.
  c.weaver.reset(), c.slow.reset(), c.slow_functions.clear();
  c.kernel = c.warp = nullptr;
  c.slot_bytes = 0, c.slow_parts = 0, c.merged_blocks = 1;
  c.program.module.reset();  // before its context
  c.properties = 0, c.path = pass_table::any, c.vectors = false;
  c.why_no_vectors = std::exchange(c.refused, "");
  run_range(c, 0, pass_count - 1, after);
}

void run_machine_passes(Compilation& c) {
  run_range(c, static_cast<std::size_t>(Pass::share_math), pass_count - 1, nullptr);
}

void canonicalise(ThreadProgram& program) {
  if (program.needs.reference) return;
  Compilation c;
  c.program = std::move(program);
  c.properties = info(Pass::lower).gives;
  run_range(c, static_cast<std::size_t>(Pass::registers), static_cast<std::size_t>(Pass::waits), nullptr);
  c.cleaning.reset();
  program = std::move(c.program);
}

}  // namespace heddle::exec::jit
