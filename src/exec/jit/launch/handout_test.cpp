// Each block is handed out once, whoever comes, and to whom.
#include "exec/jit/launch/handout.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace heddle::exec::jit {
namespace {

auto at_most(uint64_t count) {
  return [count](uint64_t, unsigned) { return count; };
}

std::vector<uint64_t> all_of(Handout& handout, Handout::Place& place, uint64_t at_once) {
  std::vector<uint64_t> taken;
  for (;;) {
    const auto [first, count] = handout.take(place, 1, at_most(at_once));
    if (count == 0) return taken;
    for (uint64_t i = 0; i < count; ++i) taken.push_back(first + i);
  }
}

std::vector<uint64_t> range(uint64_t first, uint64_t end) {
  std::vector<uint64_t> all;
  for (; first < end; ++first) all.push_back(first);
  return all;
}

TEST(handout, one_after_the_other_before_it_is_shared) {
  Handout handout(100);
  Handout::Place one{0}, other{1};
  EXPECT_EQ(handout.take(one, 1, at_most(30)).first, 0u);
  EXPECT_EQ(handout.take(other, 1, at_most(30)).first, 30u);
  EXPECT_EQ(handout.left(), 40u);
  EXPECT_EQ(all_of(handout, one, 7), range(60, 100));
  EXPECT_EQ(handout.left(), 0u);
  EXPECT_EQ(handout.begun(), 100u);
}

TEST(handout, each_thread_has_the_same_part_at_each_launch) {
  for (const uint64_t alone : {0u, 1u, 9u}) {
    Handout handout(1000);
    Handout::Place place[] = {{0}, {1}, {2}, {3}};
    if (alone != 0) handout.take(place[0], 1, at_most(alone));
    handout.share(4);
    EXPECT_EQ(handout.take(place[2], 4, at_most(1)).first, 500u);
    EXPECT_EQ(handout.take(place[3], 4, at_most(1)).first, 750u);
    EXPECT_EQ(handout.take(place[0], 4, at_most(1)).first, alone);
    EXPECT_EQ(handout.take(place[1], 4, at_most(1)).first, 250u);
    EXPECT_EQ(handout.take(place[3], 4, at_most(1)).first, 751u);
  }
}

TEST(handout, parts_begin_where_neighbours_do_that_run_together) {
  Handout handout(1000);
  Handout::Place place[] = {{0}, {1}, {2}, {3}};
  handout.share(4, 32);
  EXPECT_EQ(handout.take(place[1], 4, at_most(1)).first, 224u);
  EXPECT_EQ(handout.take(place[2], 4, at_most(1)).first, 480u);
  EXPECT_EQ(handout.take(place[3], 4, at_most(1000)).count, 1000u - 736);
  EXPECT_EQ(handout.take(place[0], 4, at_most(1000)).count, 224u);
}

TEST(handout, who_comes_alone_runs_all_in_order) {
  Handout handout(1000);
  Handout::Place place{0};
  handout.take(place, 1, at_most(300));
  handout.share(7);
  EXPECT_EQ(all_of(handout, place, 13), range(300, 1000));
}

TEST(handout, any_block_that_is_left_can_be_taken_alone) {
  Handout handout(6);
  Handout::Place place{0};
  EXPECT_EQ(handout.take(place, 1, at_most(2)).first, 0u);
  EXPECT_EQ(handout.take_any().first, 2u);
  handout.share(2);
  EXPECT_EQ(handout.take_any().first, 5u);
  const auto [first, count] = handout.take(place, 2, at_most(9));  // its own part has none left
  EXPECT_EQ(first, 3u);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(handout.take_any().count, 0u);
  EXPECT_EQ(handout.left(), 0u);
}

TEST(handout, who_is_done_takes_from_the_end_of_the_fullest_part) {
  Handout handout(300);
  Handout::Place place[] = {{0}, {1}, {2}};
  handout.share(3);
  handout.take(place[1], 3, at_most(20));
  handout.take(place[2], 3, at_most(10));
  handout.take(place[0], 3, at_most(100));
  unsigned asked = 0;
  const auto blocks = handout.take(place[0], 3, [&](uint64_t left, unsigned threads) {
    EXPECT_EQ(left, 90u);
    EXPECT_EQ(threads, 3u);
    ++asked;
    return 30;
  });
  EXPECT_EQ(asked, 1u);
  EXPECT_EQ(blocks.first, 270u);
  EXPECT_EQ(blocks.count, 30u);
  EXPECT_EQ(handout.left(), 300u - 20 - 10 - 100 - 30);
  EXPECT_EQ(handout.take(place[2], 3, at_most(100)).count, 60u);
}

TEST(handout, more_parts_than_blocks) {
  Handout handout(3);
  Handout::Place last{63};
  handout.share(64);
  EXPECT_EQ(all_of(handout, last, 2).size(), 3u);
}

TEST(handout, threads_that_come_and_go_run_each_block_once) {
  for (const unsigned parts : {0u, 2u, 5u}) {
    constexpr uint64_t blocks = 100'003;
    std::vector<std::atomic<uint8_t>> runs(blocks);
    Handout handout(blocks);
    Handout::Place begins{0};
    const auto first = handout.take(begins, 1, at_most(17));
    for (uint64_t i = 0; i < first.count; ++i) ++runs[first.first + i];
    if (parts != 0) handout.share(parts);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        std::mt19937 random(t);
        for (Handout::Place place = t == 0 ? begins : Handout::Place{t};;) {
          const auto taken = handout.take(place, 4, [&](uint64_t left, unsigned among) {
            return std::max<uint64_t>(1, std::min<uint64_t>(random() % 40, left / among));
          });
          if (taken.count == 0) return;
          for (uint64_t i = 0; i < taken.count; ++i) ++runs[taken.first + i];
          if (t != 0 && random() % 100 == 0) place = {t};  // it was elsewhere
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(handout.left(), 0u);
    EXPECT_TRUE(std::ranges::all_of(runs, [](const auto& n) { return n == 1; })) << parts;
  }
}

}  // namespace
}  // namespace heddle::exec::jit
