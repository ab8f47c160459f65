#include "support/recycled.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace heddle {
namespace {

// No two live objects share a byte, whoever made and dropped them before.
struct Marked {
  explicit Marked(uint64_t number) : first(number), last(number) { ++alive; }
  ~Marked() { --alive; }
  bool whole(uint64_t number) const { return first == number && last == number; }
  uint64_t first, padding[13] = {}, last;
  static inline std::atomic<int> alive{0};
};

TEST(Recycled, ObjectsThatOneThreadMakesAndAnotherDropsStayWhole) {
  constexpr uint64_t count = 40000;
  std::mutex mutex;
  std::deque<std::pair<uint64_t, std::shared_ptr<Marked>>> handed;
  std::atomic<bool> made_all{false};
  std::atomic<int> damaged{0};
  std::vector<std::thread> makers, droppers;
  for (uint64_t t = 0; t < 2; ++t)
    makers.emplace_back([&, t] {
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t number = i * 2 + t;
        auto object = make_recycled<Marked>(number);
        const std::lock_guard lock(mutex);
        handed.emplace_back(number, std::move(object));
      }
    });
  for (int t = 0; t < 2; ++t)
    droppers.emplace_back([&] {
      for (;;) {
        std::pair<uint64_t, std::shared_ptr<Marked>> one;
        {
          const std::lock_guard lock(mutex);
          if (handed.empty() && made_all) return;
          if (handed.empty()) continue;
          one = std::move(handed.front());
          handed.pop_front();
        }
        if (!one.second->whole(one.first)) ++damaged;
      }
    });
  for (std::thread& maker : makers) maker.join();
  made_all = true;
  for (std::thread& dropper : droppers) dropper.join();
  EXPECT_EQ(damaged, 0);
  EXPECT_EQ(Marked::alive, 0);
}

struct alignas(128) Wide {
  std::byte bytes[128];
};

TEST(Recycled, MemoryIsUsedAgainAndKeepsItsAlignment) {
  std::set<const Wide*> places;
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::shared_ptr<Wide>> few;
    for (int k = 0; k < 8; ++k) few.push_back(make_recycled<Wide>());
    for (const auto& one : few) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(one.get()) % 128, 0u);
      places.insert(one.get());
    }
  }
#if !__has_feature(address_sanitizer)
  EXPECT_EQ(places.size(), 8u);
#endif
}

// What a thread kept is not lost with it, and what its later destructors give does no harm.
struct GivesAtTheEnd {
  std::shared_ptr<Marked> object;
};

TEST(Recycled, AThreadsEnd) {
  for (int i = 0; i < 20; ++i)
    std::thread([] {
      static thread_local GivesAtTheEnd before;
      before.object = nullptr;  // made before the room's own list, so destroyed behind it
      std::vector<std::shared_ptr<Marked>> many;
      for (uint64_t k = 0; k < 100; ++k) many.push_back(make_recycled<Marked>(k));
      before.object = many.front();
    }).join();
  EXPECT_EQ(Marked::alive, 0);
}

}  // namespace
}  // namespace heddle
