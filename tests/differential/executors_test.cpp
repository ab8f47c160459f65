// Random programs by the fast executor and by the reference executor.
//
// HEDDLE_SEEDS=FIRST,COUNT runs other programs than the few of every day; HEDDLE_JIT_TIER, HEDDLE_JIT_CPU,
// HEDDLE_JIT_VECTORS and HEDDLE_JIT_DISABLE are heeded. HEDDLE_PROGRAMS=FOLDER also writes each program there
// with its answer, for tests/hw/run_programs_on_device.py, and leaves out what the ISA leaves open.
// HEDDLE_TARGET=sm_90: all programs for it.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "exec/interp/lanes.h"
#include "exec/interp/program_runner.h"
#include "exec/jit/executor.h"
#include "math/math.h"
#include "said.h"

namespace heddle {
namespace {

using exec::interp::ProgramResult;

struct Seeds {
  uint64_t first = 0, count = 8;
};

Seeds seeds() {
  Seeds out;
  const char* text = std::getenv("HEDDLE_SEEDS");
  if (text == nullptr) return out;
  const std::string_view all(text);
  const std::size_t comma = all.find(',');
  std::from_chars(text, text + std::min(comma, all.size()), out.first);
  if (comma != std::string_view::npos) std::from_chars(text + comma + 1, text + all.size(), out.count);
  return out;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  for (std::size_t i = 0; i + 8 <= a.size() && i + 8 <= b.size(); i += 8) {
    uint64_t x = 0, y = 0;
    std::memcpy(&x, &a[i], 8);
    std::memcpy(&y, &b[i], 8);
    if (x == y) continue;
    char text[96];
    std::snprintf(text, sizeof text, "byte %zu: %016llx, not %016llx", i, static_cast<unsigned long long>(x),
                  static_cast<unsigned long long>(y));
    return text;
  }
  return a.size() == b.size() ? "" : "sizes";
}

// How a kernel ran, by what the executor said of it.
std::string way(const Said& said) {
  if (said.has("reference executor")) return "reference";
  if (said.has("warps on their own")) return "warps";
  return said.has("threads on their own") ? "threads" : "vectors";
}

void write(const std::filesystem::path& folder, uint64_t seed, const ptx::testing::RandomProgram& program,
           const std::vector<std::byte>& answer) {
  const std::string name = std::to_string(seed);
  std::ofstream(folder / (name + ".ptx"))
      << "// grid " << program.blocks << " block " << program.block_x << ' ' << program.block_y << '\n'
      << program.text;
  std::ofstream(folder / (name + ".out"), std::ios::binary)
      .write(reinterpret_cast<const char*>(answer.data()), static_cast<std::streamsize>(answer.size()));
}

// As many steps as a random order says are too many.
std::vector<ptx::testing::ExternalFunction> math_functions() {
  std::vector<ptx::testing::ExternalFunction> all;
  for (const math::Function& f : math::functions()) {
    if (f.name.starts_with("__nv_jn") || f.name.starts_with("__nv_yn")) continue;
    const auto type = [&](math::Value v) {
      return v == math::Value::integer ? "s32" : f.single ? "f32" : "f64";
    };
    ptx::testing::ExternalFunction out{std::string(f.name), f.returns ? type(f.results[0]) : "", {}};
    for (unsigned i = 0; i < f.source_count(); ++i) out.takes.push_back(type(f.sources[i]));
    for (unsigned i = 0; i < f.pointer_count(); ++i) out.takes.push_back("*");
    all.push_back(std::move(out));
  }
  return all;
}

TEST(Executors, DoTheSameWithRandomPrograms) {
  const auto [first, count] = seeds();
  const bool talks = std::getenv("HEDDLE_SEEDS") != nullptr;
  const std::string folder = environment("HEDDLE_PROGRAMS"), target = environment("HEDDLE_TARGET");
  ASSERT_TRUE(target.empty() || isa::find_target(target) != nullptr) << target << " is no target";
  for (uint64_t seed = first; seed < first + count; ++seed) {
    ptx::testing::RandomProgramOptions options;
    options.most_threads = seed % 8 == 7 ? 256 : 96;
    options.waiting_lanes = true;
    options.together = folder.empty();
    options.small = true;
    options.most_statements = 10;
    options.open_results = folder.empty();
    options.target = target;
    // Other machines do not have these.
    if (seed % 2 != 0 && folder.empty()) options.externals = math_functions();
    const ptx::testing::RandomProgram program = ptx::testing::random_program(seed, options);
    if (talks) std::cout << "program " << seed << std::endl;
    Said said;
    exec::jit::Options how;
    how.cpu = environment("HEDDLE_JIT_CPU");
    how.tier = environment("HEDDLE_JIT_TIER") == "best" ? exec::jit::Tier::best : exec::jit::Tier::quick;
    how.vectors = environment("HEDDLE_JIT_VECTORS") != "0";
    how.trace = said.listener();
    const auto disabled = exec::jit::read_passes_to_disable(environment("HEDDLE_JIT_DISABLE"));
    ASSERT_TRUE(disabled.ok()) << disabled.error();
    how.disabled = *disabled;
    auto executor = exec::jit::make_executor(how, exec::interp::make_executor(),
                                             exec::interp::make_reference_lanes_factory());
    ASSERT_TRUE(executor.ok()) << executor.error();
    exec::interp::ProgramRun run{{program.blocks}, {program.block_x, program.block_y}, program.output_bytes};
    run.together = program.together;
    run.limit = std::chrono::seconds(300);  // compiling counts
    const ProgramResult expected = exec::interp::run_program(program.text, run);
    run.executor = executor->get();
    const ProgramResult native = exec::interp::run_program(program.text, run);
    if (!folder.empty()) write(folder, seed, program, expected.output);
    EXPECT_EQ(native.message, expected.message) << "seed " << seed << '\n' << said.text();
    EXPECT_EQ(difference(native.output, expected.output), "") << "seed " << seed << '\n' << said.text();
    if (talks) std::cout << "compared by " << way(said) << std::endl;
  }
}

}  // namespace
}  // namespace heddle
