#include "exec/jit/launch/repeats.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <vector>

namespace heddle::exec::jit {
namespace {

struct Told {
  uint32_t instruction;
  uint32_t lanes, bytes;
  observe::Space space;
  std::array<uint64_t, observe::warp_lanes> addresses;
  uint64_t times;
};

struct Listener final : observe::RepeatSink {
  std::vector<Told> told;
  void accesses(const observe::Access& one, uint64_t times) override {
    Told& t = told.emplace_back(Told{one.place.instruction, one.lanes, one.bytes, one.space, {}, times});
    std::copy_n(one.addresses, observe::warp_lanes, t.addresses.begin());
  }
};

class RepeatsTest : public ::testing::Test {
 protected:
  static constexpr uint32_t site = 1, block[3] = {4, 5, 6};
  RepeatsTest() {
    kernel.sites.resize(2);
    kernel.sites[site].instruction = 7;
    memory = reinterpret_cast<RepeatsOfSite*>(repeats.open(kernel.sites.size()));
  }
  void row(uint64_t base) {
    const uint64_t key = RepeatKey{.bytes = 4, .space = global, .kind = 0, .lane_step = -8}.number() |
                         base % observe::repeat_bytes;
    repeats.come(memory[site].rows[0],
                 {.site = site, .key = key, .base = base, .lanes = 0xff, .block = block},
                 {sink, kernel, windows64});
  }
  void tell() { repeats.tell({sink, kernel, windows64}); }

  static constexpr auto global = static_cast<uint32_t>(module::Space::global);
  CompiledKernel kernel;
  Listener sink;
  Repeats repeats;
  RepeatsOfSite* memory = nullptr;
};

TEST(RepeatKey, HoldsWhatItIsMadeOf) {
  for (const int64_t step :
       {int64_t{0}, int64_t{4}, int64_t{-4}, (int64_t{1} << 38) - 1, -(int64_t{1} << 38)})
    for (const uint32_t bytes : {1U, 16U, 1023U}) {
      ASSERT_TRUE(RepeatKey::has_room(bytes, step));
      const uint64_t key = RepeatKey{bytes, 5, 2, step}.number();
      EXPECT_NE(key, 0U);
      EXPECT_EQ(key % observe::repeat_bytes, 0U);
      const RepeatKey back = RepeatKey::of(key | 255);
      EXPECT_EQ(back.bytes, bytes);
      EXPECT_EQ(back.space, 5U);
      EXPECT_EQ(back.kind, 2U);
      EXPECT_EQ(back.lane_step, step);
    }
  EXPECT_FALSE(RepeatKey::has_room(1024, 0));
  EXPECT_FALSE(RepeatKey::has_room(4, int64_t{1} << 38));
}

TEST_F(RepeatsTest, TellsWhatWasCountedAtTheEnd) {
  for (const uint64_t base : {0x1000, 0x1100, 0x1200}) row(base);  // a group of three warps
  memory[site].rows[0].times += 5;                                 // as native code does
  EXPECT_TRUE(sink.told.empty());
  tell();
  ASSERT_EQ(sink.told.size(), 1U);
  const Told& told = sink.told[0];
  EXPECT_EQ(told.instruction, 7U);
  EXPECT_EQ(told.times, 8U);
  EXPECT_EQ(told.lanes, 0xffU);
  EXPECT_EQ(told.bytes, 4U);
  EXPECT_EQ(told.space, observe::Space::global);
  EXPECT_EQ(told.addresses[0], 0x1000U);
  EXPECT_EQ(told.addresses[7], 0x1000U - 56);
  tell();
  EXPECT_EQ(sink.told.size(), 1U);
  EXPECT_EQ(memory[site].rows[0].key, 0U);
}

// The one that repeats keeps its entry while others come once, but not for ever.
TEST_F(RepeatsTest, WhatDoesNotRepeatIsToldAtOnce) {
  row(0x1000);
  row(0x1004);
  ASSERT_EQ(sink.told.size(), 1U);
  EXPECT_EQ(sink.told[0].addresses[0], 0x1004U);
  EXPECT_EQ(memory[site].rows[0].base, 0x1000U);
  uint64_t all = 2;
  for (; memory[site].rows[0].base == 0x1000 && all < 100; ++all) row(0x1008);
  EXPECT_EQ(memory[site].rows[0].base, 0x1008U);
  memory[site].rows[0].times += 1, ++all;
  row(0x100c), ++all;  // takes the place of one that has repeated
  EXPECT_EQ(memory[site].rows[0].base, 0x100cU);
  tell();
  uint64_t times = 0;
  for (const Told& told : sink.told) times += told.times;
  EXPECT_EQ(times, all);
}

// Whose entries are never used: a thread that is told of each access of some block.
TEST_F(RepeatsTest, ClosedEntriesCountNothing) {
  memory = reinterpret_cast<RepeatsOfSite*>(repeats.open_closed(kernel.sites.size()));
  row(0x1000);
  row(0x1000);
  EXPECT_EQ(sink.told.size(), 2U);
  EXPECT_EQ(memory[site].rows[0].key, 0U);
  EXPECT_TRUE(repeats.empty());
}

TEST_F(RepeatsTest, LanesAnywhere) {
  std::array<uint64_t, observe::warp_lanes> addresses{};
  for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = 0x1000 + (lane * 37 % 64) * 8;
  auto wanted = addresses;
  const uint32_t lanes = 0xfffffff0;
  const uint64_t base = addresses[std::countr_zero(lanes)];
  const uint64_t key = RepeatKey{.bytes = 8, .space = global}.number() | base % 4;
  repeats.come(
      memory[site].lanes[3].repeat,
      {.site = site, .key = key, .base = base, .lanes = lanes, .block = block, .addresses = addresses.data()},
      {sink, kernel, windows64});
  // As native code counts others that begin elsewhere.
  const uint64_t place = base % observe::repeat_bytes / 4, other = (place + 60) % 64;
  ++memory[site].lanes[3].times[place];
  memory[site].lanes[3].times[other] = 5;
  tell();
  ASSERT_EQ(sink.told.size(), 2U);
  if (sink.told[0].times == 5) std::swap(sink.told[0], sink.told[1]);
  EXPECT_EQ(sink.told[0].times, 2U);
  EXPECT_EQ(sink.told[1].times, 5U);
  const uint64_t apart = sink.told[1].addresses[4] - sink.told[0].addresses[4];
  EXPECT_EQ(apart % 256, (other - place) * 4 % 256);
  EXPECT_EQ(sink.told[1].addresses[31] - sink.told[0].addresses[31], apart);
  for (unsigned lane = 4; lane < 32; ++lane) EXPECT_EQ(sink.told[0].addresses[lane], wanted[lane]) << lane;
}

}  // namespace
}  // namespace heddle::exec::jit
