// Parts of the model that can be left out.
#include "timing/mechanism.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace heddle::timing {
namespace {

TEST(TimingMechanism, EachOfThemChangesAMachineThatHasIt) {
  std::set<std::string_view> names;
  for (const Mechanism& part : mechanisms()) {
    EXPECT_TRUE(names.insert(part.name).second) << part.name;
    EXPECT_EQ(find_mechanism(part.name), &part);
    bool changed = false;
    for (const char* device : {"h200", "gtx280"}) {
      const Machine whole = *make_machine(**arch::find_device(device));
      Machine other = whole;
      part.leave_out(other);
      changed = changed || std::memcmp(&whole, &other, sizeof whole) != 0;
    }
    EXPECT_TRUE(changed) << part.name;
  }
  EXPECT_EQ(find_mechanism("nothing"), nullptr);
}

TEST(TimingMechanism, WhatIsLeftWithoutItsTimeStillGoesOn) {
  for (const Mechanism& part : mechanisms()) {
    Machine machine = *make_machine(**arch::find_device("h200"));
    part.leave_out(machine);
    EXPECT_GT(machine.issue, 0U) << part.name;
    EXPECT_GT(machine.branch, 0U) << part.name;
    EXPECT_GT(machine.port_bytes, 0) << part.name;
  }
}

}  // namespace
}  // namespace heddle::timing
