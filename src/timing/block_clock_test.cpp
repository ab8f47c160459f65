// What clocks show that a program reads, against an H200 (tests/hw/h200/clocks/clocks.csv).
#include "timing/block_clock.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "module/test_link.h"

namespace heddle::timing {
namespace {

constexpr observe::Mask all = ~observe::Mask{0};

// A kernel that reads its clock twice, and what its warps are told to do.
class Timed {
 public:
  // `between`: what stands between the two looks.
  Timed(const std::string& device, const std::string& between, uint32_t warps = 1, uint64_t blocks = 1,
        uint32_t resident = 1)
      : machine_(*make_machine(**arch::find_device(device))),
        image_(module::link_text(
            std::string(module::test_header) +
            ".visible .entry k(.param .u64 x) { .reg .b64 a, b, c; .reg .f32 f, g; "
            ".reg .b32 i; .reg .pred p; .shared .b32 m[1024]; ld.param.u64 c, [x]; mov.u64 a, "
            "%clock64; " +
            between + " mov.u64 b, %clock64; ret; }")),
        program_(make_program(*image_, machine_)),
        caches_(machine_),
        warps_(warps) {
    clock_.emplace(machine_, program_, company_of(machine_, blocks, warps, resident), caches_, 128 << 10,
                   warps, 1000);
    const module::Function& f = code();
    for (uint32_t i = 0; i < f.code.size(); ++i)
      if (reads_clock(f, f.code[i])) looks_.push_back(i);
  }
  BlockClock& clock() { return *clock_; }
  const module::Function& code() const { return image_->functions[0]; }
  void begin() {
    for (uint32_t w = 0; w < warps_; ++w) clock_->visit(w, {0, 0}, all);
  }
  Ticks look(uint32_t n, uint32_t warp = 0) { return clock_->time(warp, {0, looks_[n]}); }
  double between(uint32_t warp = 0) {
    const Ticks first = look(0, warp);
    return static_cast<double>(look(1, warp) - first) / ticks_per_clock;
  }
  // Accesses of shared memory by all of its loads.
  void load(Event event, uint32_t warp, const Part* parts = nullptr) {
    for (uint32_t i = 0; i < code().code.size(); ++i) {
      if (isa::name(code().code[i].opcode) != "ld" || i < looks_[0]) continue;
      event.instruction = i;
      event.lanes = all;
      event.kind = Event::Kind::load;
      clock_->event(warp, event, parts);
    }
  }

