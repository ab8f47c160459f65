// Programs by the fast executor, as every kind of host and each tier make their code, and by the reference
// executor: a suite is a class of OnEveryHost with tests TEST_P, and on_every_host(Suite) behind them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "exec/interp/lanes.h"
#include "exec/interp/test_program.h"
#include "exec/jit/codegen/machine.h"
#include "exec/jit/executor.h"
#include "said.h"

namespace heddle::exec {

// HEDDLE_JIT_DISABLE, which all suites heed: each pass off alone must leave their results as they are.
inline jit::PassSet disabled_passes() {
  const char* text = std::getenv("HEDDLE_JIT_DISABLE");
  const auto passes = jit::read_passes_to_disable(text == nullptr ? "" : text);
  if (!passes) {
    ADD_FAILURE() << passes.error();
    return {};
  }
  return *passes;
}

// One program for each executor.
struct BothSides {
  interp::TestProgram expected, native;
  Said said;  // of the fast one

  BothSides(const std::string& text, const char* cpu, jit::Tier tier, bool vectors = true)
      : expected(text), native(text) {
    jit::Options options;
    options.cpu = cpu;
    options.threads = 1;
    options.vectors = vectors;
    options.tier = tier;
    options.trace = said.listener();
    options.disabled = disabled_passes();
    auto executor =
        jit::make_executor(options, interp::make_executor(), interp::make_reference_lanes_factory());
    if (executor)
      native.use(std::move(*executor));
    else
      ADD_FAILURE() << executor.error();
  }

  // What `run` makes of one of them; `what` says which run it is.
  template <class Run>
  void compare(const Run& run, const std::string& what = {}) {
    EXPECT_EQ(run(native), run(expected)) << what << '\n' << said.text();
  }
};

class OnEveryHost : public ::testing::TestWithParam<std::tuple<const char*, jit::Tier>> {
 protected:
  void SetUp() override {
    const char* cpu = std::get<0>(GetParam());
    if (!jit::find_host(cpu)) GTEST_SKIP() << "this host is none of " << cpu;
  }
  BothSides both_sides(const std::string& text) const {
    return {text, std::get<0>(GetParam()), std::get<1>(GetParam())};
  }
};

inline std::string name_of_host(const ::testing::TestParamInfo<OnEveryHost::ParamType>& test) {
  std::string name = std::get<0>(test.param);
  std::erase(name, '-');
  return name + (std::get<1>(test.param) == jit::Tier::best ? "_best" : "_quick");
}

#define on_every_host(Suite)                                                                         \
  INSTANTIATE_TEST_SUITE_P(Levels, Suite,                                                            \
                           ::testing::Combine(::testing::Values("avx512", "avx2", "x86-64-v2"),      \
                                              ::testing::Values(jit::Tier::quick, jit::Tier::best)), \
                           name_of_host)

// The text with each word, in their order, replaced by what stands beside it.
inline std::string with_words(std::string text,
                              std::span<const std::pair<std::string_view, std::string>> words) {
  for (const auto& [word, by] : words)
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
      text.replace(at, word.size(), by);
  return text;
}

// Words of anything, always the same.
inline std::vector<uint32_t> any_words(std::size_t count) {
  std::vector<uint32_t> words(count);
  uint32_t x = 12345;
  for (uint32_t& word : words) {
    x = x * 1664525 + 1013904223;
    word = x >> 7;
  }
  return words;
}

}  // namespace heddle::exec
