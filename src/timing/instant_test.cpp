// Estimates from counts alone.
#include "timing/instant.h"

#include <gtest/gtest.h>

#include "module/test_link.h"
#include "timing/tables.h"

namespace heddle::timing {
namespace {

class Instant : public ::testing::Test {
 protected:
  Instant() : Instant("h200") {}
  explicit Instant(std::string_view device) : machine_(*make_machine(**arch::find_device(device))) {
    image_ =
        module::link_text(std::string(module::test_header) +
                          ".visible .entry k(.param .u64 x) { .reg .b64 a; .reg .f32 f; ld.param.u64 a, [x]; "
                          "ld.global.f32 f, [a]; add.f32 f, f, f; st.global.f32 [a], f; ret; }");
    entry_ = image_->function_index("k");
    program_ = issue_program(*image_, entry_, machine_);
  }
  Tallied of_warps(uint64_t warps) const {
    Tallied t;
    t.counts[{entry_, 0}].warps = warps;
    return t;
  }
  Prediction estimated(const Tallied& t, uint64_t blocks) const {
    return estimate(machine_, program_, t, 8, blocks, 8);
  }
  Ticks ticks(const Prediction& p) const { return machine_.ticks(p.nanoseconds) - machine_.launch; }

  Machine machine_;
  std::unique_ptr<module::Image> image_;
  uint32_t entry_ = 0;
  IssuedProgram program_;
};

class InstantOnPascal : public Instant {
 protected:
  InstantOnPascal() : Instant("gtx1080ti") {}
};

TEST_F(InstantOnPascal, AStreamTakesItsBytesAtTheMemorysRate) {
  constexpr uint64_t blocks = 1 << 20;
  Tallied t = of_warps(blocks * 8);
  t.loaded = t.stored = t.read = t.written = blocks * 8 * 64;
  const Prediction p = estimated(t, blocks);
  EXPECT_EQ(p.bound, Bound::memory);
  const double bytes = 2.0 * static_cast<double>(blocks) * 8 * 64 * 32;
  EXPECT_NEAR(p.nanoseconds, bytes / (memory_bandwidth(*machine_.device, *machine_.constants) / 1e9),
              p.nanoseconds * 0.01);
}

TEST_F(Instant, WhatFitsIntoTheL2CacheIsNotWrittenBack) {
  Tallied t = of_warps(8 * 132);
  t.loaded = t.stored = t.read = t.written = 8 * 132 * 4;
  const Prediction p = estimated(t, 132);
  EXPECT_EQ(p.bound, Bound::launch);
  EXPECT_GE(ticks(p), machine_.memory_latency) << "the way of a warp, alone";
  EXPECT_LE(ticks(p), machine_.memory_latency * 3 / 2);
}

TEST_F(Instant, OperationsOnOneWordComeOneAfterAnother) {
  Tallied t = of_warps(8 * 132);
  t.changes = t.hottest = 1'000'000;
  const Prediction p = estimated(t, 132);
  EXPECT_EQ(p.bound, Bound::atomics);
  EXPECT_NEAR(static_cast<double>(ticks(p)), static_cast<double>(machine_.atomic) * 1e6, 1e6);
}

TEST_F(Instant, WavesOfBlocksComeOneAfterAnother) {
  const Ticks one = ticks(estimated(of_warps(8 * 8 * 132), 8 * 132));
  const Ticks two = ticks(estimated(of_warps(16 * 8 * 132), 16 * 132));
  EXPECT_NEAR(static_cast<double>(two), 2.0 * static_cast<double>(one), static_cast<double>(one) * 0.01);
}

}  // namespace
}  // namespace heddle::timing
