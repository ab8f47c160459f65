#include "exec/jit/kernel/slow_code.h"

#include <gtest/gtest.h>

#include <thread>

namespace heddle::exec::jit {
namespace {

class NoPlaces final : public Code {
 public:
  void* find(std::string_view) const override { return nullptr; }
  uintptr_t begin() const override { return 16; }
  uintptr_t end() const override { return 32; }
  jit::Place place(uintptr_t) const override { return {}; }
};

uint32_t first(Context*, void*) { return 1; }
uint32_t second(Context*, void*) { return 2; }

SlowCode::Loaded two_parts() { return {std::make_shared<NoPlaces>(), {&first, &second}}; }

TEST(SlowCode, IsThereAtOnceWhenItWasKept) {
  SlowCode code(two_parts());
  ASSERT_NE(code.find(1), nullptr);
  EXPECT_EQ(code.find(0)(nullptr, nullptr), 1u);
  EXPECT_EQ(code.find(1)(nullptr, nullptr), 2u);
  EXPECT_EQ(code.make(), nullptr);
  EXPECT_TRUE(code.code()->has(16));
  EXPECT_FALSE(code.code()->has(32));
}

TEST(SlowCode, IsMadeOnceForAllWhoNeedIt) {
  std::atomic<int> made{0};
  SlowCode code([&]() -> Result<SlowCode::Loaded, std::string> {
    ++made;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return two_parts();
  });
  EXPECT_EQ(code.find(0), nullptr);
  EXPECT_EQ(code.code(), nullptr);
  std::vector<std::thread> threads;
  std::atomic<int> found{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      if (code.make() == nullptr && code.find(1) == &second) ++found;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(found, 8);
}

TEST(SlowCode, SaysEachTimeWhyItIsNot) {
  int asked = 0;
  SlowCode code([&]() -> Result<SlowCode::Loaded, std::string> {
    ++asked;
    return std::string("no room");
  });
  for (int i = 0; i < 2; ++i) {
    const std::string* why_not = code.make();
    ASSERT_NE(why_not, nullptr);
    EXPECT_EQ(*why_not, "no room");
    EXPECT_EQ(code.find(0), nullptr);
  }
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace heddle::exec::jit
