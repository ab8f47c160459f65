#include "api/entry/listen.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle::entry {
namespace {

constexpr Record outer{"outer", "a"}, inner{"inner", ""};

class Writing final : public Listener {
 public:
  void began(const Record& record, uint64_t number) override {
    EXPECT_EQ(host_call.number, number);
    lines.push_back(std::string(record.name) + " begins");
  }
  void ended(const CallFacts& call) override {
    lines.push_back(call_text(call.record, call.outcome, call.succeeded, call.arguments));
    EXPECT_LE(call.began, call.ended);
  }
  std::vector<std::string> lines;
};

TEST(Listen, CallsAreToldWithTheirArgumentsAndOutcomes) {
  auto listener = std::make_shared<Writing>();
  listen(listener);
  {
    const Heard call(outer);
    ASSERT_TRUE(static_cast<bool>(call));
    EXPECT_STREQ(host_call.function, "outer");
    {
      const Heard within(inner);
      EXPECT_STREQ(host_call.function, "inner");
      within.ended(0, true, "fine", {});
    }
    EXPECT_STREQ(host_call.function, "outer");
    call.ended(1, false, "bad", {argument(7)});
  }
  EXPECT_EQ(host_call.number, 0u);
  stop_listening(*listener);
  EXPECT_FALSE(listened());
  const Heard unheard(outer);
  EXPECT_FALSE(static_cast<bool>(unheard));
  EXPECT_EQ(listener->lines,
            (std::vector<std::string>{"outer begins", "inner begins", "inner() = fine", "outer(a=7) = bad"}));
}

}  // namespace
}  // namespace heddle::entry
