#include "exec/jit/fiber/turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <vector>

namespace heddle::exec::jit {
namespace {

using ::testing::ElementsAre;

// Blocks that a test plays: what each turn of a block comes to.
struct Played final : Turns::Keeper {
  bool make_room(Context&, std::size_t place, bool alone) override {
    if (rooms == 0) return false;
    --rooms;
    if (place >= blocks.size()) blocks.resize(place + 1);
    alone_.push_back(alone);
    return true;
  }
  void begin(Context&, std::size_t place, uint64_t block) override {
    blocks[place] = block;
    begun.push_back(block);
  }
  Turn go_on(Context&, std::size_t place) override {
    const Turn turn = plays(blocks[place]);
    if (turn == Turn::ended) {
      ended.push_back(blocks[place]);
      ++rooms;
    }
    return turn;
  }
  std::function<Turn(uint64_t block)> plays = [](uint64_t) { return Turn::ended; };
  std::size_t rooms = 1000;
  std::vector<uint64_t> blocks, begun, ended;
  std::vector<bool> alone_;
};

// The launch's other blocks, and other workers.
struct Launch {
  std::deque<uint64_t> left;
  std::size_t room = 1000, there = 0;
  Company company = Company::none;
  std::vector<bool> waited;
};
Launch* launch = nullptr;

uint64_t begin_another(Context*, uint64_t own) {
  if (launch->there == launch->room) return no_block;
  if (own == no_block) {
    if (launch->left.empty()) return no_block;
    own = launch->left.front();
    launch->left.pop_front();
  }
  ++launch->there;
  return own;
}
void another_ended(Context*) { --launch->there; }
Company all_wait(Context*, bool waits) {
  launch->waited.push_back(waits);
  return launch->company;
}

class BlocksInTurns : public ::testing::Test {
 protected:
  void SetUp() override { launch = &others; }
  bool run(uint64_t first, uint64_t count, bool looks = true) {
    return turns.run(context, first, count, looks, played);
  }
  // Each block ends once this one has begun.
  auto waits_for(uint64_t last) {
    return [this, last](uint64_t) {
      return std::ranges::find(played.begun, last) == played.begun.end() ? Turn::looked : Turn::ended;
    };
  }
  Launch others;
  Played played;
  Context context;
  Turns turns{OtherBlocks{begin_another, another_ended, all_wait}};
};

TEST_F(BlocksInTurns, run_one_after_another_when_nobody_waits) {
  others.left = {10, 11};
  EXPECT_TRUE(run(3, 3));
  EXPECT_THAT(played.ended, ElementsAre(3, 4, 5));
  EXPECT_THAT(played.alone_, ElementsAre(true, true, true));
  EXPECT_EQ(others.left.size(), 2u);
  EXPECT_TRUE(others.waited.empty());
}

TEST_F(BlocksInTurns, begin_own_ones_first_and_as_many_again) {
  others.left = {10, 11, 12, 13, 14, 15};
  played.plays = waits_for(11);
  EXPECT_TRUE(run(0, 3));
  EXPECT_THAT(played.begun, ElementsAre(0, 1, 2, 10, 11, 12, 13, 14));  // 1, 2, 4, 8 of them
  EXPECT_EQ(played.ended.size(), 8u);
  EXPECT_EQ(others.there, 0u);
  EXPECT_EQ(played.alone_.front(), true);
  EXPECT_EQ(std::ranges::count(played.alone_, true), 1);
}

TEST_F(BlocksInTurns, do_not_begin_others_while_one_does_something) {
  others.left = {10, 11, 12};
  int left = 50;
  played.plays = [&](uint64_t) {
    return --left == 0 ? Turn::ended : left % 2 == 0 ? Turn::waits : Turn::spent;
  };
  EXPECT_TRUE(run(0, 1));
  EXPECT_THAT(played.begun, ElementsAre(0));
}

TEST_F(BlocksInTurns, do_not_begin_others_while_another_worker_works) {
  others.left = {10, 11, 12};
  others.company = Company::works;
  int left = 50;
  played.plays = [&](uint64_t) { return --left == 0 ? Turn::ended : Turn::looked; };
  EXPECT_TRUE(run(0, 1));
  EXPECT_THAT(played.begun, ElementsAre(0));
  EXPECT_EQ(others.waited.front(), true);
  EXPECT_EQ(others.waited.back(), false);
}

TEST_F(BlocksInTurns, begin_others_when_all_workers_wait_for_some_time) {
  others.left = {10};
  others.company = Company::waits;
  played.plays = waits_for(10);
  EXPECT_TRUE(run(0, 1));
  EXPECT_EQ(played.ended.size(), 2u);
}

TEST_F(BlocksInTurns, go_on_alone_where_the_device_holds_no_more) {
  others.left = {10, 11, 12, 13};
  others.room = 2;
  int left = 100;
  played.plays = [&](uint64_t) { return --left < 0 ? Turn::ended : Turn::looked; };
  EXPECT_TRUE(run(0, 1));
  EXPECT_THAT(played.begun, ElementsAre(0, 10, 11));
}

TEST_F(BlocksInTurns, begin_others_when_they_look_and_none_ends) {
  others.left = {10, 11, 12};
  played.plays = [&](uint64_t) {
    return std::ranges::find(played.begun, 11) == played.begun.end() ? Turn::spent : Turn::ended;
  };
  EXPECT_TRUE(run(0, 1));
  EXPECT_GE(played.begun.size(), 3u);
}

TEST_F(BlocksInTurns, begin_no_others_for_time_alone) {
  others.left = {10, 11, 12};
  const auto start = std::chrono::steady_clock::now();
  played.plays = [&](uint64_t) {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(30) ? Turn::ended
                                                                                    : Turn::spent;
  };
  EXPECT_TRUE(run(0, 1, false));
  EXPECT_THAT(played.begun, ElementsAre(0));
}

TEST_F(BlocksInTurns, go_on_with_those_that_have_room) {
  others.left = {10};
  played.rooms = 1;
  int left = 20;
  played.plays = [&](uint64_t) { return --left < 0 ? Turn::ended : Turn::looked; };
  EXPECT_TRUE(run(0, 3));
  EXPECT_THAT(played.ended, ElementsAre(0, 1, 2));
  EXPECT_EQ(others.left.size(), 1u);
}

TEST_F(BlocksInTurns, say_when_there_is_no_room_for_one) {
  played.rooms = 0;
  EXPECT_FALSE(run(0, 1));
}

TEST_F(BlocksInTurns, of_a_cooperative_grid_are_all_there_from_the_start) {
  context.together = 1;
  played.plays = waits_for(4);
  EXPECT_TRUE(run(0, 5));
  EXPECT_THAT(played.begun, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(std::ranges::count(played.alone_, true), 0);
  EXPECT_EQ(others.there, 0u);
}

}  // namespace
}  // namespace heddle::exec::jit