 private:
  static bool reads_clock(const module::Function& f, const module::Instruction& instruction) {
    for (uint32_t i = 0; i < instruction.operand_count; ++i)
      if (f.operands[instruction.first_operand + i].kind == module::OperandKind::special) return true;
    return false;
  }
  const Machine machine_;
  std::unique_ptr<module::Image> image_;
  const Program program_;
  SharedCaches caches_;
  const uint32_t warps_;
  std::optional<BlockClock> clock_;
  std::vector<uint32_t> looks_;
};

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}
const std::string chain_of_256 = repeated("fma.rn.f32 f, f, f, g; ", 256);

TEST(BlockClock, AChainTakesItsLatencies) {
  Timed one("h200", chain_of_256);
  one.begin();
  EXPECT_NEAR(one.between(), 1022, 0.05 * 1022);
}

TEST(BlockClock, ManyWarpsTakeTurns) {
  const auto among = [](uint32_t warps) {
    Timed timed("h200", chain_of_256, warps);
    timed.begin();
    return timed.between();
  };
  EXPECT_NEAR(among(8), 1026, 0.05 * 1026);
  EXPECT_NEAR(among(32), 1996, 0.05 * 1996);
}

TEST(BlockClock, NothingBetweenTakesWhatALookTakes) {
  Timed nothing("h200", "");
  nothing.begin();
  EXPECT_EQ(nothing.between(), 2);
}

TEST(BlockClock, LanesThatAskOneAfterAnotherHaveOneAnswer) {
  Timed timed("h200", chain_of_256);
  timed.begin();
  const Ticks first = timed.look(0);
  EXPECT_EQ(timed.look(0), first);
  const Ticks second = timed.look(1);
  EXPECT_EQ(timed.look(1), second);
  EXPECT_GT(second, first);
}

// 64 loads one behind another of shared memory, with so many passes each: the banks of 32 warps are the
// limit.
TEST(BlockClock, BankConflictsTakeTheirTime) {
  const auto with = [](uint16_t passes, uint32_t warps) {
    Timed timed("h200", repeated("ld.volatile.shared.u32 i, [m]; ", 64), warps);
    timed.begin();
    timed.look(0);
    Event event;
    event.space = observe::Space::shared;
    event.wavefronts = passes;
    timed.load(event, 0);
    return timed.between();
  };
  EXPECT_NEAR(with(2, 32), 4092, 0.05 * 4092);
  EXPECT_NEAR(with(32, 32), 66144, 0.05 * 66144);
  EXPECT_NEAR(with(32, 8), 16525, 0.05 * 16525);
}

// A pointer's way through memory: the first time from the memory, the second one from the cache.
TEST(BlockClock, WhatWasLoadedIsInTheCache) {
  Timed timed("h200", "ld.global.u64 c, [c]; ld.global.u64 c, [c]; ld.global.u64 c, [c];");
  timed.begin();
  const Ticks first = timed.look(0);
  const Part part{4096, 1, 0, 0};
  Event event;
  event.parts = 1;
  event.wavefronts = 1;
  timed.load(event, 0, &part);
  // The last load is not waited for.
  const double clocks = static_cast<double>(timed.look(1) - first) / ticks_per_clock;
  EXPECT_NEAR(clocks, 660 + 40, 0.1 * 700);
}

// The other warp has a chain in front of the barrier, the first one has none, and is told of first.
TEST(BlockClock, ABarrierWaitsForTheLastWarp) {
  Timed timed("h200", "setp.eq.u32 p, i, 0; @p bra over; " + chain_of_256 + "over: bar.sync 0; ", 2);
  const module::Function& f = timed.code();
  uint32_t chain = 0, barrier = 0;
  for (uint32_t i = 0; i < f.code.size(); ++i) {
    if (isa::name(f.code[i].opcode) == "fma" && chain == 0) chain = i;
    if (isa::name(f.code[i].opcode) == "bar") barrier = i;
  }
  timed.begin();
  const Ticks first = timed.look(0);
  timed.clock().visit(0, {0, barrier}, all);
  timed.clock().visit(1, {0, chain}, all);
  timed.clock().visit(1, {0, barrier}, all);
  const double clocks = static_cast<double>(timed.look(1) - first) / ticks_per_clock;
  EXPECT_GT(clocks, 1000);
  EXPECT_LT(clocks, 1150);
  // Both go on at the same time.
  EXPECT_EQ(timed.look(1, 1), timed.look(1));
}

// Of the warps of a block one works, the others wait at a barrier for it: they are not in its way.
TEST(BlockClock, WarpsThatWaitTakeNoTurns) {
  const auto of_warps = [](uint32_t warps, uint64_t blocks) {
    Timed timed("h200", "setp.eq.u32 p, i, 0; @p bra over; " + chain_of_256 + "over: bar.sync 0; ", warps,
                blocks, 1);
    const module::Function& f = timed.code();
    uint32_t chain = 0, barrier = 0;
    for (uint32_t i = 0; i < f.code.size(); ++i) {
      if (isa::name(f.code[i].opcode) == "fma" && chain == 0) chain = i;
      if (isa::name(f.code[i].opcode) == "bar") barrier = i;
    }
    timed.begin();
    const Ticks first = timed.look(0);
    timed.clock().visit(0, {0, chain}, all);
    for (uint32_t w = 0; w < warps; ++w) timed.clock().visit(w, {0, barrier}, all);
    return static_cast<double>(timed.look(1) - first) / ticks_per_clock;
  };
  EXPECT_NEAR(of_warps(32, 1), of_warps(2, 1), 40);
}

}  // namespace
}  // namespace heddle::timing
