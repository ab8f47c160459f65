#include "support/static_objects.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace heddle {
namespace {

int of_this_program() { return 1; }

// What is kept of a library that others made is seen from outside: tests/nvcc/exit_while_compiling.cu.
TEST(StaticObjects, OfThisProgramAreLeftAlone) {
  EXPECT_FALSE(keep_static_objects(reinterpret_cast<const void*>(&of_this_program)));
}

TEST(StaticObjects, OfNoLibraryAreNone) {
  const int here = 0;
  EXPECT_FALSE(keep_static_objects(nullptr));
  EXPECT_FALSE(keep_static_objects(&here));
}

// The C library defines __cxa_atexit and refers to none.
TEST(StaticObjects, OfALibraryThatHasNoneAreNone) {
  EXPECT_FALSE(keep_static_objects(reinterpret_cast<const void*>(&std::getenv)));
}

}  // namespace
}  // namespace heddle
