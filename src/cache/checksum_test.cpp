#include "cache/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace heddle::cache {
namespace {

Digest of(std::string_view text) { return checksum(std::as_bytes(std::span(text))); }

TEST(Checksum, SeesEveryBitOfAnyLength) {
  for (std::size_t size = 0; size < 100; ++size) {
    std::string text(size, 'x');
    std::set<Digest> seen{of(text)};
    for (std::size_t i = 0; i < size; ++i)
      for (int bit = 0; bit < 8; ++bit) {
        text[i] = static_cast<char>(text[i] ^ (1 << bit));
        EXPECT_TRUE(seen.insert(of(text)).second) << size << ' ' << i << ' ' << bit;
        text[i] = static_cast<char>(text[i] ^ (1 << bit));
      }
  }
}

TEST(Checksum, TellsLengthsAndOrdersApart) {
  std::set<Digest> seen;
  for (std::size_t size = 0; size < 200; ++size) EXPECT_TRUE(seen.insert(of(std::string(size, '\0'))).second);
  const std::string a(32, 'a'), b(32, 'b'), c(8, 'c'), d(8, 'd');
  EXPECT_NE(of(a + b), of(b + a));
  EXPECT_NE(of(c + d + c + d), of(d + c + c + d));
}

TEST(Checksum, DependsOnItsSeed) {
  const std::string text = "text";
  EXPECT_NE(checksum(std::as_bytes(std::span(text)), 1), checksum(std::as_bytes(std::span(text)), 2));
}

}  // namespace
}  // namespace heddle::cache
